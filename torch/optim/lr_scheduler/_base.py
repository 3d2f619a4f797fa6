"""LRScheduler, the base of the schedules."""

import functools
import warnings
import weakref

import torch
from torch.optim.optimizer import Optimizer

EPOCH_DEPRECATION_WARNING = ("The epoch parameter in `scheduler.step()` was not necessary and is being "
                             "deprecated where possible. "
                             "Please use `scheduler.step()` to step the scheduler.")


def copied(value):
    return value.clone() if isinstance(value, torch.Tensor) else value


def set_setting(group, name, value):
    """Set a group's setting; a tensor is filled, so that whoever holds it sees the change."""
    if isinstance(group[name], torch.Tensor):
        group[name].fill_(value.item() if isinstance(value, torch.Tensor) else value)
    else:
        group[name] = value


def per_group(value, optimizer, name):
    """`value` for every parameter group: a sequence of that length, or one value for all."""
    count = len(optimizer.param_groups)
    if not isinstance(value, (list, tuple)):
        return [value] * count
    if len(value) != count:
        raise ValueError(f"{name} must have the same length as optimizer.param_groups. {name} has "
                         f"{len(value)} values, "
                         f"param_groups has {count}.")
    return list(value)


def check_optimizer(optimizer):
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


class LRScheduler:
    """A schedule over one optimizer.

    A subclass gives `get_lr()`: the rates of the groups for `self.last_epoch`, usually from the present
    ones; and
    maybe `_get_closed_form_lr()`, the same computed from the base rates. last_epoch: -1 to start anew."""

    _get_lr_called_within_step = False
    _is_initial = False

    def __init__(self, optimizer, last_epoch=-1):
        check_optimizer(optimizer)
        self.optimizer = optimizer
        for k, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", copied(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(f"param 'initial_lr' is not specified in param_groups[{k}] when resuming "
                               "scheduler with last_epoch >= "
                               "0.\nThis typically happens when creating the scheduler of an optimizer "
                               "whose state was not "
                               "loaded before.")
        self.base_lrs = [copied(group["initial_lr"]) for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        _count_steps(optimizer)
        self._initial_step()

    def _initial_step(self):
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def state_dict(self):
        """Everything but the optimizer."""
        return {name: value for name, value in self.__dict__.items() if name != "optimizer"}

    def load_state_dict(self, state_dict):
        self.__dict__.update(state_dict)

    def get_last_lr(self):
        """The rates set last, one a group."""
        return [copied(value) for value in self._last_lr]

    def get_lr(self):
        raise NotImplementedError

    def step(self, epoch=None):
        """Advance by one, or (deprecated) go to `epoch`, and set the rates."""
        self._warn_order()
        self._step_count += 1
        if epoch is not None:
            warnings.warn(EPOCH_DEPRECATION_WARNING, UserWarning, stacklevel=2)
        self._update(epoch)

    def _warn_order(self):
        if self._step_count != 1:
            return
        if not hasattr(self.optimizer.step, "_wrapped_by_lr_sched"):
            warnings.warn("Seems like `optimizer.step()` has been overridden after learning rate scheduler "
                          "initialization. Call "
                          "`optimizer.step()` before `lr_scheduler.step()`.", UserWarning, stacklevel=3)
        elif not getattr(self.optimizer, "_opt_called", False):
            warnings.warn("Detected call of `lr_scheduler.step()` before `optimizer.step()`: the first "
                          "value of the schedule is "
                          "skipped. Call `optimizer.step()` first.", UserWarning, stacklevel=3)

    def _update(self, epoch=None):
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

    def _apply(self, values):
        for group, value in zip(self.optimizer.param_groups, values):
            set_setting(group, "lr", value)
        self._last_lr = [copied(group["lr"]) for group in self.optimizer.param_groups]

    def _present(self):
        return [copied(group["lr"]) for group in self.optimizer.param_groups]

    def _warn_outside_step(self):
        if not self._get_lr_called_within_step:
            warnings.warn("To get the last learning rate computed by the scheduler, please use "
                          "`get_last_lr()`.", UserWarning,
                          stacklevel=3)


def _count_steps(optimizer):
    """Let the optimizer remember that it has stepped, to warn of a schedule that runs ahead of it."""
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
