"""Collectives with gradients: what backward does is the opposite message."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from torch.autograd import Function
from torch.distributed import ReduceOp


def _copy(x: torch.Tensor) -> torch.Tensor:
    return x.detach().clone(memory_format=torch.contiguous_format)


class _Broadcast(Function):
    @staticmethod
    def forward(ctx: Any, src: int, group: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.src, ctx.group = src, group
        result = _copy(x)
        dist.broadcast(result, src, group)
        return result

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        total = _copy(grad)
        dist.reduce(total, ctx.src, ReduceOp.SUM, ctx.group)
        return None, None, total if dist.get_rank() == ctx.src else torch.zeros_like(total)


class _Reduce(Function):
    @staticmethod
    def forward(ctx: Any, dst: int, op: Any, group: Any, x: torch.Tensor) -> torch.Tensor:
        if op != ReduceOp.SUM:
            raise NotImplementedError(f"torch.distributed.nn.functional.reduce: only sums have a gradient, got {op}")
        ctx.dst, ctx.group = dst, group
        result = _copy(x)
        dist.reduce(result, dst, op, group)
        return result

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        whole = _copy(grad)
        dist.broadcast(whole, ctx.dst, ctx.group)
        return None, None, None, whole


class _AllReduce(Function):
    @staticmethod
    def forward(ctx: Any, op: Any, group: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.op, ctx.group = op, group
        result = _copy(x)
        dist.all_reduce(result, op, group)
        return result

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        return None, None, _AllReduce.apply(ctx.op, ctx.group, grad)


class _Gather(Function):
    @staticmethod
    def forward(ctx: Any, dst: int, group: Any, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        ctx.dst, ctx.group = dst, group
        parts = [torch.zeros_like(x) for _ in range(dist.get_world_size(group))]
        dist.gather(x.detach().contiguous(), parts if dist.get_rank() == dst else None, dst, group)
        return tuple(parts)

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> Any:
        return None, None, _Scatter.apply(ctx.dst, ctx.group, *grads)


class _Scatter(Function):
    @staticmethod
    def forward(ctx: Any, src: int, group: Any, *parts: torch.Tensor) -> torch.Tensor:
        if len({p.shape for p in parts}) > 1:
            raise ValueError("torch.distributed.nn.functional.scatter: expected tensors of one shape")
        ctx.src, ctx.group = src, group
        result = torch.zeros_like(parts[0])
        dist.scatter(result, [p.detach().contiguous() for p in parts] if dist.get_rank() == src else None, src, group)
        return result

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        return None, None, *_Gather.apply(ctx.src, ctx.group, grad)


class _ReduceScatter(Function):
    @staticmethod
    def forward(ctx: Any, op: Any, group: Any, like: torch.Tensor, *parts: torch.Tensor) -> torch.Tensor:
        if op != ReduceOp.SUM:
            raise NotImplementedError(f"torch.distributed.nn.functional.reduce_scatter: only sums have a gradient, got {op}")
        ctx.group = group
        result = torch.empty_like(like, memory_format=torch.contiguous_format)
        dist.reduce_scatter(result, [p.detach().contiguous() for p in parts], op, group)
        return result

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        return None, None, None, *_AllGather.apply(ctx.group, grad)


class _AllGather(Function):
    @staticmethod
    def forward(ctx: Any, group: Any, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        ctx.group = group
        parts = [torch.empty_like(x, memory_format=torch.contiguous_format) for _ in range(dist.get_world_size(group))]
        dist.all_gather(parts, x.detach().contiguous(), group)
        return tuple(parts)

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> Any:
        own = grads[dist.get_rank(ctx.group)]
        return None, _ReduceScatter.apply(ReduceOp.SUM, ctx.group, own, *grads)


class _AllToAll(Function):
    @staticmethod
    def forward(ctx: Any, group: Any, outputs: list[torch.Tensor], *parts: torch.Tensor) -> tuple[torch.Tensor, ...]:
        ctx.group, ctx.shapes = group, [p.shape for p in parts]
        received = [torch.empty_like(t, memory_format=torch.contiguous_format) for t in outputs]
        dist.all_to_all(received, [p.detach().contiguous() for p in parts], group)
        return tuple(received)

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> Any:
        outputs = [grads[0].new_empty(shape) for shape in ctx.shapes]
        return None, None, *_AllToAll.apply(ctx.group, outputs, *grads)


class _AllToAllSingle(Function):
    @staticmethod
    def forward(ctx: Any, group: Any, output: torch.Tensor, received: Any, sent: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.group, ctx.shape, ctx.received, ctx.sent = group, x.shape, received, sent
        result = torch.empty_like(output, memory_format=torch.contiguous_format)
        dist.all_to_all_single(result, x.detach().contiguous(), received, sent, group)
        return result

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        output = grad.new_empty(ctx.shape)
        return None, None, None, None, _AllToAllSingle.apply(ctx.group, output, ctx.sent, ctx.received, grad)


class _AllGatherBase(Function):
    @staticmethod
    def forward(ctx: Any, output: torch.Tensor, x: torch.Tensor, group: Any) -> torch.Tensor:
        ctx.group = group
        dist.all_gather_into_tensor(output, x.detach().contiguous(), group)
        ctx.mark_dirty(output)
        return output

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        size = dist.get_world_size(ctx.group)
        if grad.size(0) % size:
            raise RuntimeError(f"all_gather: {grad.size(0)} rows are no multiple of the {size} ranks")
        part = grad.new_empty((grad.size(0) // size, *grad.shape[1:]))
        dist.reduce_scatter_tensor(part, grad.contiguous(), ReduceOp.SUM, ctx.group)
        return None, part, None


def broadcast(tensor: torch.Tensor, src: int, group: Any = None) -> torch.Tensor:
    """The tensor of rank `src`; its gradient is the sum of those of all ranks."""
    return _Broadcast.apply(src, group, tensor)


def gather(tensor: torch.Tensor, dst: int = 0, group: Any = None) -> tuple[torch.Tensor, ...]:
    """The tensors of all ranks on rank `dst`, zeros on others."""
    return _Gather.apply(dst, group, tensor)


def scatter(tensors: list[torch.Tensor], src: int = 0, group: Any = None) -> torch.Tensor:
    """This rank's tensor out of those of rank `src`."""
    return _Scatter.apply(src, group, *tensors)


