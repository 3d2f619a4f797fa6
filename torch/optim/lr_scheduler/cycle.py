"""Rates, and momenta against them, that rise and fall (Smith 2015, 2017)."""

from __future__ import annotations

import math

from torch.optim.lr_scheduler._base import LRScheduler, check_optimizer, per_group, set_setting

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from torch.optim.optimizer import Optimizer


class CyclicLR(LRScheduler):
    """The rate between two numbers, up and down in turn, batch by batch (Smith 2015).

    Args:
        optimizer (Optimizer): the optimizer whose rates are set
        base_lr (float or list[float]): the least rate, or one for each group
        max_lr (float or list[float]): the largest
        step_size_up (int, default 2000): batches of the way up
        step_size_down (int or None): batches of the way down; None: as many
        mode (str, default "triangular"): 'triangular'; 'triangular2': half as high every cycle; 'exp_range': times
            `gamma ** batch`
        gamma (float, default 1.0): for mode 'exp_range'
        scale_fn (Callable[[float], float] or None): gives the height instead of a mode
        scale_mode (str, default "cycle"): what it takes: the number of the 'cycle' or of the batch, 'iterations'
        cycle_momentum (bool, default True): let the momentum, or beta1, fall while the rate rises
        base_momentum (float or list[float], default 0.8): the least momentum
        max_momentum (float or list[float], default 0.9): the largest
        last_epoch (int, default -1): number of the last epoch when a run is taken up again; -1: start anew

    Raises:
        ValueError: the mode is unknown, or the optimizer has no momentum to cycle

    Example:
        >>> optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=1.0, momentum=0.9)
        >>> schedule = torch.optim.lr_scheduler.CyclicLR(optimizer, base_lr=0.1, max_lr=0.5, step_size_up=2)
        >>> for _ in range(4):
        ...     optimizer.step()
        ...     schedule.step()
        ...     print(round(schedule.get_last_lr()[0], 4))
        0.3
        0.5
        0.3
        0.1
    """

    def __init__(
        self, optimizer: Optimizer, base_lr: float | list[float], max_lr: float | list[float], step_size_up: int = 2000,
        step_size_down: int | None = None, mode: str = "triangular", gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None, scale_mode: str = "cycle", cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.8, max_momentum: float | list[float] = 0.9, last_epoch: int = -1,
    ) -> None:  # fmt: skip
        check_optimizer(optimizer)
        self.optimizer = optimizer
        base_lrs = per_group(base_lr, optimizer, "base_lr")
        if last_epoch == -1:
            for group, value in zip(optimizer.param_groups, base_lrs):
                set_setting(group, "lr", value)
        self.max_lrs = per_group(max_lr, optimizer, "max_lr")
        up = float(step_size_up)
        self.total_size = up + (up if step_size_down is None else float(step_size_down))
        self.step_ratio = up / self.total_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode, self.gamma = mode, gamma
        self._scale_fn_custom = scale_fn
        self.scale_mode = scale_mode if scale_fn is not None else "iterations" if mode == "exp_range" else "cycle"
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
                raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
            self.use_beta1 = "betas" in optimizer.defaults
            self.base_momentums = per_group(base_momentum, optimizer, "base_momentum")
            self.max_momentums = per_group(max_momentum, optimizer, "max_momentum")
            if last_epoch == -1:
                for group, high, low in zip(optimizer.param_groups, self.max_momentums, self.base_momentums):
                    _set_momentum(group, high, self.use_beta1)
                    group["max_momentum"], group["base_momentum"] = high, low
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def scale_fn(self, x: float) -> float:
        """Height of the wave in a cycle, or at a batch.

        Args:
            x (float): number of the cycle or batch

        Returns:
            a factor

        Example:
            >>> optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=1.0, momentum=0.9)
            >>> schedule = torch.optim.lr_scheduler.CyclicLR(optimizer, 0.1, 0.5, mode="triangular2")
            >>> schedule.scale_fn(2)
            0.5
        """
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        if self.mode == "triangular":
            return 1.0
        return 1 / 2.0 ** (x - 1) if self.mode == "triangular2" else self.gamma**x

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        height = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            for group, low, high in zip(self.optimizer.param_groups, self.base_momentums, self.max_momentums):
                _set_momentum(group, high - (high - low) * height * scale, self.use_beta1)
        return [low + (high - low) * height * scale for low, high in zip(self.base_lrs, self.max_lrs)]

    def state_dict(self) -> dict[str, Any]:
        state = super().state_dict()
        custom = state.pop("_scale_fn_custom")
        state["_scale_fn_custom"] = None
        if custom is not None and not hasattr(custom, "__code__"):
            state["_scale_fn_custom"] = dict(custom.__dict__)
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        state = dict(state_dict)
        attributes = state.pop("_scale_fn_custom", None)
        super().load_state_dict(state)
        if attributes is not None:
            self._scale_fn_custom.__dict__.update(attributes)


def _set_momentum(group: dict[str, Any], value: Any, beta1: bool) -> None:
    if beta1:
        group["betas"] = (value, *group["betas"][1:])
    else:
        group["momentum"] = value


