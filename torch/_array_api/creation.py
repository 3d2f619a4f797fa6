"""Creation functions of the array API standard."""

from __future__ import annotations

import torch
from torch import Tensor

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any, Literal

    Shape = int | tuple[int, ...]


def _sizes(shape: Shape) -> tuple[int, ...]:
    return (shape,) if isinstance(shape, int) else tuple(shape)


def _default_dtype(value: complex) -> torch.dtype | None:
    return torch.bool if isinstance(value, bool) else torch.int64 if isinstance(value, int) else None


def asarray(
    obj: Any, /, *, dtype: torch.dtype | None = None, device: torch.device | str | None = None, copy: bool | None = None
) -> Tensor:
    """A tensor of a number, a nested sequence, a buffer or another array."""
    return torch.asarray(obj, dtype=dtype, device=device, copy=copy)


def from_dlpack(x: Any, /, *, device: torch.device | str | None = None, copy: bool | None = None) -> Tensor:
    """A tensor over the memory of an array of another library."""
    return torch.from_dlpack(x, device=device, copy=copy)


def arange(
    start: float,
    /,
    stop: float | None = None,
    step: float = 1,
    *,
    dtype: torch.dtype | None = None,
    device: torch.device | str | None = None,
) -> Tensor:
    """Numbers from `start` (included) to `stop` (excluded), `step` apart; none where `stop` is behind `start`."""
    if stop is None:
        start, stop = 0, start
    if step == 0:
        raise ValueError("arange: step must not be 0")
    if (step > 0 and stop < start) or (step < 0 and stop > start):
        stop = start
    return torch.arange(start, stop, step, dtype=dtype, device=device)


def linspace(
    start: complex,
    stop: complex,
    /,
    num: int,
    *,
    dtype: torch.dtype | None = None,
    device: torch.device | str | None = None,
    endpoint: bool = True,
) -> Tensor:
    """`num` numbers at equal distances from `start` to `stop`, the last of them `stop` if `endpoint`."""
    if not endpoint:
        return linspace(start, stop, num + 1, dtype=dtype, device=device)[:-1]
    return torch.linspace(start, stop, num, dtype=dtype, device=device)


def empty(shape: Shape, *, dtype: torch.dtype | None = None, device: torch.device | str | None = None) -> Tensor:
    """A tensor with whatever is in memory."""
    return torch.empty(_sizes(shape), dtype=dtype, device=device)


def zeros(shape: Shape, *, dtype: torch.dtype | None = None, device: torch.device | str | None = None) -> Tensor:
    """A tensor of zeros."""
    return torch.zeros(_sizes(shape), dtype=dtype, device=device)


def ones(shape: Shape, *, dtype: torch.dtype | None = None, device: torch.device | str | None = None) -> Tensor:
    """A tensor of ones."""
    return torch.ones(_sizes(shape), dtype=dtype, device=device)


def full(
    shape: Shape, fill_value: complex, *, dtype: torch.dtype | None = None, device: torch.device | str | None = None
) -> Tensor:
    """A tensor that holds one number everywhere."""
    return torch.full(_sizes(shape), fill_value, dtype=dtype or _default_dtype(fill_value), device=device)


def eye(
    n_rows: int,
    n_cols: int | None = None,
    /,
    *,
    k: int = 0,
    dtype: torch.dtype | None = None,
    device: torch.device | str | None = None,
) -> Tensor:
    """A matrix with ones on diagonal `k` and zeros elsewhere."""
    n_cols = n_rows if n_cols is None else n_cols
    out = torch.zeros(n_rows, n_cols, dtype=dtype, device=device)
    if -n_rows < k < n_cols:
        out.diagonal(k).fill_(1)
    return out


def empty_like(x: Tensor, /, *, dtype: torch.dtype | None = None, device: torch.device | str | None = None) -> Tensor:
    """An uninitialized tensor of the shape of `x`."""
    return torch.empty_like(x, dtype=dtype, device=device)


def zeros_like(x: Tensor, /, *, dtype: torch.dtype | None = None, device: torch.device | str | None = None) -> Tensor:
    """Zeros of the shape of `x`."""
    return torch.zeros_like(x, dtype=dtype, device=device)


def ones_like(x: Tensor, /, *, dtype: torch.dtype | None = None, device: torch.device | str | None = None) -> Tensor:
    """Ones of the shape of `x`."""
    return torch.ones_like(x, dtype=dtype, device=device)


def full_like(
    x: Tensor, /, fill_value: complex, *, dtype: torch.dtype | None = None, device: torch.device | str | None = None
) -> Tensor:
    """One number in the shape of `x`."""
    return torch.full_like(x, fill_value, dtype=dtype, device=device)


def tril(x: Tensor, /, *, k: int = 0) -> Tensor:
    """The lower triangle of matrices, up to diagonal `k`."""
    return torch.tril(x, k)


def triu(x: Tensor, /, *, k: int = 0) -> Tensor:
    """The upper triangle of matrices, from diagonal `k`."""
    return torch.triu(x, k)


def meshgrid(*arrays: Tensor, indexing: Literal["xy", "ij"] = "xy") -> tuple[Tensor, ...]:
    """Coordinate matrices of vectors, in Cartesian ("xy") or matrix ("ij") order."""
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid: indexing must be 'xy' or 'ij', got {indexing!r}")
    if len({x.dtype for x in arrays}) > 1:
        raise ValueError("meshgrid: arrays must have one dtype")
    if not arrays:
        return ()
    return tuple(torch.meshgrid(*arrays, indexing=indexing))
