"""RAdam (Liu et al. 2019)."""

from __future__ import annotations

import math

import torch
from torch.optim._common import PlainStep, as_real, check, check_betas, check_lr, plus_eps, step_value, zeros
from torch.optim._functional import radam as radam
from torch.optim._lists import add_scaled, counted, decay, rate, spread
from torch.optim.optimizer import Optimizer

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any

    from torch import Tensor
    from torch.optim.optimizer import ParamsT


class RAdam(PlainStep, Optimizer):
    """Adam whose adaptive part is rectified: scaled, and left out while too few gradients were seen (Liu et al. 2019).

    Args:
        params (iterable): parameters, (name, parameter) pairs, or dictionaries with 'params' and settings of their own
        lr (float or Tensor, default 1e-3): learning rate; a tensor is read at every step
        betas (tuple[float or Tensor, float or Tensor], default (0.9, 0.999)): decay of the averages of the gradient and
            of its square, from 0 to below 1
        eps (float, default 1e-8): keeps the divisor from 0
        weight_decay (float, default 0): factor of the parameter that is added to its gradient
        decoupled_weight_decay (bool, default False): shrink the parameter by `lr * weight_decay` instead
        foreach (bool or None): None: the fast way; False: one parameter at a time, in plain operators
        maximize (bool, default False): go up the gradient instead of down
        capturable (bool, default False): for graphs on a GPU; refused for parameters on a CPU
        differentiable (bool, default False): record the step itself for autograd

    Raises:
        ValueError: a setting is out of range

    Example:
        >>> p = nn.Parameter(torch.tensor([1.]))
        >>> optimizer = torch.optim.RAdam([p])
        >>> for _ in range(3):
        ...     optimizer.zero_grad()
        ...     (p ** 2).sum().backward()
        ...     optimizer.step()
        >>> bool(p < 1)
        True
    """

    _records_lr = True

    def __init__(
        self, params: ParamsT, lr: float | Tensor = 1e-3, betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
        eps: float = 1e-8, weight_decay: float = 0, decoupled_weight_decay: bool = False, *, foreach: bool | None = None,
        maximize: bool = False, capturable: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        check_lr(lr)
        check("epsilon", eps)
        check_betas(betas)
        check("weight_decay", weight_decay)
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "maximize": maximize, "foreach": foreach,
            "capturable": capturable, "decoupled_weight_decay": decoupled_weight_decay, "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _start(self, state: Any, parameter: Tensor, group: dict[str, Any]) -> None:
        state["step"], state["exp_avg"], state["exp_avg_sq"] = (
            step_value(parameter, group),
            zeros(parameter),
            zeros(parameter),
        )

    def _update(self, parameter: Tensor, gradient: Tensor, state: Any, group: dict[str, Any]) -> None:
        beta1, beta2 = group["betas"]
        lr, decay = group["lr"], group["weight_decay"]
        lr = lr if group.get("differentiable") else float(lr)
        state["step"] += 1
        step = state["step"].item()
        if decay != 0:
            if group["decoupled_weight_decay"]:
                parameter.mul_(1 - lr * decay)
            else:
                gradient = gradient.add(parameter, alpha=decay)
        parameter, gradient, mean, square = as_real(parameter, gradient, state["exp_avg"], state["exp_avg_sq"])
        mean.lerp_(gradient, 1 - beta1)
        square.mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
        left1, left2 = 1 - beta1**step, 1 - beta2**step
        corrected = mean / left1
        longest = 2 / (1 - beta2) - 1
        length = longest - 2 * step * beta2**step / left2
        if length <= 5.0:
            parameter.add_(corrected * lr, alpha=-1.0)
            return
        rectify = math.sqrt((length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length))
        adaptive = left2**0.5 / plus_eps(square.sqrt(), group)
        parameter.add_(corrected * lr * adaptive * rectify, alpha=-1.0)

    def _update_lists(self, params: Any, grads: Any, state: Any, group: dict[str, Any]) -> None:
        beta1, beta2 = group["betas"]
        steps = counted(state["step"], group, params[0].device)
        grads = decay(params, grads, group)
        means, squares = state["exp_avg"], state["exp_avg_sq"]
        torch._foreach_lerp_(means, grads, 1 - beta1)
        torch._foreach_mul_(squares, beta2)
        torch._foreach_addcmul_(squares, grads, grads, 1 - beta2)
        left1, left2 = 1 - beta1**steps, 1 - beta2**steps
        longest = 2 / (1 - beta2) - 1
        length = longest - 2 * steps * beta2**steps / left2
        rectified = length > 5.0
        safe = torch.where(rectified, length, 6.0)
        rectify = ((safe - 4) * (safe - 2) * longest / ((longest - 4) * (longest - 2) * safe)).sqrt() * left2.sqrt()
        # A step moves by the mean, times its size over the root where it is rectified.
        adaptive = torch._foreach_sqrt(squares)
        torch._foreach_add_(adaptive, group["eps"])
        torch._foreach_reciprocal_(adaptive)
        torch._foreach_mul_(adaptive, spread(torch.where(rectified, rectify, 0.0), params[0]))
        torch._foreach_add_(adaptive, spread(torch.where(rectified, 0.0, 1.0).double(), params[0]))
        torch._foreach_mul_(adaptive, means)
        add_scaled(params, adaptive, spread(-rate(group) / left1, params[0]))
