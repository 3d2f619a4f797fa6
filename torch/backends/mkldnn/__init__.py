"""oneDNN, which does the convolutions."""

from __future__ import annotations

import sys as _sys
from types import ModuleType as _ModuleType
from typing import Any

from torch import _C, _lazy
from torch.backends import _flags, _precision

deterministic, allow_tf32 = False, None
matmul, conv, rnn = (_flags.Precision("mkldnn", operation) for operation in ("matmul", "conv", "rnn"))


class _Settings(_ModuleType):
    """This module: fp32_precision is that of all operations of oneDNN; kernels of our own are used unless it is enabled."""

    @property
    def enabled(self) -> bool:
        """Whether convolutions and products may use oneDNN."""
        return _C._get_mkldnn_enabled()

    @enabled.setter
    def enabled(self, value: bool) -> None:
        _C._set_mkldnn_enabled(value)

    @property
    def fp32_precision(self) -> str:
        """One of "none", "ieee", "tf32" and "bf16"."""
        return _precision.of("mkldnn", "all")

    @fp32_precision.setter
    def fp32_precision(self, value: str) -> None:
        _precision.set_precision("mkldnn", "all", value)


_sys.modules[__name__].__class__ = _Settings


def is_acl_available() -> bool:
    """Whether oneDNN uses Arm's Compute Library.

    Returns:
        False

    Example:
        >>> torch.backends.mkldnn.is_acl_available()
        False
    """
    return False


def is_available() -> bool:
    """Whether this library was built with oneDNN.

    Returns:
        whether it was

    Example:
        >>> torch.backends.mkldnn.is_available() in (True, False)
        True
    """
    return _C._has_mkldnn


def set_flags(
    enabled: bool | None = None, deterministic: bool | None = None,
    allow_tf32: bool | None = None, fp32_precision: str | None = None,
) -> tuple[Any, ...]:  # fmt: skip
    """Change settings; None leaves one as it is.

    Args:
        enabled (bool, optional): the setting
        deterministic (bool, optional): the setting
        allow_tf32 (bool, optional): the setting
        fp32_precision (str, optional): the setting

    Returns:
        all of them as they were

    Example:
        >>> before = torch.backends.mkldnn.set_flags()
    """
    return _flags.set_flags(
        _sys.modules[__name__],
        {"enabled": enabled, "deterministic": deterministic, "allow_tf32": allow_tf32, "fp32_precision": fp32_precision},
    )


def flags(
    enabled: bool = False, deterministic: bool = False,
    allow_tf32: bool = True, fp32_precision: str = "none",
) -> Any:  # fmt: skip
    """A block with other settings.

    Args:
        enabled (bool, default False): the setting
        deterministic (bool, default False): the setting
        allow_tf32 (bool, default True): the setting
        fp32_precision (str, default "none"): the setting

    Returns:
        the block

    Example:
        >>> with torch.backends.mkldnn.flags():
        ...     torch.ones(1)
        tensor([1.])
    """
    return _flags.flags(
        _sys.modules[__name__],
        {"enabled": enabled, "deterministic": deterministic, "allow_tf32": allow_tf32, "fp32_precision": fp32_precision},
    )


_lazy.names_what_is_absent(__name__)
