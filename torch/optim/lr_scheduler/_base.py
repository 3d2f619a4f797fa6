"""LRScheduler, the base of the schedules."""

from __future__ import annotations

import functools
import warnings
import weakref

import torch
from torch.optim.optimizer import Optimizer

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any

EPOCH_DEPRECATION_WARNING = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. Please "
    "use `scheduler.step()` to step the scheduler."
)


def copied(value: Any) -> Any:
    return value.clone() if isinstance(value, torch.Tensor) else value


def set_setting(group: dict[str, Any], name: str, value: Any) -> None:
    """Set a group's setting; a tensor is filled in place, so that other references see the change."""
    if isinstance(group[name], torch.Tensor):
        group[name].fill_(value.item() if isinstance(value, torch.Tensor) else value)
    else:
        group[name] = value


def per_group(value: Any, optimizer: Any, name: str) -> list[Any]:
    """`value` for every parameter group: a sequence of that length, or one value for all."""
    count = len(optimizer.param_groups)
    if not isinstance(value, (list, tuple)):
        return [value] * count
    if len(value) != count:
        raise ValueError(
            f"{name} must have the same length as optimizer.param_groups. {name} has {len(value)} values, "
            f"param_groups has {count}."
        )
    return list(value)


def check_optimizer(optimizer: Any) -> None:
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


class LRScheduler:
    """The base of the schedules: after every epoch, or batch, `step()` sets the rates of an optimizer.

    A subclass gives `get_lr()`: the rates of the groups for `self.last_epoch`, usually from the present ones; and maybe
    `_get_closed_form_lr()`, the same computed from the base rates.

    Args:
        optimizer (Optimizer): the optimizer whose rates are set
        last_epoch (int, default -1): number of the last epoch when a run is taken up again; -1: start anew

    Attributes:
        base_lrs: the rates of the groups at the start
        last_epoch: number of steps

    Raises:
        TypeError: `optimizer` is none
        KeyError: a run is taken up again, and the groups have no 'initial_lr'

    Example:
        >>> class Halving(torch.optim.lr_scheduler.LRScheduler):
        ...     def get_lr(self):
        ...         return [base / 2 ** self.last_epoch for base in self.base_lrs]
        >>> optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=1.0)
        >>> schedule = Halving(optimizer)
        >>> optimizer.step()
        >>> schedule.step()
        >>> schedule.get_last_lr()
        [0.5]
    """

    optimizer: Optimizer
    base_lrs: list[Any]
    last_epoch: int
    _last_lr: list[Any]
    _step_count: int
    _get_lr_called_within_step = False
    _is_initial = False

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        for k, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", copied(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{k}] when resuming scheduler with "
                    "last_epoch >= 0.\n"
                    "This typically happens when creating the scheduler of an optimizer whose state was not "
                    "loaded before."
                )
        self.base_lrs = [copied(group["initial_lr"]) for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        _count_steps(optimizer)
        self._initial_step()

    def _initial_step(self) -> None:
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer, for `torch.save`.

        Returns:
            a dictionary

        Example:
            >>> optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=1.0)
            >>> torch.optim.lr_scheduler.StepLR(optimizer, 2).state_dict()["last_epoch"]
            0
        """
        return {name: value for name, value in self.__dict__.items() if name != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what `state_dict()` gave.

        Args:
            state_dict (dict[str, Any]): what `state_dict()` gave

        Example:
            >>> optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=1.0)
            >>> schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2)
            >>> schedule.load_state_dict(schedule.state_dict())
        """
        self.__dict__.update(state_dict)

    def get_last_lr(self) -> list[Any]:
        """The rates that the last step set, one for each group.

        Returns:
            a list

        Example:
            >>> optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=1.0)
            >>> torch.optim.lr_scheduler.StepLR(optimizer, 2).get_last_lr()
            [1.0]
        """
        return [copied(value) for value in self._last_lr]

    def get_lr(self) -> list[Any]:
        """The rates for `self.last_epoch`, one for each group; `step` calls it.

        Returns:
            a list

        Raises:
            NotImplementedError: the subclass does not define it

        Example:
            >>> class Constant(torch.optim.lr_scheduler.LRScheduler):
            ...     def get_lr(self):
            ...         return self.base_lrs
            >>> Constant(torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=1.0)).get_last_lr()
            [1.0]
        """
        raise NotImplementedError

    def step(self, epoch: Any = None) -> None:
        """Advances by one and sets the rates. It comes after the optimizer's step.

        Args:
            epoch (Any): deprecated: go to this epoch

        Example:
            >>> optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=1.0)
            >>> schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
            >>> optimizer.step()
            >>> schedule.step()
            >>> optimizer.param_groups[0]["lr"]
            0.5
        """
        self._warn_order()
        self._step_count += 1
        if epoch is not None:
            warnings.warn(EPOCH_DEPRECATION_WARNING, UserWarning, stacklevel=2)
        self._update(epoch)

    def _warn_order(self) -> None:
        if self._step_count != 1:
            return
        if not hasattr(self.optimizer.step, "_wrapped_by_lr_sched"):
            warnings.warn(
                "Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization. "
                "Call `optimizer.step()` before `lr_scheduler.step()`.",
                UserWarning,
                stacklevel=3,
            )
        elif not getattr(self.optimizer, "_opt_called", False):
            warnings.warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`: the first value of the "
                "schedule is skipped. Call `optimizer.step()` first.",
                UserWarning,
                stacklevel=3,
            )

    def _update(self, epoch: Any = None) -> None:
        self._get_lr_called_within_step = True
        try:
            if epoch is None:
                self.last_epoch += 1
                values = self.get_lr()
            else:
                self.last_epoch = epoch
                closed = getattr(self, "_get_closed_form_lr", None)
                values = self.get_lr() if closed is None else closed()
        finally:
            self._get_lr_called_within_step = False
        self._apply(values)

    def _apply(self, values: Any) -> None:
        for group, value in zip(self.optimizer.param_groups, values):
            set_setting(group, "lr", value)
        self._last_lr = [copied(group["lr"]) for group in self.optimizer.param_groups]

    def _present(self) -> list[Any]:
        return [copied(group["lr"]) for group in self.optimizer.param_groups]

    def _warn_outside_step(self) -> None:
        if not self._get_lr_called_within_step:
            warnings.warn(
                "To get the last learning rate computed by the scheduler, please use `get_last_lr()`.", UserWarning, stacklevel=3
            )


def _count_steps(optimizer: Any) -> None:
    """Make the optimizer record that it has stepped, to warn if the schedule steps first."""
    if hasattr(optimizer.step, "_wrapped_by_lr_sched"):
        return
    plain, owner = optimizer.step.__func__, weakref.ref(optimizer)

    @functools.wraps(plain)
    def step(*args, **kwargs):
        optimizer = owner()
        optimizer._opt_called = True
        return plain(optimizer, *args, **kwargs)

    step._wrapped_by_lr_sched = True
    optimizer.step = step
