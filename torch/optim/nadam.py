"""NAdam (Dozat 2016)."""

from __future__ import annotations

import torch
from torch.optim._common import PlainStep, as_real, check, check_betas, check_lr, plus_eps, step_value, zeros
from torch.optim._functional import nadam as nadam
from torch.optim._lists import add_quotients, counted, decay, rate, spread, vector
from torch.optim.optimizer import Optimizer

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any

    from torch import Tensor
    from torch.optim.optimizer import ParamsT


class NAdam(PlainStep, Optimizer):
    """Adam with Nesterov momentum (Dozat 2016), of strength `mu(t) = beta1 * (1 - 0.96 ** (t * momentum_decay) / 2)`.

    Args:
        params (iterable): parameters, (name, parameter) pairs, or dictionaries with 'params' and settings of their own
        lr (float or Tensor, default 2e-3): learning rate; a tensor is read at every step
        betas (tuple[float or Tensor, float or Tensor], default (0.9, 0.999)): decay of the averages of the gradient and
            of its square, from 0 to below 1
        eps (float, default 1e-8): keeps the divisor from 0
        weight_decay (float, default 0): factor of the parameter that is added to its gradient
        momentum_decay (float, default 4e-3): how fast the momentum grows
        decoupled_weight_decay (bool, default False): shrink the parameter by `lr * weight_decay` instead
        foreach (bool or None): None: the fast way; False: one parameter at a time, in plain operators
        maximize (bool, default False): go up the gradient instead of down
        capturable (bool, default False): for graphs on a GPU; refused for parameters on a CPU
        differentiable (bool, default False): record the step itself for autograd

    Raises:
        ValueError: a setting is out of range

    Example:
        >>> p = nn.Parameter(torch.tensor([1.]))
        >>> optimizer = torch.optim.NAdam([p])
        >>> for _ in range(3):
        ...     optimizer.zero_grad()
        ...     (p ** 2).sum().backward()
        ...     optimizer.step()
        >>> bool(p < 1)
        True
    """

    def __init__(
        self, params: ParamsT, lr: float | Tensor = 2e-3, betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
        eps: float = 1e-8, weight_decay: float = 0, momentum_decay: float = 4e-3, decoupled_weight_decay: bool = False, *,
        foreach: bool | None = None, maximize: bool = False, capturable: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        check_lr(lr)
        check("epsilon", eps)
        check_betas(betas)
        check("weight_decay", weight_decay)
        check("momentum_decay", momentum_decay)
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay, "maximize": maximize, "foreach": foreach,
            "capturable": capturable, "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _start(self, state: Any, parameter: Tensor, group: dict[str, Any]) -> None:
        state["step"], state["mu_product"] = step_value(parameter, group), step_value(parameter, group, 1.0)
        state["exp_avg"], state["exp_avg_sq"] = zeros(parameter), zeros(parameter)

    def _update(self, parameter: Tensor, gradient: Tensor, state: Any, group: dict[str, Any]) -> None:
        beta1, beta2 = group["betas"]
        lr, decay = float(group["lr"]), group["weight_decay"]
        state["step"] += 1
        step = state["step"].item()
        if decay != 0:
            if group["decoupled_weight_decay"]:
                parameter.mul_(1 - lr * decay)
            else:
                gradient = gradient.add(parameter, alpha=decay)
        parameter, gradient, mean, square = as_real(parameter, gradient, state["exp_avg"], state["exp_avg_sq"])
        mu = beta1 * (1.0 - 0.5 * 0.96 ** (step * group["momentum_decay"]))
        mu_next = beta1 * (1.0 - 0.5 * 0.96 ** ((step + 1) * group["momentum_decay"]))
        state["mu_product"] *= mu
        product = state["mu_product"].item()
        mean.lerp_(gradient, 1 - beta1)
        square.mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
        bottom = plus_eps(square.div(1 - beta2**step).sqrt(), group)
        parameter.addcdiv_(gradient, bottom, value=-lr * (1.0 - mu) / (1.0 - product))
        parameter.addcdiv_(mean, bottom, value=-lr * mu_next / (1.0 - product * mu_next))

    def _update_lists(self, params: Any, grads: Any, state: Any, group: dict[str, Any]) -> None:
        beta1, beta2 = group["betas"]
        steps = counted(state["step"], group, params[0].device)
        grads, lr = decay(params, grads, group), rate(group)
        means, squares, products = state["exp_avg"], state["exp_avg_sq"], state["mu_product"]
        mu = beta1 * (1.0 - 0.5 * 0.96 ** (steps * group["momentum_decay"]))
        mu_next = beta1 * (1.0 - 0.5 * 0.96 ** ((steps + 1) * group["momentum_decay"]))
        torch._foreach_mul_(products, spread(mu, products[0]) if products[0].device == mu.device else mu.tolist())
        product = vector(products, "mu_product", group, params[0].device).to(mu.device)
        torch._foreach_lerp_(means, grads, 1 - beta1)
        torch._foreach_mul_(squares, beta2)
        torch._foreach_addcmul_(squares, grads, grads, 1 - beta2)
        bottoms = torch._foreach_div(squares, spread(1 - beta2**steps, params[0]))
        torch._foreach_sqrt_(bottoms)
        torch._foreach_add_(bottoms, group["eps"])
        add_quotients(params, grads, bottoms, spread(-lr * (1.0 - mu) / (1.0 - product), params[0]))
        add_quotients(params, means, bottoms, spread(-lr * mu_next / (1.0 - product * mu_next), params[0]))
