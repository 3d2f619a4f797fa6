"""Adadelta (Zeiler 2012)."""

from torch.optim._common import PlainStep, as_real, check, check_lr, decayed, step_value, zeros
from torch.optim.optimizer import Optimizer


class Adadelta(PlainStep, Optimizer):
    """p -= lr * d, with d = sqrt(u + eps) / sqrt(v + eps) * grad; v and u average the squares of grad and of
    d."""

    def __init__(self, params, lr=1.0, rho=0.9, eps=1e-6, weight_decay=0, foreach=None, *, capturable=False,
                 maximize=False,
                 differentiable=False):
        check_lr(lr)
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        check("epsilon", eps)
        check("weight_decay", weight_decay)
        super().__init__(params, {
            "lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
            "capturable": capturable,
            "foreach": foreach, "differentiable": differentiable})

    def _start(self, state, parameter, group):
        state["step"], state["square_avg"], state["acc_delta"] = (
            step_value(),
            zeros(parameter),
            zeros(parameter),
        )

    def _update(self, parameter, gradient, state, group):
        rho, eps = group["rho"], group["eps"]
        state["step"] += 1
        gradient = decayed(parameter, gradient, group)
        parameter, gradient, square, moved = as_real(parameter, gradient, state["square_avg"],
                                                     state["acc_delta"])
        square.mul_(rho).addcmul_(gradient, gradient, value=1 - rho)
        change = moved.add(eps).sqrt_().div_(square.add(eps).sqrt_()).mul_(gradient)
        moved.mul_(rho).addcmul_(change, change, value=1 - rho)
        parameter.add_(change, alpha=-float(group["lr"]))
