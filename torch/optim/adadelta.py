"""Adadelta (Zeiler 2012)."""

from __future__ import annotations

import torch
from torch.optim._common import PlainStep, as_real, check, check_lr, decayed, step_value, zeros
from torch.optim._functional import adadelta as adadelta
from torch.optim._lists import add_scaled, decay, rate
from torch.optim.optimizer import Optimizer

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any

    from torch import Tensor
    from torch.optim.optimizer import ParamsT


class Adadelta(PlainStep, Optimizer):
    """`p -= lr * sqrt(u + eps) / sqrt(v + eps) * grad` (Zeiler 2012).

    v and u average the squares of the gradient and of the steps.

    Args:
        params (iterable): parameters, (name, parameter) pairs, or dictionaries with 'params' and settings of their own
        lr (float or Tensor, default 1.0): learning rate; a tensor is read at every step
        rho (float, default 0.9): decay of both averages, from 0 to 1
        eps (float, default 1e-6): keeps the divisor from 0
        weight_decay (float, default 0): factor of the parameter that is added to its gradient
        foreach (bool or None): None: the fast way; False: one parameter at a time, in plain operators
        capturable (bool, default False): for graphs on a GPU; refused for parameters on a CPU
        maximize (bool, default False): go up the gradient instead of down
        differentiable (bool, default False): record the step itself for autograd

    Raises:
        ValueError: a setting is out of range

    Example:
        >>> p = nn.Parameter(torch.tensor([1.]))
        >>> optimizer = torch.optim.Adadelta([p])
        >>> for _ in range(3):
        ...     optimizer.zero_grad()
        ...     (p ** 2).sum().backward()
        ...     optimizer.step()
        >>> bool(p < 1)
        True
    """

    def __init__(
        self, params: ParamsT, lr: float | Tensor = 1.0, rho: float = 0.9, eps: float = 1e-6, weight_decay: float = 0,
        foreach: bool | None = None, *, capturable: bool = False, maximize: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        check_lr(lr)
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        check("epsilon", eps)
        check("weight_decay", weight_decay)
        super().__init__(
            params,
            {
                "lr": lr,
                "rho": rho,
                "eps": eps,
                "weight_decay": weight_decay,
                "maximize": maximize,
                "capturable": capturable,
                "foreach": foreach,
                "differentiable": differentiable,
            },
        )

    def _start(self, state: Any, parameter: Tensor, group: dict[str, Any]) -> None:
        state["step"], state["square_avg"], state["acc_delta"] = (
            step_value(parameter, group),
            zeros(parameter),
            zeros(parameter),
        )

    def _update(self, parameter: Tensor, gradient: Tensor, state: Any, group: dict[str, Any]) -> None:
        rho, eps = group["rho"], group["eps"]
        state["step"] += 1
        gradient = decayed(parameter, gradient, group)
        parameter, gradient, square, moved = as_real(parameter, gradient, state["square_avg"], state["acc_delta"])
        square.mul_(rho).addcmul_(gradient, gradient, value=1 - rho)
        if group.get("differentiable"):
            change = moved.add(eps).sqrt() / square.add(eps).sqrt() * gradient
        else:
            change = moved.add(eps).sqrt_().div_(square.add(eps).sqrt_()).mul_(gradient)
        moved.mul_(rho).addcmul_(change, change, value=1 - rho)
        parameter.add_(change, alpha=-float(group["lr"]))

    def _update_lists(self, params: Any, grads: Any, state: Any, group: dict[str, Any]) -> None:
        rho, eps = group["rho"], group["eps"]
        torch._foreach_add_(state["step"], 1)
        grads, squares, moved = decay(params, grads, group), state["square_avg"], state["acc_delta"]
        torch._foreach_mul_(squares, rho)
        torch._foreach_addcmul_(squares, grads, grads, 1 - rho)
        changes = torch._foreach_add(moved, eps)
        torch._foreach_sqrt_(changes)
        bottoms = torch._foreach_add(squares, eps)
        torch._foreach_sqrt_(bottoms)
        torch._foreach_div_(changes, bottoms)
        torch._foreach_mul_(changes, grads)
        torch._foreach_mul_(moved, rho)
        torch._foreach_addcmul_(moved, changes, changes, 1 - rho)
        add_scaled(params, changes, -rate(group))
