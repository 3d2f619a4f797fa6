"""Schedules given as functions of the epoch."""

from __future__ import annotations

import types

from torch.optim.lr_scheduler._base import LRScheduler, check_optimizer

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from torch.optim.optimizer import Optimizer


class _Functions(LRScheduler):
    """One function for all groups, or one for each."""

    def __init__(
        self,
        optimizer: Optimizer,
        lr_lambda: Callable[[int], float] | list[Callable[[int], float]],
        last_epoch: int = -1,
    ) -> None:
        check_optimizer(optimizer)
        count = len(optimizer.param_groups)
        if not isinstance(lr_lambda, (list, tuple)):
            lr_lambda = [lr_lambda] * count
        elif len(lr_lambda) != count:
            raise ValueError(f"Expected {count} lr_lambdas, but got {len(lr_lambda)}")
        self.lr_lambdas = list(lr_lambda)
        super().__init__(optimizer, last_epoch)

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer and the functions, for `torch.save`.

        The program defines plain functions again; callable objects are kept by their attributes.

        Returns:
            a dictionary

        Example:
            >>> optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=1.0)
            >>> torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 1.0).state_dict()["lr_lambdas"]
            [None]
        """
        state = {name: value for name, value in self.__dict__.items() if name not in ("optimizer", "lr_lambdas")}
        state["lr_lambdas"] = [None if isinstance(f, types.FunctionType) else dict(f.__dict__) for f in self.lr_lambdas]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        state = dict(state_dict)
        kept = state.pop("lr_lambdas")
        self.__dict__.update(state)
        for function, attributes in zip(self.lr_lambdas, kept):
            if attributes is not None:
                function.__dict__.update(attributes)


class LambdaLR(_Functions):
    """`base rate * lr_lambda(epoch)`.

    Args:
        optimizer (Optimizer): the optimizer whose rates are set
        lr_lambda (Callable[[int], float] or list[Callable[[int], float]]): gives the factor of an epoch; or one
            function for each group
        last_epoch (int, default -1): number of the last epoch when a run is taken up again; -1: start anew

    Raises:
        ValueError: as many functions as groups are needed

    Example:
        >>> optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=1.0)
        >>> schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 0.5 ** epoch)
        >>> for _ in range(3):
        ...     optimizer.step()
        ...     schedule.step()
        ...     print(round(schedule.get_last_lr()[0], 4))
        0.5
        0.25
        0.125
    """

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        return [base * function(self.last_epoch) for base, function in zip(self.base_lrs, self.lr_lambdas)]


class MultiplicativeLR(_Functions):
    """The rate before times `lr_lambda(epoch)`.

    Args:
        optimizer (Optimizer): the optimizer whose rates are set
        lr_lambda (Callable[[int], float] or list[Callable[[int], float]]): gives the factor of an epoch; or one
            function for each group
        last_epoch (int, default -1): number of the last epoch when a run is taken up again; -1: start anew

    Raises:
        ValueError: as many functions as groups are needed

    Example:
        >>> optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=1.0)
        >>> schedule = torch.optim.lr_scheduler.MultiplicativeLR(optimizer, lambda epoch: 0.5)
        >>> for _ in range(3):
        ...     optimizer.step()
        ...     schedule.step()
        ...     print(round(schedule.get_last_lr()[0], 4))
        0.5
        0.25
        0.125
    """

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        present = self._present()
        if self._is_initial or self.last_epoch <= 0:
            return present
        return [value * function(self.last_epoch) for value, function in zip(present, self.lr_lambdas)]
