"""A library that this build does not use."""

from __future__ import annotations

from typing import NoReturn

from torch import _lazy


def is_available() -> bool:
    """Whether there is an Apple GPU that this build can use.

    Returns:
        False

    Example:
        >>> torch.backends.mps.is_available()
        False
    """
    return False


is_built = is_available


def is_macos_or_newer(major: int, minor: int) -> NoReturn:
    """Whether the system is a version of macOS, which needs the MPS backend.

    Args:
        major (int): of the version
        minor (int): of the version

    Raises:
        RuntimeError: always

    Example:
        >>> torch.backends.mps.is_macos_or_newer(14, 0)
        Traceback (most recent call last):
        RuntimeError: ...
    """
    raise RuntimeError(f"torch.backends.mps.is_macos_or_newer({major}, {minor}): this build of torch has no MPS backend")


def is_macos13_or_newer(minor: int = 0) -> NoReturn:
    """Whether the system is macOS 13, which needs the MPS backend.

    Args:
        minor (int, default 0): of the version

    Raises:
        RuntimeError: always

    Example:
        >>> torch.backends.mps.is_macos13_or_newer()
        Traceback (most recent call last):
        RuntimeError: ...
    """
    is_macos_or_newer(13, minor)


_lazy.names_what_is_absent(__name__)
