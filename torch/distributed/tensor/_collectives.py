"""The messages behind a change of layout, each along one dimension of a mesh. Parts may have different lengths."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
import torch.distributed as dist
from torch.distributed.tensor._counts import note
from torch.distributed.tensor.placement_types import Partial, _NormPartial, chunk_range

if TYPE_CHECKING:
    from torch.distributed.device_mesh import DeviceMesh


def _sizes(size: int, n: int) -> list[int]:
    ranges = [chunk_range(size, n, k) for k in range(n)]
    return [end - start for start, end in ranges]


def _pad(x: torch.Tensor, dim: int, size: int) -> torch.Tensor:
    """The contiguous tensor with zeros at its end, to `size` along `dim`."""
    if x.size(dim) == size:
        return x.contiguous()
    shape = list(x.shape)
    shape[dim] = size
    padded = x.new_zeros(shape)
    padded.narrow(dim, 0, x.size(dim)).copy_(x)
    return padded


def gather(local: torch.Tensor, mesh: DeviceMesh, i: int, dim: int, size: int) -> torch.Tensor:
    """All parts along `dim`, which has `size` elements together."""
    n = mesh.size(i)
    if n == 1:
        return local
    sizes = _sizes(size, n)
    own = _pad(local, dim, sizes[0])
    joined = own.new_empty((n * own.size(0), *own.shape[1:])) if own.dim() else own.new_empty(n)
    note("all_gather_into_tensor")
    dist.all_gather_into_tensor(joined, own, mesh.get_group(i))
    if dim == 0:
        return joined if sizes[-1] == sizes[0] else joined.narrow(0, 0, size).clone()
    return torch.cat([part.narrow(dim, 0, k) for part, k in zip(joined.chunk(n), sizes)], dim)


def cut(whole: torch.Tensor, mesh: DeviceMesh, i: int, dim: int, index: int) -> torch.Tensor:
    """This process's part of what all have."""
    start, end = chunk_range(whole.size(dim), mesh.size(i), index)
    return whole.narrow(dim, start, end - start).clone(memory_format=torch.contiguous_format)


def _op(op: str) -> dist.ReduceOp:
    return getattr(dist.ReduceOp, op.upper())


def reduce(local: torch.Tensor, mesh: DeviceMesh, i: int, placement: Partial) -> torch.Tensor:
    """The reduction of what the processes have."""
    if mesh.size(i) == 1:
        return local
    if isinstance(placement, _NormPartial):
        return _reduce_norms(local, mesh, i, placement.norm_type)
    whole = local.clone(memory_format=torch.contiguous_format)
    note("all_reduce")
    dist.all_reduce(whole, _op(placement.reduce_op), mesh.get_group(i))
    return whole


def _reduce_norms(local: torch.Tensor, mesh: DeviceMesh, i: int, p: float) -> torch.Tensor:
    if p in (float("inf"), float("-inf")):
        whole = local.clone()
        note("all_reduce")
        dist.all_reduce(whole, dist.ReduceOp.MAX if p > 0 else dist.ReduceOp.MIN, mesh.get_group(i))
        return whole
    whole = local.clone() if p in (0, 1) else local**p
    note("all_reduce")
    dist.all_reduce(whole, dist.ReduceOp.SUM, mesh.get_group(i))
    return whole if p in (0, 1) else whole ** (1 / p)


def reduce_and_cut(local: torch.Tensor, mesh: DeviceMesh, i: int, placement: Partial, dim: int, index: int) -> torch.Tensor:
    """This process's part of the reduction."""
    n, size = mesh.size(i), local.size(dim)
    if n == 1 or isinstance(placement, _NormPartial):
        return cut(reduce(local, mesh, i, placement), mesh, i, dim, index)
    sizes = _sizes(size, n)
    given = _pad(local, dim, sizes[0] * n)
    if dim != 0:
        given = torch.cat(given.chunk(n, dim))
    part = given.new_empty((given.size(0) // n, *given.shape[1:]))
    note("reduce_scatter_tensor")
    dist.reduce_scatter_tensor(part, given, _op(placement.reduce_op), mesh.get_group(i))
    return part if sizes[index] == sizes[0] else part.narrow(dim, 0, sizes[index]).clone()


def exchange(local: torch.Tensor, mesh: DeviceMesh, i: int, old: int, new: int, size: int) -> torch.Tensor:
    """The part along dimension `new`, out of parts along `old`, which has `size` elements together."""
    n = mesh.size(i)
    if n == 1:
        return local
    index = mesh.get_local_rank(i)
    old_sizes, new_sizes = _sizes(size, n), _sizes(local.size(new), n)
    sent = [part.contiguous() for part in local.split(new_sizes, new)]
    received = []
    for length in old_sizes:
        shape = list(local.shape)
        shape[old], shape[new] = length, new_sizes[index]
        received.append(local.new_empty(shape))
    note("all_to_all_single")
    dist.all_to_all(received, sent, mesh.get_group(i))
    return torch.cat(received, old)


def as_partial(whole: torch.Tensor, mesh: DeviceMesh, i: int, placement: Partial) -> torch.Tensor:
    """What this process adds to the reduction so that it gives what all have."""
    if placement.reduce_op == "sum" and mesh.get_local_rank(i) != 0:
        return torch.zeros_like(whole)
    if placement.reduce_op == "product" and mesh.get_local_rank(i) != 0:
        return torch.ones_like(whole)
    return whole


def send_parts(whole: torch.Tensor, mesh: DeviceMesh, i: int, dim: int, src: int) -> torch.Tensor:
    """This process's part of what the process `src` along the dimension of the mesh has."""
    n = mesh.size(i)
    index = mesh.get_local_rank(i)
    sizes = _sizes(whole.size(dim), n)
    if n == 1:
        return whole
    shape = list(whole.shape)
    shape[dim] = sizes[0]
    part = whole.new_empty(shape)
    parts = None
    if index == src:
        parts = [_pad(x, dim, sizes[0]) for x in whole.split(sizes, dim)]
    note("scatter")
    dist.scatter(part, parts, group=mesh.get_group(i), group_src=src)
    return part if sizes[index] == sizes[0] else part.narrow(dim, 0, sizes[index]).clone()


def send_whole(whole: torch.Tensor, mesh: DeviceMesh, i: int, src: int) -> torch.Tensor:
    """What the process `src` along the dimension of the mesh has."""
    if mesh.size(i) == 1:
        return whole
    copy = whole.detach().clone(memory_format=torch.contiguous_format)
    note("broadcast")
    dist.broadcast(copy, group=mesh.get_group(i), group_src=src)
    return copy
