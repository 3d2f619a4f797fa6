"""Averaged stochastic gradient descent (Polyak and Juditsky 1992)."""

import torch
from torch.optim._common import PlainStep, as_real, check, check_lr, decayed, step_value, zeros
from torch.optim.optimizer import Optimizer


class ASGD(PlainStep, Optimizer):
    """Gradient descent with rate lr / (1 + lambd * lr * step) ** alpha; `ax` averages the parameter from
    step t0 on."""

    def __init__(self, params, lr=1e-2, lambd=1e-4, alpha=0.75, t0=1e6, weight_decay=0, foreach=None,
                 maximize=False,
                 differentiable=False, capturable=False):
        check_lr(lr)
        check("weight_decay", weight_decay)
        super().__init__(params, {
            "lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0, "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize, "differentiable": differentiable, "capturable": capturable})

    def _start(self, state, parameter, group):
        state["step"] = step_value()
        state["eta"] = torch.as_tensor(float(group["lr"]), dtype=torch.float32).clone()
        state["mu"], state["ax"] = step_value() + 1, zeros(parameter)

    def _update(self, parameter, gradient, state, group):
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
        state["eta"] = torch.as_tensor(lr / (1 + group["lambd"] * lr * step) ** group["alpha"],
                                       dtype=torch.float32)
        state["mu"] = torch.as_tensor(1 / max(1, step - group["t0"]), dtype=torch.float32)
