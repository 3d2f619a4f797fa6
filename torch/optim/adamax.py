"""Adamax (Kingma and Ba 2014)."""

from __future__ import annotations

import torch
from torch.optim._common import PlainStep, as_real, check, check_betas, check_lr, decayed, step_value, zeros
from torch.optim._functional import adamax as adamax
from torch.optim._lists import add_quotients, counted, decay, rate, spread
from torch.optim.optimizer import Optimizer

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any

    from torch import Tensor
    from torch.optim.optimizer import ParamsT


class Adamax(PlainStep, Optimizer):
    """`p -= lr / (1 - beta1 ** step) * m / u`, with `u = max(beta2 * u, abs(grad) + eps)` (Kingma and Ba 2014).

    m averages the gradient.

    Args:
        params (iterable): parameters, (name, parameter) pairs, or dictionaries with 'params' and settings of their own
        lr (float or Tensor, default 2e-3): learning rate; a tensor is read at every step
        betas (tuple[float or Tensor, float or Tensor], default (0.9, 0.999)): decay of the averages of the gradient and
            of its square, from 0 to below 1
        eps (float, default 1e-8): keeps the divisor from 0
        weight_decay (float, default 0): factor of the parameter that is added to its gradient
        foreach (bool or None): None: the fast way; False: one parameter at a time, in plain operators
        maximize (bool, default False): go up the gradient instead of down
        differentiable (bool, default False): record the step itself for autograd
        capturable (bool, default False): for graphs on a GPU; refused for parameters on a CPU

    Raises:
        ValueError: a setting is out of range

    Example:
        >>> p = nn.Parameter(torch.tensor([1.]))
        >>> optimizer = torch.optim.Adamax([p])
        >>> for _ in range(3):
        ...     optimizer.zero_grad()
        ...     (p ** 2).sum().backward()
        ...     optimizer.step()
        >>> bool(p < 1)
        True
    """

    def __init__(
        self, params: ParamsT, lr: float | Tensor = 2e-3, betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
        eps: float = 1e-8, weight_decay: float = 0, foreach: bool | None = None, *, maximize: bool = False,
        differentiable: bool = False, capturable: bool = False,
    ) -> None:  # fmt: skip
        check_lr(lr)
        check("epsilon", eps)
        check_betas(betas)
        check("weight_decay", weight_decay)
        super().__init__(
            params,
            {
                "lr": lr,
                "betas": betas,
                "eps": eps,
                "weight_decay": weight_decay,
                "foreach": foreach,
                "maximize": maximize,
                "differentiable": differentiable,
                "capturable": capturable,
            },
        )

    def _start(self, state: Any, parameter: Tensor, group: dict[str, Any]) -> None:
        state["step"], state["exp_avg"], state["exp_inf"] = step_value(parameter, group), zeros(parameter), zeros(parameter)

    def _update(self, parameter: Tensor, gradient: Tensor, state: Any, group: dict[str, Any]) -> None:
        beta1, beta2 = group["betas"]
        state["step"] += 1
        gradient = decayed(parameter, gradient, group)
        parameter, gradient, mean, bound = as_real(parameter, gradient, state["exp_avg"], state["exp_inf"])
        mean.lerp_(gradient, 1 - beta1)
        torch.maximum(bound.mul_(beta2), gradient.abs().add_(group["eps"]), out=bound)
        parameter.addcdiv_(mean, bound, value=-float(group["lr"]) / (1 - beta1 ** state["step"].item()))

    def _update_lists(self, params: Any, grads: Any, state: Any, group: dict[str, Any]) -> None:
        beta1, beta2 = group["betas"]
        steps = counted(state["step"], group, params[0].device)
        grads = decay(params, grads, group)
        means, bounds = state["exp_avg"], state["exp_inf"]
        torch._foreach_lerp_(means, grads, 1 - beta1)
        torch._foreach_mul_(bounds, beta2)
        sizes = torch._foreach_abs(grads)
        torch._foreach_add_(sizes, group["eps"])
        torch._foreach_maximum_(bounds, sizes)
        add_quotients(params, means, bounds, spread(-rate(group) / (1 - beta1**steps), params[0]))
