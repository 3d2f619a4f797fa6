"""OpenMP, the thread pool of the kernels."""

from torch import _C


def is_available():
    """Whether this library was built with threads."""
    return _C.has_openmp
