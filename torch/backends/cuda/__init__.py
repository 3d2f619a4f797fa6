"""Settings of GPU libraries; of no effect on a CPU."""

from __future__ import annotations

from torch import _lazy


class _Switches:
    allow_tf32 = False
    allow_fp16_reduced_precision_reduction = True
    allow_bf16_reduced_precision_reduction = True


matmul = _Switches()


def is_built() -> bool:
    """Whether this library was built with CUDA.

    Returns:
        False

    Example:
        >>> torch.backends.cuda.is_built()
        False
    """
    return False


def flash_sdp_enabled() -> bool:
    """Whether attention may run as one kernel that never makes the whole matrix.

    Returns:
        True

    Example:
        >>> torch.backends.cuda.flash_sdp_enabled()
        True
    """
    return True


def mem_efficient_sdp_enabled() -> bool:
    """Whether attention may run as the kernel that saves memory.

    Returns:
        True

    Example:
        >>> torch.backends.cuda.mem_efficient_sdp_enabled()
        True
    """
    return True


def math_sdp_enabled() -> bool:
    """Whether attention may run as several operators.

    Returns:
        True

    Example:
        >>> torch.backends.cuda.math_sdp_enabled()
        True
    """
    return True


_lazy.names_what_is_absent(__name__)
