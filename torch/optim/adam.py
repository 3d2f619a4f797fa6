"""Adam (Kingma and Ba 2014)."""

from __future__ import annotations

import torch
from torch import _C
from torch.optim._common import as_real, check, check_betas, check_flags, check_fused, check_lr, closure_loss, step_value, zeros
from torch.optim._functional import adam as adam
from torch.optim._lists import (
    add_quotients,
    amp_scaling,
    by_device,
    check_capture,
    counted,
    decay,
    rate,
    spread,
    step_lists,
    take_back,
    uses_lists,
)
from torch.optim.optimizer import Optimizer

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar, overload

    from torch import Tensor
    from torch.optim.optimizer import ParamsT

    _T = TypeVar("_T")

_fused_adam_ = getattr(_C._VariableFunctions, "_fused_adam_", None)
_fused_adamw_ = getattr(_C._VariableFunctions, "_fused_adamw_", None)


class Adam(Optimizer):
    """m and v average the gradient and its square; `p -= lr * m' / (sqrt(v') + eps)` (Kingma and Ba 2014).

    m' and v' are m and v over `1 - beta ** step`, which corrects their start from 0. All parameters of a group change in
    one call unless `foreach` or `fused` is False.

    Args:
        params (iterable): parameters, (name, parameter) pairs, or dictionaries with 'params' and settings of their own
        lr (float or Tensor, default 1e-3): learning rate; a tensor is read at every step
        betas (tuple[float or Tensor, float or Tensor], default (0.9, 0.999)): decay of the averages of the gradient and
            of its square, from 0 to below 1
        eps (float, default 1e-8): keeps the divisor from 0
        weight_decay (float, default 0): factor of the parameter that is added to its gradient
        amsgrad (bool, default False): use the largest v' so far (Reddi et al. 2018)
        foreach (bool or None): None: the fast way; False: one parameter at a time, in plain operators
        maximize (bool, default False): go up the gradient instead of down
        capturable (bool, default False): for graphs on a GPU; refused for parameters on a CPU
        differentiable (bool, default False): record the step itself for autograd
        fused (bool or None): None: the fast way; False: one parameter at a time, in plain operators
        decoupled_weight_decay (bool, default False): shrink the parameter by `lr * weight_decay` instead, as AdamW does

    Raises:
        ValueError: a setting is out of range

    Example:
        >>> p = nn.Parameter(torch.tensor([1.]))
        >>> optimizer = torch.optim.Adam([p])
        >>> for _ in range(3):
        ...     optimizer.zero_grad()
        ...     (p ** 2).sum().backward()
        ...     optimizer.step()
        >>> bool(p < 1)
        True
    """

    def __init__(
        self, params: ParamsT, lr: float | Tensor = 1e-3, betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
        eps: float = 1e-8, weight_decay: float = 0, amsgrad: bool = False, *, foreach: bool | None = None,
        maximize: bool = False, capturable: bool = False, differentiable: bool = False, fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:  # fmt: skip
        check_lr(lr)
        if isinstance(lr, torch.Tensor) and foreach and not capturable:
            raise ValueError("lr as a Tensor is not supported for capturable=False and foreach=True")
        check("epsilon", eps)
        check_betas(betas)
        if isinstance(betas[0], torch.Tensor) is not isinstance(betas[1], torch.Tensor):
            raise ValueError("betas must be two floats or two tensors")
        check("weight_decay", weight_decay)
        check_fused(fused, foreach, differentiable)
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad, "maximize": maximize,
            "foreach": foreach, "capturable": capturable, "differentiable": differentiable, "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay,
        }  # fmt: skip
        super().__init__(params, defaults)
        if fused:
            self._step_supports_amp_scaling = True

    def __setstate__(self, state: Any) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            for name, plain in (
                ("amsgrad", False),
                ("maximize", False),
                ("foreach", None),
                ("capturable", False),
                ("differentiable", False),
                ("decoupled_weight_decay", False),
                ("fused", None),
            ):
                group.setdefault(name, plain)
            for parameter in group["params"]:
                held = self.state.get(parameter)
                if held and not isinstance(held["step"], torch.Tensor):
                    held["step"] = step_value(parameter, group, float(held["step"]))

    if TYPE_CHECKING:

        @overload
        def step(self, closure: None = None) -> None: ...

        @overload
        def step(self, closure: Callable[[], _T]) -> _T: ...

    def step(self, closure: Any = None) -> Any:
        """Changes the parameters once by their gradients.

        Args:
            closure (Any): computes the loss anew, and its gradients, and returns it

        Returns:
            what `closure` returned, or None

        Example:
            >>> p = nn.Parameter(torch.tensor([1.]))
            >>> p.grad = torch.tensor([2.])
            >>> torch.optim.Adam([p], lr=0.5).step()
            >>> p
            Parameter containing:
            tensor([0.5000], requires_grad=True)
        """
        before = torch.is_grad_enabled()
        _C._set_grad_enabled(self.defaults["differentiable"])
        try:
            loss = closure_loss(closure)
            for group in self.param_groups:
                self._step_group(group)
        finally:
            _C._set_grad_enabled(before)
        return loss

    def _step_group(self, group: dict[str, Any]) -> None:
        state, amsgrad = self.state, group["amsgrad"]
        simple = group["fused"] is not False and group["foreach"] is not False and not group["differentiable"]
        params, gradients, means, squares, largest, steps = [], [], [], [], [], []
        if group["params"] and group["params"][0].is_cuda:
            check_capture(self, group)
            parts = by_device(group["params"])
            if len(parts) > 1:
                for (part,) in parts:
                    self._step_group({**group, "params": part})
                return
        for parameter in group["params"]:
            gradient = parameter.grad
            if gradient is None:
                continue
            if gradient.is_sparse:
                raise RuntimeError(f"{type(self).__name__} does not support sparse gradients, please consider SparseAdam instead")
            held = state[parameter]
            if not held:
                held["step"] = step_value(parameter, group)
                held["exp_avg"], held["exp_avg_sq"] = zeros(parameter), zeros(parameter)
                if amsgrad:
                    held["max_exp_avg_sq"] = zeros(parameter)
            params.append(parameter)
            gradients.append(gradient)
            means.append(held["exp_avg"])
            squares.append(held["exp_avg_sq"])
            steps.append(held["step"])
            if amsgrad:
                largest.append(held["max_exp_avg_sq"])
            # The fast way has one dtype. Gradients may have another: see Tensor.grad_dtype.
            simple = simple and parameter.is_floating_point() and (group["fused"] or gradient.dtype is parameter.dtype)
        if not params:
            return
        if group["capturable"] or group["foreach"] or group["fused"]:
            check_flags(self, group, params)
        if group["differentiable"]:
            for parameter, gradient in zip(params, gradients):
                _recorded(parameter, gradient, state[parameter], group)
            return
        beta1, beta2 = group["betas"]
        fused = _fused_adamw_ if group["decoupled_weight_decay"] else _fused_adam_
        if simple and fused is not None:
            scale, found = amp_scaling(self) if group["fused"] else (None, None)
            torch._foreach_add_(steps, 1)
            fused(
                params, gradients, means, squares, largest, steps, lr=group["lr"], beta1=beta1, beta2=beta2,
                weight_decay=group["weight_decay"], eps=group["eps"], amsgrad=amsgrad, maximize=group["maximize"],
                grad_scale=scale, found_inf=found,
            )  # fmt: skip
            take_back(steps, found)
            return
        if uses_lists(params[0], group):
            step_lists(self, [(p, g, state[p]) for p, g in zip(params, gradients)], group)
            return
        for k, parameter in enumerate(params):
            _plain(parameter, gradients[k], means[k], squares[k], largest[k] if amsgrad else None, steps[k], group)

    def _update_lists(self, params: Any, grads: Any, state: Any, group: dict[str, Any]) -> None:
        """The rule in operators on lists, which wait for no number on the device."""
        beta1, beta2 = map(float, group["betas"])
        steps = counted(state["step"], group, params[0].device)
        grads = decay(params, grads, group)
        means, squares = state["exp_avg"], state["exp_avg_sq"]
        torch._foreach_lerp_(means, grads, 1 - beta1)
        torch._foreach_mul_(squares, beta2)
        torch._foreach_addcmul_(squares, grads, grads, 1 - beta2)
        if group.get("amsgrad"):
            torch._foreach_maximum_(state["max_exp_avg_sq"], squares)
            squares = state["max_exp_avg_sq"]
        bottoms = torch._foreach_sqrt(squares)
        torch._foreach_div_(bottoms, spread((1 - beta2**steps).sqrt(), params[0]))
        torch._foreach_add_(bottoms, group["eps"])
        add_quotients(params, means, bottoms, spread(-rate(group) / (1 - beta1**steps), params[0]))


