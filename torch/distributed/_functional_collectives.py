"""Collectives that give new tensors and change none. A result is complete when the function returns it."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from torch.distributed._not_there import not_there as _not_there

_missing = _not_there(__name__, globals())
_missing.refused_classes("AsyncCollectiveTensor")
_missing.refuses("permute_tensor")


def wait_tensor(tensor: torch.Tensor) -> torch.Tensor:
    """The result of a collective, once it is complete."""
    return tensor


def _group(group: Any) -> Any:
    if group is None or isinstance(group, dist.ProcessGroup):
        return group
    raise TypeError(f"functional collectives: expected a process group, got {type(group).__name__}")


def _op(name: str) -> Any:
    op = getattr(dist.ReduceOp, str(name).upper(), None)
    if op is None:
        raise ValueError(f"functional collectives: unknown reduction {name!r}")
    return op


def all_reduce(self: torch.Tensor, reduceOp: str, group: Any, tag: str = "") -> torch.Tensor:
    """The reduction of all ranks' tensors, on each of them."""
    result = self.detach().clone(memory_format=torch.contiguous_format)
    dist.all_reduce(result, _op(reduceOp), _group(group))
    return result


def broadcast(self: torch.Tensor, src: int, group: Any, tag: str = "") -> torch.Tensor:
    """The tensor of the rank `src`, a global number."""
    result = self.detach().clone(memory_format=torch.contiguous_format)
    dist.broadcast(result, src, _group(group))
    return result


def all_gather_tensor(self: torch.Tensor, gather_dim: int, group: Any, tag: str = "") -> torch.Tensor:
    """All ranks' tensors, one after another along a dimension."""
    size = dist.get_world_size(_group(group))
    result = self.new_empty((self.shape[0] * size, *self.shape[1:]))
    dist.all_gather_into_tensor(result, self.detach().contiguous(), _group(group))
    return result if gather_dim == 0 else torch.cat(result.chunk(size), gather_dim)


def reduce_scatter_tensor(
    self: torch.Tensor, reduceOp: str, scatter_dim: int, group: Any, tag: str = ""
) -> torch.Tensor:  # fmt: skip
    """The reduction of all ranks' tensors, of which each rank gets its part along a dimension."""
    size = dist.get_world_size(_group(group))
    if self.shape[scatter_dim] % size:
        raise ValueError(f"reduce_scatter_tensor: {self.shape[scatter_dim]} is no multiple of the {size} ranks of the group")
    given = self.detach() if scatter_dim == 0 else torch.cat(self.detach().chunk(size, scatter_dim))
    result = given.new_empty((given.shape[0] // size, *given.shape[1:]))
    dist.reduce_scatter_tensor(result, given.contiguous(), _op(reduceOp), _group(group))
    return result


def all_to_all_single(
    self: torch.Tensor, output_split_sizes: Any, input_split_sizes: Any, group: Any, tag: str = ""
) -> torch.Tensor:
    """Sends each rank its rows, and gives those that came from each rank. Without sizes all ranks get equally many."""
    rows = self.shape[0] if output_split_sizes is None else sum(output_split_sizes)
    result = self.new_empty((rows, *self.shape[1:]))
    dist.all_to_all_single(result, self.detach().contiguous(), output_split_sizes, input_split_sizes, _group(group))
    return result


class _AllGather(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, self: torch.Tensor, dim: int, group: Any) -> torch.Tensor:
        ctx.dim, ctx.group = dim, group
        return all_gather_tensor(self, dim, group)

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        return reduce_scatter_tensor(grad, "sum", ctx.dim, ctx.group), None, None


class _ReduceScatter(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, self: torch.Tensor, op: str, dim: int, group: Any) -> torch.Tensor:
        if str(op).lower() != "sum":
            raise ValueError(f"reduce_scatter_tensor_autograd: only sums have a gradient, got {op!r}")
        ctx.dim, ctx.group = dim, group
        return reduce_scatter_tensor(self, op, dim, group)

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        return all_gather_tensor(grad, ctx.dim, ctx.group), None, None, None


class _AllToAll(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, self: torch.Tensor, received: Any, sent: Any, group: Any) -> torch.Tensor:
        ctx.received, ctx.sent, ctx.group = received, sent, group
        return all_to_all_single(self, received, sent, group)

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        return all_to_all_single(grad, ctx.sent, ctx.received, ctx.group), None, None, None


def all_gather_tensor_autograd(self: torch.Tensor, gather_dim: int, group: Any, tag: str = "") -> torch.Tensor:
    """`all_gather_tensor` with a gradient: the sum of what reached this rank's part on all ranks."""
    return _AllGather.apply(self, gather_dim, group)


def reduce_scatter_tensor_autograd(
    self: torch.Tensor, reduceOp: str, scatter_dim: int, group: Any, tag: str = ""
) -> torch.Tensor:  # fmt: skip
    """`reduce_scatter_tensor` of sums, with a gradient."""
    return _ReduceScatter.apply(self, reduceOp, scatter_dim, group)


def all_to_all_single_autograd(
    self: torch.Tensor, output_split_sizes: Any, input_split_sizes: Any, group: Any, tag: str = ""
) -> torch.Tensor:  # fmt: skip
    """`all_to_all_single` with a gradient, which goes back to the ranks that the rows came from."""
    return _AllToAll.apply(self, output_split_sizes, input_split_sizes, group)
