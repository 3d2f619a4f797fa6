"""Shapes and places of the parts of tensors that are spread over processes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch
from torch.distributed.tensor._counts import note
from torch.distributed.tensor._dtensor_spec import local_shape_and_offset
from torch.distributed.tensor.placement_types import Placement, Shard

if TYPE_CHECKING:
    from torch.distributed.device_mesh import DeviceMesh


def compute_local_shape_and_global_offset(
    global_shape: Sequence[int], mesh: DeviceMesh, placements: Sequence[Placement], skip_offset: bool = False
) -> tuple[tuple[int, ...], tuple[int, ...]]:  # fmt: skip
    """The shape of this process's part, and where it begins in the whole tensor; empty outside of the mesh."""
    if mesh.get_coordinate() is None:
        return (0,), (0,)
    shape, offset = local_shape_and_offset(global_shape, mesh, placements)
    return shape, () if skip_offset else offset


def compute_global_tensor_info(
    tensor: torch.Tensor, mesh: DeviceMesh, placements: Sequence[Placement]
) -> tuple[list[int], list[int]]:  # fmt: skip
    """The shape and the strides of the whole tensor, if all parts are as long as this one."""
    shape, stride = list(tensor.shape), list(tensor.stride())
    for i, p in enumerate(placements):
        if isinstance(p, Shard):
            n, own = mesh.size(i), stride[p.dim]
            shape[p.dim] *= n
            # Dimensions that lie outside of this one are further apart.
            for d in range(len(stride)):
                if d != p.dim and stride[d] >= own:
                    stride[d] *= n
    return shape, stride


def compute_global_tensor_shape(shape: torch.Size, mesh: DeviceMesh, placements: Sequence[Placement]) -> torch.Size:
    """The shape of the whole tensor out of the shapes of the parts, which may differ along one dimension."""
    import torch.distributed as dist

    sizes = list(shape)
    for i, p in enumerate(placements):
        if isinstance(p, Shard):
            total = torch.tensor([sizes[p.dim]], device=mesh.device_type)
            note("all_reduce")
            dist.all_reduce(total, group=mesh.get_group(i))
            sizes[p.dim] = int(total.item())
    return torch.Size(sizes)


def on_device_of(mesh: DeviceMesh, tensor: torch.Tensor) -> torch.Tensor:
    """The tensor on the device of the mesh, the current one of its type; fake and meta tensors stay where they are."""
    if tensor.device.type in (mesh.device_type, "meta"):
        return tensor
    return tensor.to(mesh.device_type)
