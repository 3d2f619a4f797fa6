"""PostLocalSGDOptimizer: steps on this process's gradients, and averages the parameters from time to time."""

from __future__ import annotations

import warnings
from typing import Any

import torch


class PostLocalSGDOptimizer(torch.optim.Optimizer):
    """An optimizer that averages the parameters over processes after some of its steps.

    Args:
        optim (Optimizer): what makes the steps
        averager (ModelAverager): what averages, such as a PeriodicModelAverager

    Example:
        >>> torch.distributed.optim.PostLocalSGDOptimizer.__name__
        'PostLocalSGDOptimizer'
    """

    def __init__(self, optim: torch.optim.Optimizer, averager: Any) -> None:
        self.optim, self.averager = optim, averager
        self.param_groups = optim.param_groups

    @property
    def state(self) -> Any:  # type: ignore[override]
        """The state of the optimizer inside."""
        return self.optim.state

    def __repr__(self) -> str:
        return repr(self.optim)

    def state_dict(self) -> dict[str, Any]:
        """The state, with the number of steps.

        Returns:
            a dict
        """
        return {**self.optim.state_dict(), "step": self.averager.step}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes a state.

        Args:
            state_dict (dict): what `state_dict` gave
        """
        self.optim.load_state_dict({key: value for key, value in state_dict.items() if key != "step"})
        if "step" in state_dict:
            self.averager.step = state_dict["step"]
        else:
            warnings.warn("PostLocalSGDOptimizer: the state has no number of steps; counting begins at 0", stacklevel=2)
            self.averager.step = 0

    def step(self) -> None:  # type: ignore[override]
        """Makes a step, and averages if it is time."""
        self.optim.step()
        self.averager.average_parameters(params=self.param_groups)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forgets the gradients.

        Args:
            set_to_none (bool, default True): None instead of zeros
        """
        self.optim.zero_grad(set_to_none=set_to_none)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Adds parameters.

        Args:
            param_group (dict): the parameters with their settings
        """
        self.optim.add_param_group(param_group)
