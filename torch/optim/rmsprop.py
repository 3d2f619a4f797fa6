"""RMSprop (Hinton 2012)."""

from __future__ import annotations

import torch
from torch.optim._common import PlainStep, as_real, check, check_lr, decayed, plus_eps, step_value, zeros
from torch.optim._functional import rmsprop as rmsprop
from torch.optim._lists import add_quotients, add_scaled, decay, rate
from torch.optim.optimizer import Optimizer

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any

    from torch import Tensor
    from torch.optim.optimizer import ParamsT


class RMSprop(PlainStep, Optimizer):
    """`p -= lr * grad / (sqrt(v) + eps)`, v averaging the squared gradient (Hinton 2012).

    Args:
        params (iterable): parameters, (name, parameter) pairs, or dictionaries with 'params' and settings of their own
        lr (float or Tensor, default 1e-2): learning rate; a tensor is read at every step
        alpha (float, default 0.99): decay of v, from 0 to below 1
        eps (float, default 1e-8): keeps the divisor from 0
        weight_decay (float, default 0): factor of the parameter that is added to its gradient
        momentum (float, default 0): share of the last step in the next
        centered (bool, default False): take the square of the mean gradient off v
        capturable (bool, default False): for graphs on a GPU; refused for parameters on a CPU
        foreach (bool or None): None: the fast way; False: one parameter at a time, in plain operators
        maximize (bool, default False): go up the gradient instead of down
        differentiable (bool, default False): record the step itself for autograd

    Raises:
        ValueError: a setting is out of range

    Example:
        >>> p = nn.Parameter(torch.tensor([1.]))
        >>> optimizer = torch.optim.RMSprop([p])
        >>> for _ in range(3):
        ...     optimizer.zero_grad()
        ...     (p ** 2).sum().backward()
        ...     optimizer.step()
        >>> bool(p < 1)
        True
    """

    def __init__(
        self, params: ParamsT, lr: float | Tensor = 1e-2, alpha: float = 0.99, eps: float = 1e-8, weight_decay: float = 0,
        momentum: float = 0, centered: bool = False, capturable: bool = False, foreach: bool | None = None,
        maximize: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        check_lr(lr)
        for name, value in (("epsilon", eps), ("momentum", momentum), ("weight_decay", weight_decay), ("alpha", alpha)):
            check(name, value)
        defaults = {
            "lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered, "weight_decay": weight_decay,
            "capturable": capturable, "foreach": foreach, "maximize": maximize, "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _start(self, state: Any, parameter: Tensor, group: dict[str, Any]) -> None:
        state["step"], state["square_avg"] = step_value(parameter, group), zeros(parameter)
        if group["momentum"] > 0:
            state["momentum_buffer"] = zeros(parameter)
        if group["centered"]:
            state["grad_avg"] = zeros(parameter)

    def _update(self, parameter: Tensor, gradient: Tensor, state: Any, group: dict[str, Any]) -> None:
        state["step"] += 1
        gradient = decayed(parameter, gradient, group)
        alpha = group["alpha"]
        parameter, gradient, square = as_real(parameter, gradient, state["square_avg"])
        square.mul_(alpha).addcmul_(gradient, gradient, value=1 - alpha)
        if group["centered"]:
            (mean,) = as_real(state["grad_avg"])
            mean.lerp_(gradient, 1 - alpha)
            bottom = square.addcmul(mean, mean, value=-1).sqrt_()
        else:
            bottom = square.sqrt()
        bottom = plus_eps(bottom, group)
        if group["momentum"] > 0:
            (buffer,) = as_real(state["momentum_buffer"])
            buffer.mul_(group["momentum"]).addcdiv_(gradient, bottom)
            parameter.add_(buffer, alpha=-float(group["lr"]))
        else:
            parameter.addcdiv_(gradient, bottom, value=-float(group["lr"]))

    def _update_lists(self, params: Any, grads: Any, state: Any, group: dict[str, Any]) -> None:
        torch._foreach_add_(state["step"], 1)
        grads, lr, alpha = decay(params, grads, group), rate(group), group["alpha"]
        squares = state["square_avg"]
        torch._foreach_mul_(squares, alpha)
        torch._foreach_addcmul_(squares, grads, grads, 1 - alpha)
        if group["centered"]:
            means = state["grad_avg"]
            torch._foreach_lerp_(means, grads, 1 - alpha)
            bottoms = torch._foreach_addcmul(squares, means, means, -1)
            torch._foreach_sqrt_(bottoms)
        else:
            bottoms = torch._foreach_sqrt(squares)
        torch._foreach_add_(bottoms, group["eps"])
        if group["momentum"] > 0:
            buffers = state["momentum_buffer"]
            torch._foreach_mul_(buffers, group["momentum"])
            torch._foreach_addcdiv_(buffers, grads, bottoms, 1.0)
            add_scaled(params, buffers, -lr)
        else:
            add_quotients(params, grads, bottoms, -lr)
