"""Whether kernels run on several threads. They use this library's own pool, which respects OMP_NUM_THREADS."""

from __future__ import annotations

from torch import _C, _lazy


def is_available() -> bool:
    """Whether this library was built with threads.

    Returns:
        whether it was

    Example:
        >>> torch.backends.openmp.is_available()
        True
    """
    return _C.has_openmp


_lazy.names_what_is_absent(__name__)
