"""input_reshard: what a module keeps for backward is cut over processes that have the same, and gathered again there."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import _collectives
from torch.distributed.tensor._api import DTensor
from torch.distributed.tensor.placement_types import Replicate, Shard

__all__ = ["input_reshard"]


class _Part(NamedTuple):
    """This process's part of a tensor, the dimension that is cut, and its length."""

    tensor: torch.Tensor
    dim: int
    size: int


class _Whole(NamedTuple):
    """A DTensor that is cut, and was in whole copies."""

    tensor: DTensor


def input_reshard(module: nn.Module, tp_device_mesh: DeviceMesh, input_reshard_dim: int | None = None) -> nn.Module:
    """Makes a module keep for backward only this process's part of tensors that are the same in all processes.

    Use it with tensor parallelism, where all processes have the same inputs: plain tensors count as such, and DTensors in whole
    copies. Parts inside of the module must be DTensors, as with ColwiseParallel(use_local_output=False): as plain tensors they
    would get wrong gradients. It saves memory for one more message per tensor in backward.

    Args:
        module (Module): the module
        tp_device_mesh (DeviceMesh): the processes, 1 dimension
        input_reshard_dim (int, optional): the dimension along which tensors are cut; None changes nothing

    Returns:
        the module

    Raises:
        TypeError: `tp_device_mesh` is no mesh
        ValueError: a mesh of more dimensions

    Example:
        >>> torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1)
        >>> from torch.distributed.tensor.parallel.input_reshard import input_reshard
        >>> model = input_reshard(torch.nn.Linear(2, 1), torch.distributed.init_device_mesh("cpu", (1,)), 0)
        >>> model(torch.ones(3, 2)).sum().backward()
        >>> model.weight.grad
        tensor([[3., 3.]])
        >>> torch.distributed.destroy_process_group()
    """
    if not isinstance(tp_device_mesh, DeviceMesh):
        raise TypeError(f"input_reshard(): expected a DeviceMesh as tp_device_mesh, got {type(tp_device_mesh).__name__}")
    if tp_device_mesh.ndim != 1:
        raise ValueError(f"input_reshard(): expected a mesh of 1 dimension, got {tp_device_mesh}")
    if input_reshard_dim is None:
        return module
    mesh = tp_device_mesh

    def pack(x: torch.Tensor) -> Any:
        if not -x.dim() <= input_reshard_dim < x.dim():
            return x
        dim = input_reshard_dim % x.dim()
        if isinstance(x, DTensor):
            is_whole = x.device_mesh == mesh and x.placements[0].is_replicate()
            return _Whole(x.redistribute(mesh, [Shard(dim)])) if is_whole else x
        is_parameter = isinstance(x, nn.Parameter) or isinstance(x._base, nn.Parameter)  # which stays whole anyway
        if is_parameter or x.size(dim) < mesh.size():
            return x
        return _Part(_collectives.cut(x, mesh, 0, dim, mesh.get_local_rank()), dim, x.size(dim))

    def unpack(kept: Any) -> torch.Tensor:
        if isinstance(kept, _Part):
            return _collectives.gather(kept.tensor, mesh, 0, kept.dim, kept.size)
        if isinstance(kept, _Whole):
            return kept.tensor.redistribute(mesh, [Replicate()])
        return kept  # type: ignore[no-any-return]

    blocks: list[Any] = []

    def before(module: nn.Module, inputs: Any) -> None:
        blocks.append(torch.autograd.graph.saved_tensors_hooks(pack, unpack))
        blocks[-1].__enter__()

    def after(module: nn.Module, inputs: Any, output: Any) -> None:
        if blocks:
            blocks.pop().__exit__()

    module.register_forward_pre_hook(before)
    module.register_forward_hook(after, always_call=True)
    return module