class OneCycleLR(LRScheduler):
    """Up to `max_lr` in a share of all batches, then far down (Smith and Topin 2017).

    It starts at `max_lr / div_factor`, and ends at that over `final_div_factor`.

    Args:
        optimizer (Optimizer): the optimizer whose rates are set
        max_lr (float or list[float]): the largest rate, or one for each group
        total_steps (int or None): number of batches; give it, or the next two
        epochs (int or None): number of epochs
        steps_per_epoch (int or None): batches in each
        pct_start (float, default 0.3): share of the way up, from 0 to 1
        anneal_strategy (str, default "cos"): 'cos' or 'linear'
        cycle_momentum (bool, default True): let the momentum, or beta1, fall while the rate rises
        base_momentum (float or list[float], default 0.85): the least momentum
        max_momentum (float or list[float], default 0.95): the largest
        div_factor (float, default 25.0): see above
        final_div_factor (float, default 1e4): see above
        three_phase (bool, default False): down to the start as slowly as it went up, and then on
        last_epoch (int, default -1): number of the last epoch when a run is taken up again; -1: start anew

    Raises:
        ValueError: no number of batches, a setting out of range, or no momentum to cycle

    Example:
        >>> optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=1.0)
        >>> schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1.0, total_steps=5, cycle_momentum=False)
        >>> for _ in range(4):
        ...     optimizer.step()
        ...     schedule.step()
        ...     print(round(schedule.get_last_lr()[0], 4))
        0.9505
        0.6113
        0.1883
        0.0
    """

    def __init__(
        self, optimizer: Optimizer, max_lr: float | list[float], total_steps: int | None = None, epochs: int | None = None,
        steps_per_epoch: int | None = None, pct_start: float = 0.3, anneal_strategy: str = "cos", cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.85, max_momentum: float | list[float] = 0.95, div_factor: float = 25.0,
        final_div_factor: float = 1e4, three_phase: bool = False, last_epoch: int = -1,
    ) -> None:  # fmt: skip
        check_optimizer(optimizer)
        self.optimizer = optimizer
        self.total_steps = self._total(total_steps, epochs, steps_per_epoch)
        if not isinstance(pct_start, float) or not 0 <= pct_start <= 1:
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._anneal_func_type = anneal_strategy
        self._schedule_phases = self._phases(pct_start, three_phase)
        highest = per_group(max_lr, optimizer, "max_lr")
        if last_epoch == -1:
            for group, high in zip(optimizer.param_groups, highest):
                group["initial_lr"] = high / div_factor
                group["max_lr"] = high
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
                raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
            self.use_beta1 = "betas" in optimizer.defaults
            if last_epoch == -1:
                lows = per_group(base_momentum, optimizer, "base_momentum")
                for group, high, low in zip(optimizer.param_groups, per_group(max_momentum, optimizer, "max_momentum"), lows):
                    _set_momentum(group, high, self.use_beta1)
                    group["max_momentum"], group["base_momentum"] = high, low
        super().__init__(optimizer, last_epoch)

    @staticmethod
    def _total(total_steps: int | None, epochs: int | None, steps_per_epoch: int | None) -> int:
        if total_steps is not None:
            if total_steps <= 0 or not isinstance(total_steps, int):
                raise ValueError(f"Expected positive integer total_steps, but got {total_steps}")
            return total_steps
        if epochs is None or steps_per_epoch is None:
            raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
        for name, value in (("epochs", epochs), ("steps_per_epoch", steps_per_epoch)):
            if not isinstance(value, int) or value <= 0:
                raise ValueError(f"Expected positive integer {name}, but got {value}")
        return epochs * steps_per_epoch

    def _phases(self, pct_start: float, three_phase: bool) -> list[dict[str, Any]]:
        """Each phase: its last batch, and between which settings rate and momentum go."""

        def phase(end, start_lr, end_lr, start_momentum, end_momentum):
            return {
                "end_step": end,
                "start_lr": start_lr,
                "end_lr": end_lr,
                "start_momentum": start_momentum,
                "end_momentum": end_momentum,
            }

        up = float(pct_start * self.total_steps) - 1
        rise = phase(up, "initial_lr", "max_lr", "max_momentum", "base_momentum")
        if not three_phase:
            return [rise, phase(self.total_steps - 1, "max_lr", "min_lr", "base_momentum", "max_momentum")]
        return [
            rise,
            phase(float(2 * pct_start * self.total_steps) - 2, "max_lr", "initial_lr", "base_momentum", "max_momentum"),
            phase(self.total_steps - 1, "initial_lr", "min_lr", "max_momentum", "max_momentum"),
        ]

    def _between(self, start: float, end: float, share: float) -> float:
        if self._anneal_func_type == "linear":
            return (end - start) * share + start
        return end + (start - end) / 2.0 * (math.cos(math.pi * share) + 1)

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        batch = self.last_epoch
        if batch > self.total_steps:
            raise ValueError(f"Tried to step {batch} times. The specified number of total steps is {self.total_steps}")
        start = 0.0
        for k, phase in enumerate(self._schedule_phases):
            if batch <= phase["end_step"] or k == len(self._schedule_phases) - 1:
                share = (batch - start) / (phase["end_step"] - start)
                break
            start = phase["end_step"]
        values = []
        for group in self.optimizer.param_groups:
            values.append(self._between(group[phase["start_lr"]], group[phase["end_lr"]], share))
            if self.cycle_momentum:
                momentum = self._between(group[phase["start_momentum"]], group[phase["end_momentum"]], share)
                _set_momentum(group, momentum, self.use_beta1)
        return values
