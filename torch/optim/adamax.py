"""Adamax (Kingma and Ba 2014)."""

import torch
from torch.optim._common import PlainStep, as_real, check, check_betas, check_lr, decayed, step_value, zeros
from torch.optim.optimizer import Optimizer


class Adamax(PlainStep, Optimizer):
    """p -= lr / (1 - beta1 ** step) * m / u, with u = max(beta2 * u, abs(grad) + eps)."""

    def __init__(self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, foreach=None, *,
                 maximize=False,
                 differentiable=False, capturable=False):
        check_lr(lr)
        check("epsilon", eps)
        check_betas(betas)
        check("weight_decay", weight_decay)
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable, "capturable": capturable})

    def _start(self, state, parameter, group):
        state["step"], state["exp_avg"], state["exp_inf"] = step_value(), zeros(parameter), zeros(parameter)

    def _update(self, parameter, gradient, state, group):
        beta1, beta2 = group["betas"]
        state["step"] += 1
        gradient = decayed(parameter, gradient, group)
        parameter, gradient, mean, bound = as_real(parameter, gradient, state["exp_avg"], state["exp_inf"])
        mean.lerp_(gradient, 1 - beta1)
        torch.maximum(bound.mul_(beta2), gradient.abs().add_(group["eps"]), out=bound)
        parameter.addcdiv_(mean, bound, value=-float(group["lr"]) / (1 - beta1 ** state["step"].item()))
