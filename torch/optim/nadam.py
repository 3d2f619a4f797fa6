"""NAdam (Dozat 2016)."""

from torch.optim._common import PlainStep, as_real, check, check_betas, check_lr, step_value, zeros
from torch.optim.optimizer import Optimizer


class NAdam(PlainStep, Optimizer):
    """Adam with Nesterov momentum, whose strength is mu(t) = beta1 * (1 - 0.96 ** (t * momentum_decay) /
    2)."""

    def __init__(self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, momentum_decay=4e-3,
                 decoupled_weight_decay=False, *, foreach=None, maximize=False, capturable=False,
                 differentiable=False):
        check_lr(lr)
        check("epsilon", eps)
        check_betas(betas)
        check("weight_decay", weight_decay)
        check("momentum_decay", momentum_decay)
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay,
            "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay, "maximize": maximize, "foreach": foreach,
            "capturable": capturable, "differentiable": differentiable})

    def _start(self, state, parameter, group):
        state["step"], state["mu_product"] = step_value(), step_value() + 1
        state["exp_avg"], state["exp_avg_sq"] = zeros(parameter), zeros(parameter)

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
        mu = beta1 * (1.0 - 0.5 * 0.96 ** (step * group["momentum_decay"]))
        mu_next = beta1 * (1.0 - 0.5 * 0.96 ** ((step + 1) * group["momentum_decay"]))
        state["mu_product"] *= mu
        product = state["mu_product"].item()
        mean.lerp_(gradient, 1 - beta1)
        square.mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
        bottom = square.div(1 - beta2 ** step).sqrt().add_(group["eps"])
        parameter.addcdiv_(gradient, bottom, value=-lr * (1.0 - mu) / (1.0 - product))
        parameter.addcdiv_(mean, bottom, value=-lr * mu_next / (1.0 - product * mu_next))
