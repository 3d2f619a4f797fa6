"""Settings of cuDNN; of no effect on a CPU."""

from __future__ import annotations

import sys as _sys
from typing import Any

from torch import _lazy
from torch.backends import _flags

enabled, benchmark, deterministic, allow_tf32, benchmark_limit = True, False, False, True, 10
fp32_precision = "none"
conv, rnn = _flags.Precision("tf32"), _flags.Precision("tf32")


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


def set_flags(
    enabled: bool | None = None, benchmark: bool | None = None, benchmark_limit: int | None = None,
    deterministic: bool | None = None, allow_tf32: bool | None = None, fp32_precision: str | None = None,
) -> tuple[Any, ...]:  # fmt: skip
    """Change settings; None leaves one as it is.

    Args:
        enabled (bool, optional): the setting
        benchmark (bool, optional): the setting
        benchmark_limit (int, optional): the setting
        deterministic (bool, optional): the setting
        allow_tf32 (bool, optional): the setting
        fp32_precision (str, optional): the setting

    Returns:
        all of them as they were

    Example:
        >>> before = torch.backends.cudnn.set_flags()
    """
    return _flags.set_flags(
        _sys.modules[__name__],
        {
            "enabled": enabled,
            "benchmark": benchmark,
            "benchmark_limit": benchmark_limit,
            "deterministic": deterministic,
            "allow_tf32": allow_tf32,
            "fp32_precision": fp32_precision,
        },
    )


def flags(
    enabled: bool = False, benchmark: bool = False, benchmark_limit: int = 10,
    deterministic: bool = False, allow_tf32: bool = True, fp32_precision: str = "none",
) -> Any:  # fmt: skip
    """A block with other settings.

    Args:
        enabled (bool, default False): the setting
        benchmark (bool, default False): the setting
        benchmark_limit (int, default 10): the setting
        deterministic (bool, default False): the setting
        allow_tf32 (bool, default True): the setting
        fp32_precision (str, default "none"): the setting

    Returns:
        the block

    Example:
        >>> with torch.backends.cudnn.flags():
        ...     torch.ones(1)
        tensor([1.])
    """
    return _flags.flags(
        _sys.modules[__name__],
        {
            "enabled": enabled,
            "benchmark": benchmark,
            "benchmark_limit": benchmark_limit,
            "deterministic": deterministic,
            "allow_tf32": allow_tf32,
            "fp32_precision": fp32_precision,
        },
    )


def is_acceptable(tensor: Any) -> bool:
    """Whether cuDNN can work on a tensor.

    Args:
        tensor (Tensor): the tensor

    Returns:
        False

    Example:
        >>> torch.backends.cudnn.is_acceptable(torch.ones(1))
        False
    """
    return False


_lazy.names_what_is_absent(__name__)
