"""Shared by the optimizers: checks of settings, and the frame of a step."""

from __future__ import annotations

import math

import torch

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar, overload

    from torch import Tensor

    _T = TypeVar("_T")

FOREACH_NAMES = ("foreach", "maximize", "capturable", "differentiable", "fused")


def check(name: str, value: Any, low: float = 0.0, high: float = math.inf) -> None:
    """A setting in [low, high)."""
    if isinstance(value, torch.Tensor):
        value = value.item()
    if not low <= value < high:
        raise ValueError(f"Invalid {name} value: {value}" if name != "learning rate" else f"Invalid learning rate: {value}")


def check_lr(lr: Any) -> None:
    if isinstance(lr, torch.Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")
    check("learning rate", lr)


def check_fused(fused: Any, foreach: Any, differentiable: Any) -> None:
    if fused and differentiable:
        raise RuntimeError("`fused` does not support `differentiable`")
    if fused and foreach:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")


def check_flags(optimizer: Any, group: dict[str, Any], params: list[Tensor]) -> None:
    """Refuse what has no meaning: graphs of a GPU for parameters of a CPU, and lists of tensors in a recorded step."""
    name = type(optimizer).__name__
    if group.get("capturable") and not group.get("fused") and params[0].device.type in ("cpu", "meta"):
        raise AssertionError(
            f"{name}: capturable=True is for parameters on a GPU, but got one on the device '{params[0].device}'"
        )
    if group.get("foreach") and group.get("differentiable"):
        raise AssertionError(f"{name}: foreach=True does not support differentiable=True")
    if group.get("fused") and any(parameter.is_complex() for parameter in params):
        raise RuntimeError(f"{name}: fused=True takes parameters of floating point types, but got a complex one")


def check_betas(betas: Any) -> None:
    for k, beta in enumerate(betas):
        if not 0.0 <= beta < 1.0:
            raise ValueError(f"Invalid beta parameter at index {k}: {beta}")


def closure_loss(closure: Any) -> Any:
    """The loss of the closure, computed with grad mode on; `step` itself runs with it off."""
    if closure is None:
        return None
    with torch.enable_grad():
        return closure()


def step_value(parameter: Tensor, group: dict[str, Any], value: float = 0.0, on_device: bool = False) -> Tensor:
    """A new step counter: on the parameter's device where the step must not read it on the host, else on the CPU."""
    fused = group.get("fused")
    kind = torch.float64 if not fused and torch.get_default_dtype() is torch.float64 else torch.float32
    device = parameter.device if on_device or fused or group.get("capturable") else "cpu"
    return torch.full((), value, dtype=kind, device=device)


class PlainStep:
    """Mixed into an optimizer whose step handles one parameter after the other.

    The optimizer defines `_start(state, parameter, group)`, which makes a state, `_update(parameter, gradient, state, group)`,
    which uses it, and may define `_update_lists(params, grads, state, group)`, the same for lists of tensors: those of a GPU."""

    if TYPE_CHECKING:
        defaults: dict[str, Any]
        state: dict[Tensor, Any]
        param_groups: list[dict[str, Any]]

        @overload
        def step(self, closure: None = None) -> None: ...

        @overload
        def step(self, closure: Callable[[], _T]) -> _T: ...

        def _start(self, state: dict[str, Any], parameter: Tensor, group: dict[str, Any]) -> None: ...
        def _update(self, parameter: Tensor, gradient: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None: ...

        _update_lists: Callable[[list[Tensor], list[Tensor], dict[str, list[Tensor]], dict[str, Any]], None] | None
    else:
        _update_lists = None

    def step(self, closure: Any = None) -> Any:
        """Changes the parameters once by their gradients.

        Args:
            closure (Any): computes the loss anew, and its gradients, and returns it

        Returns:
            what `closure` returned, or None

        Example:
            >>> p = nn.Parameter(torch.tensor([1.]))
            >>> p.grad = torch.tensor([2.])
            >>> torch.optim.RMSprop([p], lr=0.1).step()
            >>> bool(p < 1)
            True
        """
        before = torch.is_grad_enabled()
        torch._C._set_grad_enabled(bool(self.defaults.get("differentiable")))
        try:
            loss = closure_loss(closure)
            for group in self.param_groups:
                if group.get("capturable") or group.get("foreach") or group.get("fused"):
                    check_flags(self, group, group["params"])
                together: list[Any] = []
                if group["params"] and group["params"][0].is_cuda:
                    self._check_capture(group)
                for parameter in group["params"]:
                    gradient = parameter.grad
                    if gradient is None:
                        continue
                    if gradient.is_sparse and not self._takes_sparse:
                        raise RuntimeError(f"{type(self).__name__} does not support sparse gradients")
                    state = self.state[parameter]
                    if not state:
                        self._start(state, parameter, group)
                    elif group.get("differentiable"):
                        copy_state(state)
                    steps_alone = group.get("differentiable") or gradient.is_sparse or self._update_lists is None
                    if (parameter.is_cuda or group.get("fused")) and not steps_alone:
                        together.append((parameter, gradient, state))
                        continue
                    if not self._records_lr and isinstance(group["lr"], torch.Tensor) and group["lr"].requires_grad:
                        raise TypeError(f"{type(self).__name__}: its step gives no gradient for lr; pass lr.detach()")
                    self._update(parameter, -gradient if group.get("maximize") else gradient, state, group)
                if together:
                    from torch.optim._lists import step_lists

                    step_lists(self, together, group)
        finally:
            torch._C._set_grad_enabled(before)
        return loss

    def _check_capture(self, group: dict[str, Any]) -> None:
        from torch.optim._lists import check_capture

        check_capture(self, group)

    _takes_sparse = False
    _records_lr = False  # whether a recorded step gives a gradient for a tensor lr


def zeros(parameter: Tensor) -> Tensor:
    return torch.zeros_like(parameter, memory_format=torch.preserve_format)


def copy_state(state: dict[str, Any]) -> None:
    """New tensors for a recorded step, which changes them in place: the graph of the last step may need the old ones."""
    for name, value in state.items():
        if name != "step" and isinstance(value, torch.Tensor):
            state[name] = value.clone()


def plus_eps(root: Tensor, group: dict[str, Any]) -> Tensor:
    """`root + eps`, in place unless the step is recorded: the gradient of a root needs the root."""
    return root.add(group["eps"]) if group.get("differentiable") else root.add_(group["eps"])


def decayed(parameter: Tensor, gradient: Tensor, group: dict[str, Any]) -> Tensor:
    """The gradient with weight decay added to it."""
    return gradient.add(parameter, alpha=group["weight_decay"]) if group["weight_decay"] != 0 else gradient


def as_real(*tensors: Tensor) -> list[Tensor]:
    """Complex tensors as pairs of real numbers, because most update rules are written for real numbers."""
    return [torch.view_as_real(tensor) if tensor.is_complex() else tensor for tensor in tensors]
