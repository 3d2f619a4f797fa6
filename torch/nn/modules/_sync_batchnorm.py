"""The sums of SyncBatchNorm over processes, with their gradient."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist


def _per_channel(x: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """A value of each channel, so that it broadcasts over (N, C, ...)."""
    return v.view([1, -1] + [1] * (x.dim() - 2))


class SyncBatchNormFunction(torch.autograd.Function):
    """(result, mean, variance, number of elements per channel) over all processes.

    Means and squared differences of the processes are combined, not plain sums of squares, which would lose digits.
    """

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, weight: Any, bias: Any, eps: float, group: Any) -> Any:
        dims = [d for d in range(x.dim()) if d != 1]
        wide = x.float() if x.dtype in (torch.half, torch.bfloat16) else x
        channels, count = x.size(1), x.numel() // max(x.size(1), 1)
        if count:
            mean = wide.mean(dims)
            squares = (wide - _per_channel(x, mean)).square().sum(dims)
        else:
            mean = squares = wide.new_zeros(channels)
        own = torch.cat([mean, squares, mean.new_full((1,), count)])
        parts = own.new_empty(dist.get_world_size(group), own.numel())
        dist.all_gather_into_tensor(parts, own, group)
        means, squares, counts = parts[:, :channels], parts[:, channels:-1], parts[:, -1:]
        total = counts.sum()
        if total <= 1:
            raise ValueError(f"SyncBatchNorm: expected more than 1 value per channel over all processes, got {int(total.item())}")
        mean = (means * counts).sum(0) / total
        variance = (squares + (means - mean).square() * counts).sum(0) / total
        scale = torch.rsqrt(variance + eps)
        result = (wide - _per_channel(x, mean)) * _per_channel(x, scale)
        if weight is not None:
            result = result * _per_channel(x, weight)
        if bias is not None:
            result = result + _per_channel(x, bias)
        ctx.save_for_backward(x, weight, mean, scale)
        ctx.group, ctx.total, ctx.has_bias = group, total, bias is not None
        ctx.mark_non_differentiable(mean, variance, total)
        return result.to(x.dtype), mean, variance, total

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor, *_: Any) -> Any:
        x, weight, mean, scale = ctx.saved_tensors
        dims = [d for d in range(x.dim()) if d != 1]
        wide, grad = x.to(mean.dtype), grad.to(mean.dtype)
        centered = wide - _per_channel(x, mean)
        own_sum, own_product = grad.sum(dims), (grad * centered).sum(dims)
        both = torch.stack([own_sum, own_product])
        dist.all_reduce(both, group=ctx.group)
        sums, products = both / ctx.total
        inner = grad - _per_channel(x, sums) - centered * _per_channel(x, scale * scale * products)
        factor = scale if weight is None else scale * weight
        return (
            (inner * _per_channel(x, factor)).to(x.dtype), None if weight is None else (own_product * scale).to(weight.dtype),
            own_sum if ctx.has_bias else None, None, None,
        )  # fmt: skip
