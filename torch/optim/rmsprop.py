"""RMSprop (Hinton 2012)."""

from torch.optim._common import PlainStep, as_real, check, check_lr, decayed, step_value, zeros
from torch.optim.optimizer import Optimizer


class RMSprop(PlainStep, Optimizer):
    """p -= lr * grad / (sqrt(v) + eps), where v averages the squared gradient, less its mean's square if
    `centered`."""

    def __init__(self, params, lr=1e-2, alpha=0.99, eps=1e-8, weight_decay=0, momentum=0, centered=False,
                 capturable=False,
                 foreach=None, maximize=False, differentiable=False):
        check_lr(lr)
        for name, value in (("epsilon", eps), ("momentum", momentum), ("weight_decay", weight_decay),
                            ("alpha", alpha)):
            check(name, value)
        super().__init__(params, {
            "lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered,
            "weight_decay": weight_decay,
            "capturable": capturable, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable})

    def _start(self, state, parameter, group):
        state["step"], state["square_avg"] = step_value(), zeros(parameter)
        if group["momentum"] > 0:
            state["momentum_buffer"] = zeros(parameter)
        if group["centered"]:
            state["grad_avg"] = zeros(parameter)

    def _update(self, parameter, gradient, state, group):
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
        bottom = bottom.add_(group["eps"])
        if group["momentum"] > 0:
            (buffer,) = as_real(state["momentum_buffer"])
            buffer.mul_(group["momentum"]).addcdiv_(gradient, bottom)
            parameter.add_(buffer, alpha=-float(group["lr"]))
        else:
            parameter.addcdiv_(gradient, bottom, value=-float(group["lr"]))
