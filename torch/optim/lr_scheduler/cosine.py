"""Half waves of a cosine (Loshchilov and Hutter 2016)."""

from __future__ import annotations

import math

from torch.optim.lr_scheduler._base import LRScheduler

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any

    from torch.optim.optimizer import Optimizer


class CosineAnnealingLR(LRScheduler):
    """Half a cosine wave from the base rate down to `eta_min`, and up again (Loshchilov and Hutter 2016).

    Args:
        optimizer (Optimizer): the optimizer whose rates are set
        T_max (int): epochs of the way down
        eta_min (float, default 0.0): the least rate
        last_epoch (int, default -1): number of the last epoch when a run is taken up again; -1: start anew

    Example:
        >>> optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=1.0)
        >>> schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=4)
        >>> for _ in range(4):
        ...     optimizer.step()
        ...     schedule.step()
        ...     print(round(schedule.get_last_lr()[0], 4))
        0.8536
        0.5
        0.1464
        0.0
    """

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        present = self._present()
        if self._is_initial or self.last_epoch == 0:
            return present
        if self._step_count == 1 and self.last_epoch > 0:
            return self._get_closed_form_lr()
        if (self.last_epoch - 1 - self.T_max) % (2 * self.T_max) == 0:
            rise = (1 - math.cos(math.pi / self.T_max)) / 2
            return [value + (base - self.eta_min) * rise for value, base in zip(present, self.base_lrs)]
        ratio = (1 + math.cos(math.pi * self.last_epoch / self.T_max)) / (
            1 + math.cos(math.pi * (self.last_epoch - 1) / self.T_max)
        )
        return [ratio * (value - self.eta_min) + self.eta_min for value in present]

    def _get_closed_form_lr(self) -> list[Any]:
        wave = (1 + math.cos(math.pi * self.last_epoch / self.T_max)) / 2
        return [self.eta_min + (base - self.eta_min) * wave for base in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """Half a cosine wave down to `eta_min`, then again from the start (Loshchilov and Hutter 2016).

    Each wave is `T_mult` times as long as the one before.

    Args:
        optimizer (Optimizer): the optimizer whose rates are set
        T_0 (int): epochs of the first
        T_mult (int, default 1): how much longer the next is
        eta_min (float, default 0.0): the least rate
        last_epoch (int, default -1): number of the last epoch when a run is taken up again; -1: start anew

    Raises:
        ValueError: `T_0` is no positive int, or `T_mult` none from 1 on

    Example:
        >>> optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=1.0)
        >>> schedule = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=2)
        >>> for _ in range(4):
        ...     optimizer.step()
        ...     schedule.step()
        ...     print(round(schedule.get_last_lr()[0], 4))
        0.5
        1.0
        0.5
        1.0
    """

    def __init__(self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, (float, int)):
            raise ValueError(f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}")
        self.T_0, self.T_i, self.T_mult, self.eta_min = T_0, T_0, T_mult, eta_min
        self.T_cur = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        wave = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (base - self.eta_min) * wave for base in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        """Advances by one, or goes to `epoch`, which may be a fraction: `epoch + batch / batches`.

        Args:
            epoch (float or None): where to; None: one further

        Raises:
            ValueError: it is negative

        Example:
            >>> optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=1.0)
            >>> schedule = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=2)
            >>> schedule.step(0.5)
            >>> round(schedule.get_last_lr()[0], 4)
            0.8536
        """
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur -= self.T_i
                self.T_i *= self.T_mult
        else:
            if epoch < 0:
                raise ValueError(f"Expected non-negative epoch, but got {epoch}")
            self.T_i, self.T_cur = self.T_0, epoch
            if epoch >= self.T_0:
                if self.T_mult == 1:
                    self.T_cur = epoch % self.T_0
                else:
                    rounds = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
                    self.T_cur = epoch - self.T_0 * (self.T_mult**rounds - 1) / (self.T_mult - 1)
                    self.T_i = self.T_0 * self.T_mult**rounds
        self.last_epoch = math.floor(epoch)
        self._get_lr_called_within_step = True
        try:
            self._apply(self.get_lr())
        finally:
            self._get_lr_called_within_step = False
