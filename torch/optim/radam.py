"""RAdam (Liu et al. 2019)."""

import math

from torch.optim._common import PlainStep, as_real, check, check_betas, check_lr, step_value, zeros
from torch.optim.optimizer import Optimizer


class RAdam(PlainStep, Optimizer):
    """Adam whose adaptive part is scaled by r(t), and left out while too few gradients were seen."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0,
                 decoupled_weight_decay=False, *,
                 foreach=None, maximize=False, capturable=False, differentiable=False):
        check_lr(lr)
        check("epsilon", eps)
        check_betas(betas)
        check("weight_decay", weight_decay)
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable, "decoupled_weight_decay": decoupled_weight_decay,
            "differentiable": differentiable})

    def _start(self, state, parameter, group):
        state["step"], state["exp_avg"], state["exp_avg_sq"] = (
            step_value(),
            zeros(parameter),
            zeros(parameter),
        )

    def _update(self, parameter, gradient, state, group):
        beta1, beta2 = group["betas"]
        lr, decay = float(group["lr"]), group["weight_decay"]
        state["step"] += 1
        step = state["step"].item()
        if decay != 0:
            if group["decoupled_weight_decay"]:
                parameter.mul_(1 - lr * decay)
            else:
                gradient = gradient.add(parameter, alpha=decay)
        parameter, gradient, mean, square = as_real(parameter, gradient, state["exp_avg"],
                                                    state["exp_avg_sq"])
        mean.lerp_(gradient, 1 - beta1)
        square.mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
        left1, left2 = 1 - beta1 ** step, 1 - beta2 ** step
        corrected = mean / left1
        longest = 2 / (1 - beta2) - 1
        length = longest - 2 * step * beta2 ** step / left2
        if length <= 5.0:
            parameter.add_(corrected * lr, alpha=-1.0)
            return
        rectify = math.sqrt((length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length))
        adaptive = left2 ** 0.5 / square.sqrt().add_(group["eps"])
        parameter.add_(corrected * lr * adaptive * rectify, alpha=-1.0)
