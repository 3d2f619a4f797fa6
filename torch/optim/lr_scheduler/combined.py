"""Combinations of schedules: in sequence or chained."""

from __future__ import annotations

from bisect import bisect_right

from torch.optim.lr_scheduler._base import LRScheduler, copied

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from torch.optim.optimizer import Optimizer


class _Combined(LRScheduler):
    def state_dict(self) -> dict[str, Any]:
        state = {name: value for name, value in self.__dict__.items() if name not in ("optimizer", "_schedulers")}
        state["_schedulers"] = [scheduler.state_dict() for scheduler in self._schedulers]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        state = dict(state_dict)
        parts = state.pop("_schedulers")
        self.__dict__.update(state)
        for scheduler, part in zip(self._schedulers, parts):
            scheduler.load_state_dict(part)

    def _check_same(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer) -> None:
        for k, scheduler in enumerate(schedulers):
            if not hasattr(scheduler, "optimizer"):
                raise TypeError(f"{type(self).__name__} at index {k} should have `optimizer` as its attribute.")
            if type(scheduler).__name__ == "ReduceLROnPlateau" and type(self).__name__ == "SequentialLR":
                raise ValueError(
                    f"{type(self).__name__} does not support `ReduceLROnPlateau` scheduler as it requires "
                    f"additional kwargs to be specified when calling `step`, but got one at index {k} in the "
                    "given schedulers sequence."
                )
            if scheduler.optimizer is not optimizer:
                raise ValueError(
                    f"{type(self).__name__} expects all schedulers to belong to the same optimizer, but got "
                    f"scheduler {type(scheduler).__name__} at index {k} has {scheduler.optimizer}, which is "
                    f"different from {type(optimizer).__name__}."
                )


class SequentialLR(_Combined):
    """The first schedule until the first milestone, then the next from its own start, and so on.

    Args:
        optimizer (Optimizer): the optimizer whose rates are set
        schedulers (Sequence[LRScheduler]): the schedules, all of one optimizer
        milestones (Sequence[int]): epochs at which the next takes over, one fewer than schedules
        last_epoch (int, default -1): number of the last epoch when a run is taken up again; -1: start anew

    Raises:
        ValueError: the numbers do not fit, or the optimizers differ

    Example:
        >>> optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=1.0)
        >>> warm = torch.optim.lr_scheduler.LinearLR(optimizer, 0.5, total_iters=2)
        >>> down = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.1)
        >>> schedule = torch.optim.lr_scheduler.SequentialLR(optimizer, [warm, down], [2])
        >>> for _ in range(3):
        ...     optimizer.step()
        ...     schedule.step()
        ...     print(schedule.get_last_lr()[0])
        0.75
        1.0
        0.1
    """

    def __init__(
        self,
        optimizer: Optimizer,
        schedulers: Sequence[LRScheduler],
        milestones: Sequence[int],
        last_epoch: int = -1,
    ) -> None:
        if len(schedulers) < 1:
            raise ValueError(f"{type(self).__name__} expects at least one scheduler, but got no scheduler.")
        self._check_same(schedulers, optimizer)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than the number of "
                f"milestone points, but got number of schedulers {len(schedulers)} and the number of milestones "
                f"to be equal to {len(milestones)}"
            )
        self._schedulers, self._milestones = schedulers, milestones
        self.last_epoch, self.optimizer = last_epoch + 1, optimizer
        # every schedule has made its first step: begin again with the first one's
        for group in optimizer.param_groups:
            if isinstance(group["lr"], type(group["initial_lr"])) and not hasattr(group["lr"], "fill_"):
                group["lr"] = group["initial_lr"]
            else:
                group["lr"] = copied(group["initial_lr"])
        for scheduler in schedulers:
            scheduler.last_epoch -= 1
        schedulers[0]._initial_step()
        self._last_lr = schedulers[0].get_last_lr()

    def step(self) -> None:
        """Advances by one.

        Example:
            >>> optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=1.0)
            >>> parts = [torch.optim.lr_scheduler.StepLR(optimizer, 1) for _ in range(2)]
            >>> schedule = torch.optim.lr_scheduler.SequentialLR(optimizer, parts, [1])
            >>> optimizer.step()
            >>> schedule.step()
        """
        self.last_epoch += 1
        k = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[k]
        if k > 0 and self._milestones[k - 1] == self.last_epoch:
            scheduler._update(0) if not hasattr(scheduler, "T_cur") else scheduler.step(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


class ChainedScheduler(_Combined):
    """All schedules step together, each on the rates that the one before it left.

    Args:
        schedulers (Sequence[LRScheduler]): the schedules, all of one optimizer
        optimizer (Optimizer or None): the optimizer; None: that of the first schedule

    Raises:
        ValueError: there are none, or the optimizers differ

    Example:
        >>> optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=1.0)
        >>> parts = [torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5) for _ in range(2)]
        >>> schedule = torch.optim.lr_scheduler.ChainedScheduler(parts)
        >>> optimizer.step()
        >>> schedule.step()
        >>> schedule.get_last_lr()
        [0.25]
    """

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None) -> None:
        if len(schedulers) < 1:
            raise ValueError(f"{type(self).__name__} expects at least one scheduler to be chained, but got no scheduler.")
        optimizer = schedulers[0].optimizer if optimizer is None else optimizer
        self._check_same(schedulers, optimizer)
        self._schedulers, self.optimizer = schedulers, optimizer
        self._last_lr = [copied(group["lr"]) for group in optimizer.param_groups]

    def step(self) -> None:
        """Advances all by one.

        Example:
            >>> optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=1.0)
            >>> parts = [torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)]
            >>> optimizer.step()
            >>> torch.optim.lr_scheduler.ChainedScheduler(parts).step()
        """
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = [copied(group["lr"]) for group in self.optimizer.param_groups]
