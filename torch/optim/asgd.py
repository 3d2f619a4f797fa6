"""Averaged stochastic gradient descent (Polyak and Juditsky 1992)."""

from __future__ import annotations

import torch
from torch.optim._common import PlainStep, as_real, check, check_lr, decayed, step_value, zeros
from torch.optim._functional import asgd as asgd
from torch.optim._lists import add_scaled, counted, decay, rate, spread, vector
from torch.optim.optimizer import Optimizer

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any

    from torch import Tensor
    from torch.optim.optimizer import ParamsT


class ASGD(PlainStep, Optimizer):
    """Gradient descent whose parameters are averaged too (Polyak and Juditsky 1992).

    The rate is `lr / (1 + lambd * lr * step) ** alpha`; the state's `ax` is the average.

    Args:
        params (iterable): parameters, (name, parameter) pairs, or dictionaries with 'params' and settings of their own
        lr (float or Tensor, default 1e-2): learning rate; a tensor is read at every step
        lambd (float, default 1e-4): how fast the rate falls, and parameters shrink
        alpha (float, default 0.75): exponent of the rate
        t0 (float, default 1e6): step from which the average begins
        weight_decay (float, default 0): factor of the parameter that is added to its gradient
        foreach (bool or None): None: the fast way; False: one parameter at a time, in plain operators
        maximize (bool, default False): go up the gradient instead of down
        differentiable (bool, default False): record the step itself for autograd
        capturable (bool, default False): for graphs on a GPU; refused for parameters on a CPU

    Raises:
        ValueError: a setting is out of range

    Example:
        >>> p = nn.Parameter(torch.tensor([1.]))
        >>> optimizer = torch.optim.ASGD([p])
        >>> for _ in range(3):
        ...     optimizer.zero_grad()
        ...     (p ** 2).sum().backward()
        ...     optimizer.step()
        >>> bool(p < 1)
        True
    """

    def __init__(
        self, params: ParamsT, lr: float | Tensor = 1e-2, lambd: float = 1e-4, alpha: float = 0.75, t0: float = 1e6,
        weight_decay: float = 0, foreach: bool | None = None, maximize: bool = False, differentiable: bool = False,
        capturable: bool = False,
    ) -> None:  # fmt: skip
        check_lr(lr)
        check("weight_decay", weight_decay)
        super().__init__(
            params,
            {
                "lr": lr,
                "lambd": lambd,
                "alpha": alpha,
                "t0": t0,
                "weight_decay": weight_decay,
                "foreach": foreach,
                "maximize": maximize,
                "differentiable": differentiable,
                "capturable": capturable,
            },
        )

    def _start(self, state: Any, parameter: Tensor, group: dict[str, Any]) -> None:
        state["step"] = step_value(parameter, group, on_device=True)
        lr = group["lr"]
        if isinstance(lr, torch.Tensor):
            state["eta"] = lr.detach().reshape(()).to(dtype=state["step"].dtype, device=parameter.device, copy=True)
        else:
            state["eta"] = step_value(parameter, group, lr, on_device=True)
        state["mu"], state["ax"] = step_value(parameter, group, 1.0, on_device=True), zeros(parameter)

    def _update(self, parameter: Tensor, gradient: Tensor, state: Any, group: dict[str, Any]) -> None:
        state["step"] += 1
        step = state["step"].item()
        gradient = decayed(parameter, gradient, group)
        parameter, gradient, average = as_real(parameter, gradient, state["ax"])
        eta, mu = state["eta"].item(), state["mu"].item()
        parameter.mul_(1 - group["lambd"] * eta)
        parameter.add_(gradient, alpha=-eta)
        if mu == 1:
            average.copy_(parameter)
        else:
            average.add_(parameter.sub(average).mul_(mu))
        lr = float(group["lr"])
        state["eta"] = torch.as_tensor(lr / (1 + group["lambd"] * lr * step) ** group["alpha"], dtype=state["eta"].dtype)
        state["mu"] = torch.as_tensor(1 / max(1, step - group["t0"]), dtype=state["mu"].dtype)

    def _update_lists(self, params: Any, grads: Any, state: Any, group: dict[str, Any]) -> None:
        # Rate and weight of the average are on the device too, so no step waits, capturable or not.
        etas, mus, averages = state["eta"], state["mu"], state["ax"]
        steps = counted(state["step"], group, params[0].device)
        grads, lambd = decay(params, grads, group), group["lambd"]
        eta, mu = vector(etas, "eta", group, params[0].device), vector(mus, "mu", group, params[0].device)
        torch._foreach_mul_(params, spread(1 - lambd * eta, params[0]))
        add_scaled(params, grads, spread(-eta, params[0]))
        # mu is 1 until the average begins: it is the parameter itself then.
        moves = torch._foreach_sub(params, averages)
        torch._foreach_mul_(moves, spread(mu, params[0]))
        torch._foreach_add_(averages, moves)
        lr = rate(group)
        new_eta = lr / (1 + lambd * lr * steps) ** group["alpha"]
        new_mu = 1 / torch.clamp(steps - group["t0"], min=1)
        torch._foreach_copy_(etas, list(new_eta.to(etas[0].dtype).unbind()))
        torch._foreach_copy_(mus, list(new_mu.to(mus[0].dtype).unbind()))
