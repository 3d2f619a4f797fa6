"""DTensors of ones, zeros, random numbers: each process makes its part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch.distributed.tensor._api import DTensor, _mesh
from torch.distributed.tensor._dtensor_spec import (
    DTensorSpec,
    TensorMeta,
    contiguous_stride,
    local_shape_and_offset,
    normalize,
)
from torch.distributed.tensor.placement_types import Placement

if TYPE_CHECKING:
    from torch.distributed.device_mesh import DeviceMesh


def _size(size: tuple[Any, ...]) -> torch.Size:
    return torch.Size(size[0] if len(size) == 1 and isinstance(size[0], Sequence) else size)


def _make(
    name: str, make: Callable[..., torch.Tensor], size: tuple[Any, ...], dtype: Any, layout: Any, requires_grad: bool,
    mesh: Any, placements: Any,
) -> DTensor:  # fmt: skip
    if layout is not torch.strided:
        raise ValueError(f"{name}(): expected the layout torch.strided, got {layout}")
    mesh, shape = _mesh(mesh), _size(size)
    places = normalize(placements, mesh, len(shape), name)
    if any(p.is_partial() for p in places):
        raise ValueError(f"{name}(): new tensors are cut or whole, got {places}")
    with torch.device(mesh.device_type):
        local = make(local_shape_and_offset(shape, mesh, places)[0], dtype=dtype)
    meta = TensorMeta(shape, contiguous_stride(shape), local.dtype)
    return DTensor(local, DTensorSpec(mesh, places, meta), requires_grad=requires_grad)


_ARGS = """
    Args:
        size (int...): the shape of the whole tensor{more}
        dtype (dtype, optional): of the elements
        layout (layout, default torch.strided): torch.strided
        requires_grad (bool, default False): whether gradients are computed
        device_mesh (DeviceMesh, optional): the mesh; that of the block around the call by default
        placements (list of Placement, optional): the layout; whole copies by default

    Returns:
        a DTensor

    Example:
        >>> torch.distributed.tensor.{name}.__name__
        '{name}'
    """


def _factory(name: str, what: str) -> Any:
    def factory(
        *size: Any, dtype: torch.dtype | None = None, layout: torch.layout = torch.strided, requires_grad: bool = False,
        device_mesh: DeviceMesh | None = None, placements: Sequence[Placement] | None = None,
    ) -> DTensor:  # fmt: skip
        return _make(name, getattr(torch, name), size, dtype, layout, requires_grad, device_mesh, placements)

    factory.__name__ = factory.__qualname__ = name
    factory.__doc__ = f"A DTensor {what}\n{_ARGS.format(name=name, more='')}"
    return factory


ones = _factory("ones", "of ones.")
zeros = _factory("zeros", "of zeros.")
empty = _factory("empty", "whose elements have no particular values.")
rand = _factory("rand", "of random numbers between 0 and 1; each process draws its part from its own generator.")
randn = _factory("randn", "of normal random numbers; each process draws its part from its own generator.")


def full(
    size: Any, fill_value: Any, *, dtype: torch.dtype | None = None, layout: torch.layout = torch.strided,
    requires_grad: bool = False, device_mesh: DeviceMesh | None = None, placements: Sequence[Placement] | None = None,
) -> DTensor:  # fmt: skip
    """A DTensor of one value."""

    def make(shape: Any, dtype: Any) -> torch.Tensor:
        return torch.full(shape, fill_value, dtype=dtype)

    return _make("full", make, (size,), dtype, layout, requires_grad, device_mesh, placements)


full.__doc__ = f"A DTensor of one value.\n{_ARGS.format(name='full', more=chr(10) + '        fill_value (number): the value')}"
