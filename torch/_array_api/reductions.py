"""Statistical and utility functions of the array API standard."""

from __future__ import annotations

import torch
from torch import Tensor
from torch._array_api.dtypes import KINDS, is_integral, is_unsigned, promoted
from torch._array_api.manipulation import axes_of

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from torch._array_api.manipulation import Axes


def _sum_dtype(x: Tensor, dtype: torch.dtype | None) -> torch.dtype:
    """The dtype of sums and products: small integers are added in 64 bits."""
    if dtype is not None:
        return dtype
    if is_unsigned(x.dtype):
        return torch.uint64
    return torch.int64 if is_integral(x.dtype) or x.dtype == torch.bool else x.dtype


def sum(x: Tensor, /, *, axis: Axes | None = None, dtype: torch.dtype | None = None, keepdims: bool = False) -> Tensor:
    """Sums along axes, all of them for None."""
    axes, dtype = axes_of("sum", x, axis), _sum_dtype(x, dtype)
    return torch.sum(x, dim=axes, keepdim=keepdims, dtype=dtype) if axes else x.to(dtype, copy=True)


def prod(x: Tensor, /, *, axis: Axes | None = None, dtype: torch.dtype | None = None, keepdims: bool = False) -> Tensor:
    """Products along axes, all of them for None."""
    out = x.to(_sum_dtype(x, dtype), copy=True)
    for a in sorted(axes_of("prod", x, axis), reverse=True):
        out = torch.prod(out, dim=a, keepdim=keepdims, dtype=out.dtype)
    return out


def mean(x: Tensor, /, *, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """Means along axes, all of them for None."""
    axes = axes_of("mean", x, axis)
    return torch.mean(x, dim=axes, keepdim=keepdims) if axes else x.clone()


def _spread(compute, x: Tensor, axis: Axes | None, correction: float, keepdims: bool) -> Tensor:
    axes = axes_of(compute.__name__, x, axis)
    if not axes:
        return torch.zeros_like(x)
    return compute(x, dim=axes, correction=correction, keepdim=keepdims)


def var(x: Tensor, /, *, axis: Axes | None = None, correction: float = 0.0, keepdims: bool = False) -> Tensor:
    """Variances along axes, divided by the count less `correction`."""
    return _spread(torch.var, x, axis, correction, keepdims)


def std(x: Tensor, /, *, axis: Axes | None = None, correction: float = 0.0, keepdims: bool = False) -> Tensor:
    """Standard deviations along axes, with the divisor of `var`."""
    return _spread(torch.std, x, axis, correction, keepdims)


def max(x: Tensor, /, *, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """The largest elements along axes."""
    axes = axes_of("max", x, axis)
    return torch.amax(x, dim=axes, keepdim=keepdims) if axes else x.clone()


def min(x: Tensor, /, *, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """The smallest elements along axes."""
    axes = axes_of("min", x, axis)
    return torch.amin(x, dim=axes, keepdim=keepdims) if axes else x.clone()


def all(x: Tensor, /, *, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """Whether all elements along axes are true."""
    axes, x = axes_of("all", x, axis), x.to(torch.bool)
    return torch.all(x, dim=axes, keepdim=keepdims) if axes else x.clone()


def any(x: Tensor, /, *, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """Whether any element along axes is true."""
    axes, x = axes_of("any", x, axis), x.to(torch.bool)
    return torch.any(x, dim=axes, keepdim=keepdims) if axes else x.clone()


def count_nonzero(x: Tensor, /, *, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """How many elements along axes are not zero, as int64."""
    axes = axes_of("count_nonzero", x, axis)
    counted = (x != 0).to(torch.int64)
    return torch.sum(counted, dim=axes, keepdim=keepdims) if axes else counted


def _cumulative(name: str, compute, initial: int, x: Tensor, axis: int | None, dtype, include_initial: bool) -> Tensor:
    if axis is None:
        if x.ndim > 1:
            raise ValueError(f"{name}: axis must be given for a tensor with {x.ndim} dimensions")
        axis = 0
    if x.ndim == 0:
        x = x.reshape(1)
    axes_of(name, x, axis)
    dtype = _sum_dtype(x, dtype)
    out = compute(x.to(dtype), dim=axis, dtype=dtype)
    if include_initial:
        first = list(x.shape)
        first[axis] = 1
        out = torch.cat([torch.full(first, initial, dtype=dtype, device=x.device), out], dim=axis)
    return out


def cumulative_sum(
    x: Tensor, /, *, axis: int | None = None, dtype: torch.dtype | None = None, include_initial: bool = False
) -> Tensor:
    """Running sums along an axis, after a first 0 if `include_initial`."""
    return _cumulative("cumulative_sum", torch.cumsum, 0, x, axis, dtype, include_initial)


def cumulative_prod(
    x: Tensor, /, *, axis: int | None = None, dtype: torch.dtype | None = None, include_initial: bool = False
) -> Tensor:
    """Running products along an axis, after a first 1 if `include_initial`."""
    return _cumulative("cumulative_prod", torch.cumprod, 1, x, axis, dtype, include_initial)


def diff(x: Tensor, /, *, axis: int = -1, n: int = 1, prepend: Tensor | None = None, append: Tensor | None = None) -> Tensor:
    """Differences of neighbors along an axis, taken `n` times."""
    if x.dtype not in KINDS["numeric"] and x.dtype != torch.bool and not x.dtype.is_floating_point:
        raise TypeError(f"diff: expected a numeric tensor, got {x.dtype}")
    if n < 0:
        raise ValueError(f"diff: n must not be negative, got {n}")
    parts = promoted("diff", *(p for p in (prepend, x, append) if p is not None))
    x = torch.cat(parts, dim=axis) if len(parts) > 1 else parts[0]
    return torch.diff(x, n=n, dim=axis)
