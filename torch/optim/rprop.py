"""Rprop (Riedmiller and Braun 1993)."""

import torch
from torch.optim._common import PlainStep, as_real, check_lr, step_value, zeros
from torch.optim.optimizer import Optimizer


class Rprop(PlainStep, Optimizer):
    """Steps by the sign of the gradient only, each element's size growing while the sign stays and shrinking
    when it turns."""

    def __init__(self, params, lr=1e-2, etas=(0.5, 1.2), step_sizes=(1e-6, 50), *, capturable=False,
                 foreach=None,
                 maximize=False, differentiable=False):
        check_lr(lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        super().__init__(params, {
            "lr": lr, "etas": etas, "step_sizes": step_sizes, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable, "capturable": capturable})

    def _start(self, state, parameter, group):
        first = float(group["lr"])
        first = complex(first, first) if parameter.is_complex() else first
        state["step"], state["prev"] = step_value(), zeros(parameter)
        state["step_size"] = torch.full_like(parameter, first)

    def _update(self, parameter, gradient, state, group):
        state["step"] += 1
        shrink, grow = group["etas"]
        parameter, gradient, before, sizes = as_real(parameter, gradient, state["prev"], state["step_size"])
        sign = gradient.mul(before).sign()
        factor = torch.where(sign > 0, grow, torch.where(sign < 0, shrink, 1.0)).to(sizes.dtype)
        sizes.mul_(factor).clamp_(*group["step_sizes"])
        gradient = torch.where(sign < 0, torch.zeros_like(gradient), gradient)
        parameter.addcmul_(gradient.sign(), sizes, value=-1)
        before.copy_(gradient)
