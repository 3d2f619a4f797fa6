"""Losses: of whole samples in each process, with sums and means over all of them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import torch
from torch.distributed.tensor._dtensor_spec import DTensorSpec
from torch.distributed.tensor._ops import class_parallel
from torch.distributed.tensor._ops.pointwise import elementwise
from torch.distributed.tensor._rules import WHOLE, Call, Strategy, rule
from torch.distributed.tensor.placement_types import Partial, Shard

SUM = Partial("sum")
_NONE, _MEAN, _SUM = 0, 1, 2


def _share(specs: list[DTensorSpec], local: torch.Tensor) -> float:
    whole = math.prod(specs[0].shape)
    return local.numel() / whole if whole else 1.0


def _mean_of_part(func: Any, args: list[Any], kwargs: dict[str, Any], specs: list[DTensorSpec]) -> torch.Tensor:
    """This process's share of a mean over all elements."""
    share = _share(specs, args[0])
    return func(*args, **kwargs) * share if share else args[0].new_zeros(())


def _gradient_of_part(func: Any, args: list[Any], kwargs: dict[str, Any], specs: list[DTensorSpec]) -> torch.Tensor:
    return func(*args, **kwargs) * _share(specs[1:], args[1])


@rule("mse_loss smooth_l1_loss huber_loss binary_cross_entropy binary_cross_entropy_with_logits soft_margin_loss l1_loss")
def elementwise_loss(call: Call) -> Iterator[Strategy]:
    """Any cut; sums of parts, or shares of the mean."""
    index = {"mse_loss": 2, "l1_loss": 2, "soft_margin_loss": 2, "smooth_l1_loss": 2, "huber_loss": 2, "binary_cross_entropy": 3}
    name = call.func._schema.name.removeprefix("aten::")
    reduction = call.arg(index.get(name, 4), "reduction", _MEAN)
    if reduction == _NONE:
        yield from elementwise(call)
        return
    first = call.parts[0]
    if all(p.shape == first.shape for p in call.parts):
        for d in {p.sharded for p in call.parts} - {None}:
            cut = (Shard(d),) * len(call.parts)  # type: ignore[arg-type]
            yield Strategy((SUM,), cut, _mean_of_part if reduction == _MEAN else None)


@rule("mse_loss_backward smooth_l1_loss_backward huber_loss_backward soft_margin_loss_backward")
def elementwise_loss_backward(call: Call) -> Iterator[Strategy]:
    """Any cut; the gradient of a mean is divided by the number of all elements."""
    reduction = call.arg(3, "reduction", _MEAN)
    if reduction == _NONE:
        yield from elementwise(call)
        return
    gradient, given, target = call.parts[:3]
    if given.shape == target.shape and gradient.ndim == 0:
        for d in {given.sharded, target.sharded} - {None}:
            cut = (WHOLE, Shard(d), Shard(d))  # type: ignore[arg-type]
            yield Strategy((cut[1],), cut, _gradient_of_part if reduction == _MEAN else None)


@rule("nll_loss_forward nll_loss2d_forward")
def nll_loss(call: Call) -> Iterator[Strategy]:
    """Samples, or classes."""
    reduction = call.arg(3, "reduction", _MEAN)
    if call.parts[0].ndim < 2:
        return
    samples = (Shard(0), Shard(0), *(WHOLE for _ in call.parts[2:]))
    if reduction == _NONE:
        yield Strategy((Shard(0), WHOLE), samples)
    elif reduction == _SUM:
        yield Strategy((SUM, SUM), samples)
    else:
        yield Strategy((SUM, WHOLE), samples, class_parallel.nll_loss)
    if call.parts[0].ndim == 2:
        yield Strategy((WHOLE, WHOLE), (Shard(1), *(WHOLE for _ in call.parts[1:])), class_parallel.nll_loss)


@rule("nll_loss_backward nll_loss2d_backward")
def nll_loss_backward(call: Call) -> Iterator[Strategy]:
    """Samples, or classes; the gradient of a mean is divided by the weight of all samples, which is an argument."""
    gradient, given = call.parts[:2]
    if given.ndim < 2:
        return
    first = Shard(0) if gradient.ndim else WHOLE
    yield Strategy((Shard(0),), (first, Shard(0), Shard(0), *(WHOLE for _ in call.parts[3:])))
    if given.ndim == 2:
        classes = (WHOLE, Shard(1), *(WHOLE for _ in call.parts[2:]))
        yield Strategy((Shard(1),), classes, class_parallel.nll_loss_backward)
