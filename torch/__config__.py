"""What this build was made with."""

from torch import _C


def show():
    """Compiler, options and libraries of the build, as text."""
    return _C._show_config()


def parallel_info():
    """Threads and thread pools, as text."""
    return _C._parallel_info()


def _cxx_flags():
    return _C._cxx_flags()
