"""Adagrad (Duchi et al. 2011)."""

import torch
from torch.optim._common import PlainStep, as_real, check, check_lr, step_value
from torch.optim.optimizer import Optimizer


class Adagrad(PlainStep, Optimizer):
    """p -= lr / (1 + (step - 1) * lr_decay) * grad / (sqrt(sum of squared gradients) + eps)."""

    _takes_sparse = True

    def __init__(self, params, lr=1e-2, lr_decay=0, weight_decay=0, initial_accumulator_value=0, eps=1e-10,
                 foreach=None, *,
                 maximize=False, differentiable=False, fused=None):
        check_lr(lr)
        for name, value in (("lr_decay", lr_decay), ("weight_decay", weight_decay),
                            ("initial_accumulator_value", initial_accumulator_value), ("epsilon", eps)):
            check(name, value)
        super().__init__(params, {
            "lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable, "fused": fused})
        for group in self.param_groups:
            for parameter in group["params"]:
                self._start(self.state[parameter], parameter, group)

    def _start(self, state, parameter, group):
        value = group["initial_accumulator_value"]
        value = complex(value, value) if parameter.is_complex() else value
        state["step"] = step_value()
        state["sum"] = torch.full_like(parameter, value, memory_format=torch.preserve_format)

    def share_memory(self):
        """Move the sums of squares into shared memory."""
        for group in self.param_groups:
            for parameter in group["params"]:
                self.state[parameter]["sum"].share_memory_()

    def _update(self, parameter, gradient, state, group):
        state["step"] += 1
        if group["weight_decay"] != 0:
            if gradient.is_sparse:
                raise RuntimeError("weight_decay option is not compatible with sparse gradients")
            gradient = gradient.add(parameter, alpha=group["weight_decay"])
        rate = float(group["lr"]) / (1 + (state["step"].item() - 1) * group["lr_decay"])
        if gradient.is_sparse:
            gradient = gradient.coalesce()
            indices, values = gradient._indices(), gradient._values()

            def like(part):
                return torch.sparse_coo_tensor(indices, part, gradient.size())

            state["sum"].add_(like(values.pow(2)))
            bottom = state["sum"].sparse_mask(gradient)._values().sqrt_().add_(group["eps"])
            parameter.add_(like(values / bottom), alpha=-rate)
            return
        parameter, gradient, total = as_real(parameter, gradient, state["sum"])
        total.addcmul_(gradient, gradient, value=1)
        parameter.addcdiv_(gradient, total.sqrt().add_(group["eps"]), value=-rate)
