"""Settings of cuDNN, which computes convolutions on GPUs; of no effect on a CPU."""

from __future__ import annotations

import sys as _sys
from types import ModuleType as _ModuleType
from typing import Any

import torch
from torch import _C, _lazy
from torch.backends import _flags, _precision

enabled, benchmark, deterministic, benchmark_limit = True, False, False, 10
conv, rnn = _flags.Precision("cuda", "conv"), _flags.Precision("cuda", "rnn")


class _Settings(_ModuleType):
    """This module: the kernels are told what is set."""

    @property
    def allow_tf32(self) -> bool:
        """Whether convolutions and recurrent layers in float32 may round to TF32."""
        return _precision.allows_tf32_cudnn()

    @property
    def fp32_precision(self) -> str:
        """The precision of all of cuDNN: "ieee", "tf32", or "none" where nobody said."""
        return _precision.of("cuda", "all")

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("enabled", "benchmark", "deterministic", "allow_tf32") and not isinstance(value, bool):
            raise RuntimeError(f"torch.backends.cudnn.{name} expects a bool, but got {type(value).__name__}")
        if name == "allow_tf32":
            _precision.allow_tf32_cudnn(value)
        elif name == "fp32_precision":
            _precision.set_precision("cuda", "all", value)
        elif name == "benchmark_limit" and not (value is None or type(value) is int and value >= 0):
            raise RuntimeError(f"torch.backends.cudnn.benchmark_limit expects an int that is not negative, but got {value!r}")
        else:
            super().__setattr__(name, value)
            if name in ("enabled", "benchmark", "benchmark_limit", "deterministic"):
                m = _sys.modules[__name__]
                _C._set_cudnn_settings(m.enabled, m.benchmark, m.benchmark_limit or 0, m.deterministic)


_sys.modules[__name__].__class__ = _Settings


def is_available() -> bool:
    """Whether cuDNN is there.

    Returns:
        whether this library was built with CUDA, and finds cuDNN

    Example:
        >>> torch.backends.cudnn.is_available() == (torch.backends.cudnn.version() is not None)
        True
    """
    return version() is not None


def version() -> int | None:
    """The version of cuDNN.

    Returns:
        10000 times the major one, and 100 times the minor one; None if it is not there

    Example:
        >>> torch.backends.cudnn.version() is None or torch.backends.cudnn.version() >= 90000
        True
    """
    if not torch.cuda._is_compiled():
        return None
    from torch.cuda._runtime import extension

    return extension().cudnn_version()


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
        whether it is on a GPU, of a floating-point type, and cuDNN is there and switched on

    Example:
        >>> torch.backends.cudnn.is_acceptable(torch.ones(1))
        False
    """
    return enabled and tensor.is_cuda and tensor.is_floating_point() and is_available()


_lazy.names_what_is_absent(__name__)