def _plain(
    parameter: Tensor, gradient: Tensor, mean: Tensor, square: Tensor, largest: Tensor | None, step: Tensor,
    group: dict[str, Any],
) -> None:  # fmt: skip
    """The rule for one parameter, in plain operators."""
    beta1, beta2 = map(float, group["betas"])
    lr = group["lr"].item() if isinstance(group["lr"], torch.Tensor) else group["lr"]
    gradient = -gradient if group["maximize"] else gradient
    step += 1
    if group["weight_decay"] != 0:
        if group["decoupled_weight_decay"]:
            parameter.mul_(1 - lr * group["weight_decay"])
        else:
            gradient = gradient.add(parameter, alpha=group["weight_decay"])
    if parameter.is_complex():
        parameter, gradient, mean, square = as_real(parameter, gradient, mean, square)
        largest = None if largest is None else torch.view_as_real(largest)
    count = step.item()
    mean.lerp_(gradient, 1 - beta1)
    square.mul_(beta2).addcmul_(gradient, gradient.conj(), value=1 - beta2)
    size = lr / (1 - beta1**count)
    if largest is not None:
        torch.maximum(largest, square, out=largest)
        square = largest
    bottom = (square.sqrt() / (1 - beta2**count) ** 0.5).add_(group["eps"])
    parameter.addcdiv_(mean, bottom, value=-size)


