"""Cross entropy of scores whose classes are cut: each process looks at its own classes, and sends one number per sample."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.tensor._counts import note
from torch.distributed.tensor._dtensor_spec import DTensorSpec, local_shape_and_offset
from torch.distributed.tensor.placement_types import Shard

_NONE, _MEAN = 0, 1


def _along(spec: DTensorSpec, dim: int) -> list[int]:
    """The dimensions of the mesh that cut a dimension of the tensor."""
    return [i for i, p in enumerate(spec.placements) if isinstance(p, Shard) and p.dim == dim]


def _all_reduce(x: torch.Tensor, spec: DTensorSpec, dim: int, op: Any = dist.ReduceOp.SUM) -> torch.Tensor:
    for i in _along(spec, dim):
        x = x.contiguous()
        note("all_reduce")
        dist.all_reduce(x, op, spec.mesh.get_group(i))
    return x


def log_softmax(func: Any, args: list[Any], kwargs: dict[str, Any], specs: list[DTensorSpec]) -> torch.Tensor:
    """Of scores that are cut along the dimension."""
    x, dim, to_float = args
    dim %= x.dim()
    x = x.float() if to_float else x
    shape = [1 if d == dim else size for d, size in enumerate(x.shape)]
    maximum = x.amax(dim, keepdim=True) if x.size(dim) else x.new_full(shape, float("-inf"))
    x = x - _all_reduce(maximum, specs[0], dim, dist.ReduceOp.MAX)
    return x - _all_reduce(x.exp().sum(dim, keepdim=True), specs[0], dim).log()


def log_softmax_backward(func: Any, args: list[Any], kwargs: dict[str, Any], specs: list[DTensorSpec]) -> torch.Tensor:
    """The gradient of the scores."""
    gradient, output, dim, dtype = args
    dim %= output.dim()
    total = _all_reduce(gradient.sum(dim, keepdim=True), specs[0], dim)
    return (gradient - output.exp() * total).to(dtype)


def _own_classes(
    x: torch.Tensor, target: torch.Tensor, spec: DTensorSpec, ignore_index: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """The classes counted within this process's part, and which samples have one there."""
    offset = local_shape_and_offset(spec.shape, spec.mesh, spec.placements)[1][1]
    own = target - offset
    inside = (own >= 0) & (own < x.size(1)) & (target != ignore_index)
    return own.masked_fill(~inside, 0).unsqueeze(1), inside


def _weights(target: torch.Tensor, weight: torch.Tensor | None, ignore_index: int, dtype: torch.dtype) -> torch.Tensor:
    """How much each sample counts."""
    counts = target != ignore_index
    return counts.to(dtype) if weight is None else weight[target.masked_fill(~counts, 0)] * counts


def nll_loss(func: Any, args: list[Any], kwargs: dict[str, Any], specs: list[DTensorSpec]) -> tuple[torch.Tensor, torch.Tensor]:
    """The loss, or this process's share of it where samples are cut; and the weight of all samples."""
    x, target, weight, reduction, ignore_index = args
    own, inside = _own_classes(x, target, specs[0], ignore_index)
    found = x.gather(1, own).squeeze(1) if x.size(1) else torch.zeros(target.shape, dtype=x.dtype, device=x.device)
    counts = _weights(target, weight, ignore_index, x.dtype)
    losses = _all_reduce(-found * inside * counts, specs[0], 1)
    total = counts.sum()
    if reduction == _NONE:
        return losses, x.new_zeros(())
    if reduction == _MEAN:
        total = _all_reduce(total, specs[0], 0)
        return losses.sum() / total, total
    return losses.sum(), total


def nll_loss_backward(func: Any, args: list[Any], kwargs: dict[str, Any], specs: list[DTensorSpec]) -> torch.Tensor:
    """The gradient of the logarithms of probabilities."""
    gradient, x, target, weight, reduction, ignore_index, total = args
    own, inside = _own_classes(x, target, specs[1], ignore_index)
    scale = gradient / total if reduction == _MEAN else gradient
    values = (-scale * _weights(target, weight, ignore_index, x.dtype) * inside).to(x.dtype)
    return torch.zeros_like(x).scatter_(1, own, values.unsqueeze(1)) if x.size(1) else torch.zeros_like(x)
