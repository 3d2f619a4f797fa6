"""When parameters are averaged."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import torch.distributed as dist
from torch.distributed.algorithms.model_averaging import utils

__all__ = ["ModelAverager", "PeriodicModelAverager"]


class ModelAverager(ABC):
    """What averages parameters.

    Args:
        process_group (ProcessGroup, optional): the processes; all by default
    """

    def __init__(self, process_group: Any = None) -> None:
        self.process_group = process_group if process_group is not None else dist.group.WORLD
        self.step = 0

    @abstractmethod
    def average_parameters(self, params: Any) -> None:
        """Is called after each step.

        Args:
            params: parameters, or the groups of an optimizer
        """


class PeriodicModelAverager(ModelAverager):
    """Averages after every `period` steps, from step `warmup_steps` on.

    Args:
        period (int): how many
        warmup_steps (int, default 0): in which gradients are averaged, so that parameters are equal
        process_group (ProcessGroup, optional): the processes; all by default

    Raises:
        ValueError: a period below 1, or warmup_steps below 0
    """

    def __init__(self, period: int, warmup_steps: int = 0, process_group: Any = None) -> None:
        super().__init__(process_group)
        if warmup_steps < 0 or period < 1:
            raise ValueError(f"PeriodicModelAverager: expected warmup_steps >= 0, period >= 1; got {warmup_steps}, {period}")
        self.period, self.warmup_steps = period, warmup_steps

    def average_parameters(self, params: Any) -> None:
        if self.step >= self.warmup_steps and (self.step - self.warmup_steps) % self.period == 0:
            utils.average_parameters_or_parameter_groups(params, self.process_group)
        self.step += 1
