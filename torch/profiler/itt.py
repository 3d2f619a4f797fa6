"""Marks for Intel's VTune. This build has no ITT library: is_available() is False, and all else raises RuntimeError."""

from contextlib import contextmanager

__all__ = ["is_available", "mark", "range", "range_pop", "range_push"]


def is_available():
    """Whether marks reach VTune."""
    return False


def _refuse(*args, **kwargs):
    raise RuntimeError("ITT functions not installed: this build has no ITT library; torch.profiler.record_function marks ranges")


def range_push(msg):
    """Refused."""
    _refuse()


def range_pop():
    """Refused."""
    _refuse()


def mark(msg):
    """Refused."""
    _refuse()


@contextmanager
def range(msg, *args, **kwargs):
    """Refused."""
    _refuse()
    yield
