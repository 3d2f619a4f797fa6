"""Searching, sorting and indexing functions of the array API standard."""

from __future__ import annotations

import torch
from torch import Tensor
from torch._array_api.dtypes import promoted
from torch._array_api.manipulation import axes_of

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Literal


def argmax(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Where the largest element along an axis is, the first of equal ones."""
    return _first_extreme(torch.argmax, x, axis, keepdims)


def argmin(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Where the smallest element along an axis is, the first of equal ones."""
    return _first_extreme(torch.argmin, x, axis, keepdims)


def _first_extreme(find, x: Tensor, axis: int | None, keepdims: bool) -> Tensor:
    if axis is None:
        out = find(x.reshape(-1), dim=0)
        return out.reshape((1,) * x.ndim) if keepdims else out
    axes_of(find.__name__, x, axis)
    return find(x, dim=axis, keepdim=keepdims)


def argsort(x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """Indices that sort `x` along an axis."""
    return torch.sort(x, dim=axis, descending=descending, stable=stable).indices


def sort(x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """`x` sorted along an axis."""
    return torch.sort(x, dim=axis, descending=descending, stable=stable).values


def nonzero(x: Tensor, /) -> tuple[Tensor, ...]:
    """Indices of the elements that are not zero, one tensor for each dimension."""
    if x.ndim == 0:
        raise ValueError("nonzero: expected a tensor with at least one dimension, got none")
    return tuple(torch.nonzero(x, as_tuple=True))


def searchsorted(
    x1: Tensor, x2: Tensor | float, /, *, side: Literal["left", "right"] = "left", sorter: Tensor | None = None
) -> Tensor:
    """Where the elements of `x2` belong in the sorted vector `x1` (sorted by `sorter`, if that is given)."""
    if side not in ("left", "right"):
        raise ValueError(f"searchsorted: side must be 'left' or 'right', got {side!r}")
    if sorter is not None:
        x1 = torch.take(x1, sorter.to(torch.int64))
    x1, x2 = promoted("searchsorted", x1, x2)
    return torch.searchsorted(x1, x2, side=side)


def take(x: Tensor, indices: Tensor, /, *, axis: int | None = None) -> Tensor:
    """The slices of `x` at `indices` along an axis."""
    if axis is None:
        if x.ndim != 1:
            raise ValueError(f"take: axis must be given for a tensor with {x.ndim} dimensions")
        axis = 0
    (axis,) = axes_of("take", x, axis)
    index = indices.to(torch.int64)
    size = x.shape[axis]
    index = torch.where(index < 0, index + size, index)
    out = torch.index_select(x, axis, index.reshape(-1))
    return out.reshape(*x.shape[:axis], *index.shape, *x.shape[axis + 1 :])


def take_along_axis(x: Tensor, indices: Tensor, /, *, axis: int = -1) -> Tensor:
    """The elements of `x` at `indices` along an axis, lane by lane."""
    return torch.take_along_dim(x, indices.to(torch.int64), dim=axis)


def where(condition: Tensor, x1: Tensor | complex, x2: Tensor | complex, /) -> Tensor:
    """Elements of `x1` where the condition holds, of `x2` elsewhere."""
    x1, x2 = promoted("where", x1, x2)
    return torch.where(condition, x1, x2)