def _recorded(parameter: Tensor, gradient: Tensor, held: dict[str, Any], group: dict[str, Any]) -> None:
    """The rule where the step itself is recorded: no tensor that the graph may need is changed in place.

    Gradients reach the parameter before the step, its gradient, and a rate and betas that are tensors."""
    (beta1, beta2), lr, decay = group["betas"], group["lr"], group["weight_decay"]
    gradient = -gradient if group["maximize"] else gradient
    held["step"] += 1
    count, value = held["step"].item(), parameter.clone()
    if decay != 0:
        if group["decoupled_weight_decay"]:
            value = value * (1 - lr * decay)
        else:
            gradient = gradient.add(value, alpha=decay)
    value, gradient, mean, square = as_real(value, gradient, held["exp_avg"], held["exp_avg_sq"])
    mean = mean * beta1 + gradient * (1 - beta1)
    square = square * beta2 + gradient * gradient * (1 - beta2)
    new = {"exp_avg": mean, "exp_avg_sq": square}
    if group["amsgrad"]:
        (largest,) = as_real(held["max_exp_avg_sq"])
        new["max_exp_avg_sq"] = square = torch.maximum(largest, square)
    bottom = square.sqrt() / (1 - beta2**count) ** 0.5 + group["eps"]
    value = value - mean / bottom * (lr / (1 - beta1**count))
    held.update((name, torch.view_as_complex(tensor) if parameter.is_complex() else tensor) for name, tensor in new.items())
    parameter.copy_(torch.view_as_complex(value) if parameter.is_complex() else value)
