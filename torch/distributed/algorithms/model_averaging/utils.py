"""Averages of tensors over processes, in one message."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

import torch
import torch.distributed as dist


def average_parameters(params: Iterable[torch.Tensor], process_group: Any) -> None:
    """Replaces tensors by their averages over all processes."""
    by_dtype: dict[torch.dtype, list[torch.Tensor]] = {}
    for p in params:
        by_dtype.setdefault(p.dtype, []).append(p.detach())
    with torch.no_grad():
        for tensors in by_dtype.values():
            joined = torch.cat([t.reshape(-1) for t in tensors])
            joined /= dist.get_world_size(process_group)
            dist.all_reduce(joined, group=process_group)
            for t, part in zip(tensors, joined.split([t.numel() for t in tensors])):
                t.copy_(part.view_as(t))


def get_params_to_average(params: Iterable[Any]) -> list[torch.Tensor]:
    """The tensors that have gradients, out of tensors or groups of an optimizer."""
    found = []
    for p in params:
        tensors = p["params"] if isinstance(p, dict) else [p]
        found += [t for t in tensors if t.grad is not None]
    return found


def average_parameters_or_parameter_groups(params: Any, process_group: Any) -> None:
    """Replaces parameters, or those of an optimizer's groups, by their averages."""
    average_parameters(itertools.chain(get_params_to_average(params)), process_group)
