"""Steps, powers and lines."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter

from torch.optim.lr_scheduler._base import LRScheduler

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from torch.optim.optimizer import Optimizer


class StepLR(LRScheduler):
    """The rate times `gamma` every `step_size` epochs.

    Args:
        optimizer (Optimizer): the optimizer whose rates are set
        step_size (int): epochs between two reductions
        gamma (float, default 0.1): the factor
        last_epoch (int, default -1): number of the last epoch when a run is taken up again; -1: start anew

    Example:
        >>> optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=1.0)
        >>> schedule = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2)
        >>> for _ in range(4):
        ...     optimizer.step()
        ...     schedule.step()
        ...     print(round(schedule.get_last_lr()[0], 4))
        1.0
        0.1
        0.1
        0.01
    """

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        if self.last_epoch == 0 or self.last_epoch % self.step_size != 0:
            return self._present()
        return [value * self.gamma for value in self._present()]

    def _get_closed_form_lr(self) -> list[Any]:
        return [base * self.gamma ** (self.last_epoch // self.step_size) for base in self.base_lrs]


class MultiStepLR(LRScheduler):
    """The rate times `gamma` at each of the milestones.

    Args:
        optimizer (Optimizer): the optimizer whose rates are set
        milestones (Iterable[int]): epochs, in increasing order
        gamma (float, default 0.1): the factor
        last_epoch (int, default -1): number of the last epoch when a run is taken up again; -1: start anew

    Example:
        >>> optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=1.0)
        >>> schedule = torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[1, 3])
        >>> for _ in range(4):
        ...     optimizer.step()
        ...     schedule.step()
        ...     print(round(schedule.get_last_lr()[0], 4))
        0.1
        0.1
        0.01
        0.01
    """

    def __init__(self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.milestones, self.gamma = Counter(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        times = self.milestones[self.last_epoch] if self.last_epoch in self.milestones else 0
        return [value * self.gamma**times if times else value for value in self._present()]

    def _get_closed_form_lr(self) -> list[Any]:
        passed = bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return [base * self.gamma**passed for base in self.base_lrs]


class ExponentialLR(LRScheduler):
    """The rate times `gamma` every epoch.

    Args:
        optimizer (Optimizer): the optimizer whose rates are set
        gamma (float): the factor
        last_epoch (int, default -1): number of the last epoch when a run is taken up again; -1: start anew

    Example:
        >>> optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=1.0)
        >>> schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
        >>> for _ in range(3):
        ...     optimizer.step()
        ...     schedule.step()
        ...     print(round(schedule.get_last_lr()[0], 4))
        0.5
        0.25
        0.125
    """

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        present = self._present()
        return present if self._is_initial or self.last_epoch == 0 else [value * self.gamma for value in present]

    def _get_closed_form_lr(self) -> list[Any]:
        return [base * self.gamma**self.last_epoch for base in self.base_lrs]


class ConstantLR(LRScheduler):
    """The base rate times `factor` until epoch `total_iters`, then the base rate.

    Args:
        optimizer (Optimizer): the optimizer whose rates are set
        factor (float, default 1.0 / 3): from 0 to 1
        total_iters (int, default 5): number of epochs
        last_epoch (int, default -1): number of the last epoch when a run is taken up again; -1: start anew

    Raises:
        ValueError: the factor is not from 0 to 1

    Example:
        >>> optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=1.0)
        >>> schedule = torch.optim.lr_scheduler.ConstantLR(optimizer, factor=0.5, total_iters=2)
        >>> for _ in range(3):
        ...     optimizer.step()
        ...     schedule.step()
        ...     print(round(schedule.get_last_lr()[0], 4))
        0.5
        1.0
        1.0
    """

    def __init__(self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1) -> None:
        if factor > 1.0 or factor < 0:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        present = self._present()
        if self.last_epoch == 0:
            return [value * self.factor for value in present]
        if self.last_epoch != self.total_iters:
            return present
        return [value * (1.0 / self.factor) for value in present]

    def _get_closed_form_lr(self) -> list[Any]:
        active = self.last_epoch < self.total_iters
        return [base * (self.factor + (not active) * (1 - self.factor)) for base in self.base_lrs]


class LinearLR(LRScheduler):
    """The base rate times a factor that goes from one number to another in a line.

    Args:
        optimizer (Optimizer): the optimizer whose rates are set
        start_factor (float, default 1.0 / 3): the first, above 0 and up to 1
        end_factor (float, default 1.0): the last, from 0 to 1
        total_iters (int, default 5): number of epochs
        last_epoch (int, default -1): number of the last epoch when a run is taken up again; -1: start anew

    Raises:
        ValueError: a factor is out of range

    Example:
        >>> optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=1.0)
        >>> schedule = torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.5, total_iters=2)
        >>> for _ in range(3):
        ...     optimizer.step()
        ...     schedule.step()
        ...     print(round(schedule.get_last_lr()[0], 4))
        0.75
        1.0
        1.0
    """

    def __init__(
        self, optimizer: Optimizer, start_factor: float = 1.0 / 3, end_factor: float = 1.0, total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:  # fmt: skip
        if start_factor > 1.0 or start_factor <= 0:
            raise ValueError("Starting multiplicative factor expected to be greater than 0 and less or equal to 1.")
        if end_factor > 1.0 or end_factor < 0:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        present = self._present()
        if self.last_epoch == 0:
            return [value * self.start_factor for value in present]
        if self._is_initial or self.last_epoch > self.total_iters:
            return present
        rise = self.end_factor - self.start_factor
        ratio = 1.0 + rise / (self.total_iters * self.start_factor + (self.last_epoch - 1) * rise)
        return [value * ratio for value in present]

    def _get_closed_form_lr(self) -> list[Any]:
        rise, done = self.end_factor - self.start_factor, min(self.total_iters, self.last_epoch)
        return [base * (self.start_factor + rise * done / self.total_iters) for base in self.base_lrs]


class PolynomialLR(LRScheduler):
    """`base rate * (1 - epoch / total_iters) ** power`.

    Args:
        optimizer (Optimizer): the optimizer whose rates are set
        total_iters (int, default 5): number of epochs
        power (float, default 1.0): exponent; 1 is a line
        last_epoch (int, default -1): number of the last epoch when a run is taken up again; -1: start anew

    Example:
        >>> optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=1.0)
        >>> schedule = torch.optim.lr_scheduler.PolynomialLR(optimizer, total_iters=4)
        >>> for _ in range(4):
        ...     optimizer.step()
        ...     schedule.step()
        ...     print(round(schedule.get_last_lr()[0], 4))
        0.75
        0.5
        0.25
        0.0
    """

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        present = self._present()
        if self._is_initial or self.last_epoch == 0 or self.last_epoch > self.total_iters:
            return present
        left = 1.0 - self.last_epoch / self.total_iters
        decay = (left / (1.0 - (self.last_epoch - 1) / self.total_iters)) ** self.power
        return [value * decay for value in present]

    def _get_closed_form_lr(self) -> list[Any]:
        done = min(self.total_iters, self.last_epoch)
        return [base * (1.0 - done / self.total_iters) ** self.power for base in self.base_lrs]
