"""OpenMP, the thread pool of the kernels."""

from torch import _C


def is_available():
    return bool(getattr(_C, "has_openmp", True))
