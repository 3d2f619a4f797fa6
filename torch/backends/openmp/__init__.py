"""Whether kernels run on several threads. They do so on a pool of our own, which heeds OMP_NUM_THREADS."""

from torch import _C, _lazy


def is_available():
    """Whether this library was built with threads."""
    return _C.has_openmp

_lazy.names_what_is_absent(__name__)