def reduce(tensor: torch.Tensor, dst: int, op: Any = ReduceOp.SUM, group: Any = None) -> torch.Tensor:
    """The sum of all ranks' tensors on rank `dst`."""
    return _Reduce.apply(dst, op, group, tensor)


def reduce_scatter(output: torch.Tensor, input_list: list[torch.Tensor], op: Any = ReduceOp.SUM, group: Any = None
                   ) -> torch.Tensor:  # fmt: skip
    """This rank's part of the sum of all ranks' lists; `output` tells the shape."""
    return _ReduceScatter.apply(op, group, output, *input_list)


def all_gather(tensor: torch.Tensor, group: Any = None) -> tuple[torch.Tensor, ...]:
    """The tensors of all ranks."""
    return _AllGather.apply(group, tensor)


def _all_gather_base(output_tensor: torch.Tensor, input_tensor: torch.Tensor, group: Any = None) -> torch.Tensor:
    """The tensors of all ranks, one after another in `output_tensor`."""
    return _AllGatherBase.apply(output_tensor, input_tensor, group)


def all_to_all(output_tensor_list: list[torch.Tensor], input_tensor_list: list[torch.Tensor], group: Any = None
               ) -> tuple[torch.Tensor, ...]:  # fmt: skip
    """What each rank sends to this one; `output_tensor_list` tells the shapes."""
    return _AllToAll.apply(group, output_tensor_list, *input_tensor_list)


def all_to_all_single(
    output: torch.Tensor, input: torch.Tensor, output_split_sizes: list[int] | None = None,
    input_split_sizes: list[int] | None = None, group: Any = None,
) -> torch.Tensor:  # fmt: skip
    """The rows that each rank sends to this one; `output` tells the shape."""
    return _AllToAllSingle.apply(group, output, output_split_sizes, input_split_sizes, input)


def all_reduce(tensor: torch.Tensor, op: Any = ReduceOp.SUM, group: Any = None) -> torch.Tensor:
    """The reduction of all ranks' tensors, whose gradient is reduced in the same way."""
    return _AllReduce.apply(op, group, tensor)
