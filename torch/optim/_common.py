"""What the optimizers share: checks of settings, the frame of a step."""

import math

import torch

FOREACH_NAMES = ("foreach", "maximize", "capturable", "differentiable", "fused")


def check(name, value, low=0.0, high=math.inf):
    """A setting in [low, high)."""
    if isinstance(value, torch.Tensor):
        value = value.item()
    if not low <= value < high:
        raise ValueError(f"Invalid {name} value: {value}" if name != "learning rate" else f"Invalid "
                                                                                          f"learning rate: "
                                                                                          f"{value}")


def check_lr(lr):
    if isinstance(lr, torch.Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")
    check("learning rate", lr)


def check_betas(betas):
    for k, beta in enumerate(betas):
        if not 0.0 <= beta < 1.0:
            raise ValueError(f"Invalid beta parameter at index {k}: {beta}")


def closure_loss(closure):
    """The loss that the closure computes, with recording on: `step` itself runs without."""
    if closure is None:
        return None
    with torch.enable_grad():
        return closure()


def step_value():
    """A new step counter: a float32 number, as state_dicts hold it."""
    return torch.tensor(0.0, dtype=torch.float32)


class PlainStep:
    """Mixed into an optimizer whose step handles one parameter after the other.

    The optimizer defines `_start(state, parameter, group)`, which makes a state, and
    `_update(parameter, gradient, state, group)`, which uses it."""

    def step(self, closure=None):
        """Change the parameters once by their gradients; returns the closure's loss."""
        before = torch.is_grad_enabled()
        torch._C._set_grad_enabled(bool(self.defaults.get("differentiable")))
        try:
            loss = closure_loss(closure)
            for group in self.param_groups:
                for parameter in group["params"]:
                    gradient = parameter.grad
                    if gradient is None:
                        continue
                    if gradient.is_sparse and not self._takes_sparse:
                        raise RuntimeError(f"{type(self).__name__} does not support sparse gradients")
                    state = self.state[parameter]
                    if not state:
                        self._start(state, parameter, group)
                    self._update(parameter, -gradient if group.get("maximize") else gradient, state, group)
        finally:
            torch._C._set_grad_enabled(before)
        return loss

    _takes_sparse = False


def zeros(parameter):
    return torch.zeros_like(parameter, memory_format=torch.preserve_format)


def decayed(parameter, gradient, group):
    """The gradient with weight decay added to it."""
    return gradient.add(parameter, alpha=group["weight_decay"]) if group["weight_decay"] != 0 else gradient


def as_real(*tensors):
    """Complex tensors as pairs of real numbers, which the rules of most optimizers are written for."""
    return [torch.view_as_real(tensor) if tensor.is_complex() else tensor for tensor in tensors]
