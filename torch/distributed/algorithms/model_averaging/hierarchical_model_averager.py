"""Averages over small groups often, and over larger ones less often."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import torch.distributed as dist
from torch.distributed.algorithms.model_averaging import utils
from torch.distributed.algorithms.model_averaging.averagers import ModelAverager

__all__ = ["HierarchicalModelAverager"]


class HierarchicalModelAverager(ModelAverager):
    """Averages after every so many steps over groups of a size. Where several periods end, over the largest group.

    Args:
        period_group_size_dict (OrderedDict): sizes of groups of neighbouring ranks by periods; both grow, and the last group
            has all processes
        warmup_steps (int, default 0): in which gradients are averaged, so that parameters are equal
        process_group (ProcessGroup, optional): the processes; all by default

    Raises:
        ValueError: there are no periods, sizes or periods do not grow, the last group does not have all processes, or
            warmup_steps is below 0
    """

    def __init__(
        self, period_group_size_dict: OrderedDict[int, int] | None = None, warmup_steps: int = 0, process_group: Any = None
    ) -> None:  # fmt: skip
        super().__init__(process_group)
        sizes = dict(period_group_size_dict or {})
        name, periods, total = type(self).__name__, list(sizes), dist.get_world_size(self.process_group)
        if not sizes or min(periods) < 1:
            raise ValueError(f"{name}: expected sizes of groups by periods above 0, got {sizes}")
        if list(sizes.values())[-1] != total:
            raise ValueError(f"{name}: the last group has {list(sizes.values())[-1]} processes, expected all {total}")
        for (period, size), (later, larger) in zip(sizes.items(), list(sizes.items())[1:]):
            if later <= period or larger <= size:
                raise ValueError(f"{name}: expected periods and sizes that grow, got {sizes}")
        if warmup_steps < 0:
            raise ValueError(f"{name}: expected warmup_steps of at least 0, got {warmup_steps}")
        self.warmup_steps = warmup_steps
        self.period_process_group_dict = {
            period: self.process_group if size == total else self._own_group(size, total) for period, size in sizes.items()
        }

    def _own_group(self, size: int, total: int) -> Any:
        if size < 1 or total % size:
            raise ValueError(f"{type(self).__name__}: groups of {size} do not divide {total} processes")
        ranks = dist.get_process_group_ranks(self.process_group)
        rows = [ranks[start : start + size] for start in range(0, total, size)]
        own = next(row for row in rows if dist.get_rank() in row)
        return dist.new_group(own, use_local_synchronization=True)

    def average_parameters(self, params: Any) -> None:
        """Is called after each step.

        Args:
            params: parameters, or the groups of an optimizer
        """
        if self.step >= self.warmup_steps:
            for period, group in reversed(self.period_process_group_dict.items()):
                if self.step % period == 0:
                    utils.average_parameters_or_parameter_groups(params, group)
                    break
        self.step += 1
