"""Stochastic gradient descent, with momentum."""

import torch
from torch import _C
from torch.optim._common import check, check_lr, closure_loss, decayed
from torch.optim.optimizer import Optimizer

_fused_sgd_ = getattr(_C._VariableFunctions, "_fused_sgd_", None)


class SGD(Optimizer):
    """v = momentum * v + (1 - dampening) * (grad + weight_decay * p);  p -= lr * v (or, nesterov, lr * (grad
    + momentum * v)).

    All parameters of a group change in one call, unless `foreach` or `fused` is False, or they are sparse or
    complex."""

    def __init__(self, params, lr=1e-3, momentum=0, dampening=0, weight_decay=0, nesterov=False, *,
                 maximize=False,
                 foreach=None, differentiable=False, fused=None):
        check_lr(lr)
        check("momentum", momentum)
        check("weight_decay", weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        if fused and differentiable:
            raise RuntimeError("`fused` does not support `differentiable`")
        if fused and foreach:
            raise RuntimeError("`fused` and `foreach` cannot be `True` together.")
        super().__init__(params, {
            "lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize, "foreach": foreach, "differentiable": differentiable, "fused": fused})

    def __setstate__(self, state):
        super().__setstate__(state)
        for group in self.param_groups:
            for name, plain in (("nesterov", False), ("maximize", False), ("foreach", None),
                                ("differentiable", False),
                                ("fused", False)):
                group.setdefault(name, plain)

    def step(self, closure=None):
        """Change the parameters once by their gradients; returns the closure's loss."""
        before = torch.is_grad_enabled()
        _C._set_grad_enabled(self.defaults["differentiable"])
        try:
            loss = closure_loss(closure)
            for group in self.param_groups:
                params, gradients, simple = (
                    [],
                    [],
                    group["fused"] is not False and not group["differentiable"],
                )
                for parameter in group["params"]:
                    gradient = parameter.grad
                    if gradient is not None:
                        params.append(parameter)
                        gradients.append(gradient)
                        simple = simple and not gradient.is_sparse and parameter.is_floating_point()
                if params:
                    self._update(group, params, gradients, simple and group["foreach"] is not False)
        finally:
            _C._set_grad_enabled(before)
        return loss

    def _update(self, group, params, gradients, simple):
        momentum, state = group["momentum"], self.state
        if simple and _fused_sgd_ is not None:
            if momentum == 0:
                return self._fused(group, params, gradients, [], False)
            buffers = [state[parameter].get("momentum_buffer") for parameter in params]
            missing = sum(buffer is None for buffer in buffers)
            if missing in (0, len(buffers)):
                if missing:
                    buffers = [torch.empty_like(gradient) for gradient in gradients]
                    for parameter, buffer in zip(params, buffers):
                        state[parameter]["momentum_buffer"] = buffer
                return self._fused(group, params, gradients, buffers, missing > 0)
        for parameter, gradient in zip(params, gradients):
            _plain(parameter, gradient, state[parameter] if momentum else None, group)

    @staticmethod
    def _fused(group, params, gradients, buffers, first):
        _fused_sgd_(params, gradients, buffers, weight_decay=group["weight_decay"],
                    momentum=group["momentum"],
                    lr=group["lr"], dampening=group["dampening"], nesterov=group["nesterov"],
                    maximize=group["maximize"],
                    is_first_step=first)


def _plain(parameter, gradient, state, group):
    """The rule for one parameter, in plain operators."""
    momentum = group["momentum"]
    gradient = decayed(parameter, -gradient if group["maximize"] else gradient, group)
    if momentum != 0:
        buffer = state.get("momentum_buffer")
        if buffer is None:
            buffer = state["momentum_buffer"] = gradient.detach().clone()
        else:
            buffer.mul_(momentum).add_(gradient, alpha=1 - group["dampening"])
        gradient = gradient.add(buffer, alpha=momentum) if group["nesterov"] else buffer
    lr = group["lr"]
    if isinstance(lr, torch.Tensor) and lr.requires_grad:
        parameter.addcmul_(gradient, lr, value=-1)
    else:
        parameter.add_(gradient, alpha=-lr if not isinstance(lr, torch.Tensor) else -lr.item())
