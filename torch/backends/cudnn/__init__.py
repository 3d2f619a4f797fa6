"""Settings of cuDNN; of no effect on a CPU."""

from __future__ import annotations

from torch import _lazy

enabled, benchmark, deterministic, allow_tf32, benchmark_limit = True, False, False, True, 10


def is_available() -> bool:
    """Whether cuDNN is there.

    Returns:
        False

    Example:
        >>> torch.backends.cudnn.is_available()
        False
    """
    return False


def version() -> int | None:
    """The version of cuDNN.

    Returns:
        None: it is not there

    Example:
        >>> torch.backends.cudnn.version() is None
        True
    """
    return None


_lazy.names_what_is_absent(__name__)
