"""Manipulation functions of the array API standard."""

from __future__ import annotations

import torch
from torch import Tensor
from torch._array_api.dtypes import promoted

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence

    Axes = int | tuple[int, ...]


def axes_of(name: str, x: Tensor, axis: Axes | None) -> tuple[int, ...]:
    """The axes meant, counted from the front; all of them for None.

    Raises:
        IndexError: an axis is out of range
        ValueError: an axis stands there twice
    """
    if axis is None:
        return tuple(range(x.ndim))
    axes = []
    for a in (axis,) if isinstance(axis, int) else tuple(axis):
        if not -x.ndim <= a < x.ndim:
            raise IndexError(f"{name}: axis {a} is out of range for a tensor with {x.ndim} dimensions")
        axes.append(a % x.ndim)
    if len(set(axes)) != len(axes):
        raise ValueError(f"{name}: axes {axis} name a dimension twice")
    return tuple(axes)


def broadcast_arrays(*arrays: Tensor) -> tuple[Tensor, ...]:
    """Tensors expanded to one common shape."""
    return tuple(torch.broadcast_tensors(*arrays))


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that shapes broadcast to."""
    try:
        return tuple(torch.broadcast_shapes(*shapes))
    except RuntimeError as error:
        raise ValueError(str(error)) from None


def broadcast_to(x: Tensor, /, shape: tuple[int, ...]) -> Tensor:
    """`x` expanded to a shape."""
    return torch.broadcast_to(x, tuple(shape))


def concat(arrays: Sequence[Tensor], /, *, axis: int | None = 0) -> Tensor:
    """Tensors joined along an existing axis, or flattened and joined for None."""
    arrays = promoted("concat", *arrays)
    if axis is None:
        return torch.cat([x.reshape(-1) for x in arrays])
    return torch.cat(arrays, dim=axis)


def stack(arrays: Sequence[Tensor], /, *, axis: int = 0) -> Tensor:
    """Tensors joined along a new axis."""
    return torch.stack(promoted("stack", *arrays), dim=axis)


def unstack(x: Tensor, /, *, axis: int = 0) -> tuple[Tensor, ...]:
    """The slices of `x` along an axis."""
    return tuple(torch.unbind(x, dim=axis))


def expand_dims(x: Tensor, /, axis: Axes = 0) -> Tensor:
    """`x` with new axes of size 1 at the positions that `axis` names in the result."""
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    ndim = x.ndim + len(axes)
    for a in axes:
        if not -ndim <= a < ndim:
            raise IndexError(f"expand_dims: axis {a} is out of range for a result with {ndim} dimensions")
    places = sorted(a % ndim for a in axes)
    if len(set(places)) != len(places):
        raise ValueError(f"expand_dims: axes {axis} name a dimension twice")
    for a in places:
        x = torch.unsqueeze(x, a)
    return x


def squeeze(x: Tensor, /, axis: Axes) -> Tensor:
    """`x` without the axes named, each of size 1."""
    axes = axes_of("squeeze", x, axis)
    for a in axes:
        if x.shape[a] != 1:
            raise ValueError(f"squeeze: axis {a} has size {x.shape[a]}, not 1")
    return torch.squeeze(x, axes)


def flip(x: Tensor, /, *, axis: Axes | None = None) -> Tensor:
    """`x` in reverse order along axes, all of them for None."""
    return torch.flip(x, axes_of("flip", x, axis))


def moveaxis(x: Tensor, source: Axes, destination: Axes, /) -> Tensor:
    """Axes moved to other positions; the others keep their order."""
    return torch.moveaxis(x, source, destination)


def permute_dims(x: Tensor, /, axes: tuple[int, ...]) -> Tensor:
    """The axes of `x` in another order."""
    return torch.permute(x, tuple(axes))


def repeat(x: Tensor, repeats: int | Tensor, /, *, axis: int | None = None) -> Tensor:
    """Each element repeated, as often as `repeats` says."""
    if isinstance(repeats, Tensor) and repeats.dtype != torch.int32:
        repeats = repeats.to(torch.int64)
    return torch.repeat_interleave(x, repeats, dim=axis)


def reshape(x: Tensor, /, shape: tuple[int, ...], *, copy: bool | None = None) -> Tensor:
    """`x` in another shape: always a copy for True, never for False.

    Raises:
        ValueError: `copy` is False, and the elements cannot be reached without copying
    """
    if copy is False:
        try:
            return x.view(tuple(shape))
        except RuntimeError as error:
            raise ValueError(f"reshape: shape {tuple(shape)} needs a copy: {error}") from None
    return torch.reshape(x.clone() if copy else x, tuple(shape))


def roll(x: Tensor, /, shift: Axes, *, axis: Axes | None = None) -> Tensor:
    """Elements moved along axes; what leaves at one end comes in at the other."""
    if axis is None:
        return torch.roll(x, shift)
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    shifts = (shift,) * len(axes) if isinstance(shift, int) else tuple(shift)
    return torch.roll(x, shifts, axes)


def tile(x: Tensor, repetitions: tuple[int, ...], /) -> Tensor:
    """`x` side by side with itself."""
    return torch.tile(x, tuple(repetitions))
