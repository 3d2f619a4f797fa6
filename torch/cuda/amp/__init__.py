"""The old names of torch.amp, for CUDA. Without a GPU both disable themselves."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import torch
from torch._lazy import names_what_is_absent
from torch.amp import autocast as _autocast
from torch.amp import custom_bwd as _custom_bwd
from torch.amp import custom_fwd as _custom_fwd
from torch.amp.grad_scaler import GradScaler as _GradScaler

__all__ = ["amp_definitely_not_available", "autocast", "custom_bwd", "custom_fwd", "GradScaler"]


def _warn_of_old_name(name: str) -> None:
    warnings.warn(
        f"`torch.cuda.amp.{name}(args...)` is deprecated. Please use `torch.amp.{name}('cuda', args...)` instead.",
        FutureWarning,
        stacklevel=3,
    )


def amp_definitely_not_available() -> bool:
    """True where there is no GPU."""
    return not torch.cuda.is_available()


class autocast(_autocast):
    """`torch.amp.autocast("cuda", ...)`."""

    def __init__(self, enabled: bool = True, dtype: torch.dtype = torch.float16, cache_enabled: bool = True) -> None:
        _warn_of_old_name("autocast")
        super().__init__("cuda", dtype=dtype, enabled=enabled, cache_enabled=cache_enabled)


class GradScaler(_GradScaler):
    """`torch.amp.GradScaler("cuda", ...)`."""

    def __init__(
        self,
        init_scale: float = 65536.0,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        _warn_of_old_name("GradScaler")
        super().__init__("cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled)


def custom_fwd(fwd: Callable[..., Any] | None = None, *, cast_inputs: torch.dtype | None = None) -> Callable[..., Any]:
    """`torch.amp.custom_fwd(..., device_type="cuda")`."""
    _warn_of_old_name("custom_fwd")
    return _custom_fwd(fwd, device_type="cuda", cast_inputs=cast_inputs)


def custom_bwd(bwd: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """`torch.amp.custom_bwd(..., device_type="cuda")`."""
    _warn_of_old_name("custom_bwd")
    return _custom_bwd(bwd, device_type="cuda")


names_what_is_absent(__name__)
