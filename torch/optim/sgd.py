"""Stochastic gradient descent, with momentum."""

from __future__ import annotations

import torch
from torch import _C
from torch.optim._common import check, check_flags, check_fused, check_lr, closure_loss, decayed
from torch.optim._functional import sgd as sgd
from torch.optim._lists import amp_scaling, by_device
from torch.optim.optimizer import Optimizer

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar, overload

    from torch import Tensor
    from torch.optim.optimizer import ParamsT

    _T = TypeVar("_T")

_fused_sgd_ = getattr(_C._VariableFunctions, "_fused_sgd_", None)


class SGD(Optimizer):
    """`v = momentum * v + (1 - dampening) * (grad + weight_decay * p)`; `p -= lr * v`: stochastic gradient descent.

    With nesterov, `p -= lr * (grad + momentum * v)` (Sutskever et al. 2013). All parameters of a group change in one call,
    unless `foreach` or `fused` is False, or they are sparse or complex.

    Args:
        params (iterable): parameters, (name, parameter) pairs, or dictionaries with 'params' and settings of their own
        lr (float or Tensor, default 1e-3): learning rate; a tensor is read at every step
        momentum (float, default 0): share of the last step in the next
        dampening (float, default 0): share of the gradient that is left out
        weight_decay (float, default 0): factor of the parameter that is added to its gradient
        nesterov (bool, default False): look ahead
        maximize (bool, default False): go up the gradient instead of down
        foreach (bool or None): None: the fast way; False: one parameter at a time, in plain operators
        differentiable (bool, default False): record the step itself for autograd
        fused (bool or None): None: the fast way; False: one parameter at a time, in plain operators

    Raises:
        ValueError: a setting is out of range, or nesterov without momentum or with dampening

    Example:
        >>> p = nn.Parameter(torch.tensor([1.]))
        >>> optimizer = torch.optim.SGD([p], lr=0.1, momentum=0.9)
        >>> for _ in range(3):
        ...     optimizer.zero_grad()
        ...     (p ** 2).sum().backward()
        ...     optimizer.step()
        >>> bool(p < 1)
        True
    """

    def __init__(
        self, params: ParamsT, lr: float | Tensor = 1e-3, momentum: float = 0, dampening: float = 0, weight_decay: float = 0,
        nesterov: bool = False, *, maximize: bool = False, foreach: bool | None = None, differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:  # fmt: skip
        check_lr(lr)
        check("momentum", momentum)
        check("weight_decay", weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        check_fused(fused, foreach, differentiable)
        defaults = {
            "lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay, "nesterov": nesterov,
            "maximize": maximize, "foreach": foreach, "differentiable": differentiable, "fused": fused,
        }  # fmt: skip
        super().__init__(params, defaults)
        if fused:
            self._step_supports_amp_scaling = True

    def __setstate__(self, state: Any) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            for name, plain in (
                ("nesterov", False),
                ("maximize", False),
                ("foreach", None),
                ("differentiable", False),
                ("fused", False),
            ):
                group.setdefault(name, plain)

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
            >>> torch.optim.SGD([p], lr=0.1).step()
            >>> p
            Parameter containing:
            tensor([0.8000], requires_grad=True)
        """
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
                        # The fast way has one dtype. Gradients may have another: see Tensor.grad_dtype.
                        simple = simple and (group["fused"] or gradient.dtype is parameter.dtype)
                if params:
                    if group["fused"]:
                        check_flags(self, group, params)
                    self._update(group, params, gradients, simple and group["foreach"] is not False)
        finally:
            _C._set_grad_enabled(before)
        return loss

    def _update(self, group: dict[str, Any], params: list[Tensor], gradients: list[Tensor], simple: bool) -> None:
        momentum, state = group["momentum"], self.state
        if simple and _fused_sgd_ is not None:
            if momentum == 0:
                return self._fused(group, params, gradients, [], False)
            buffers = [state[parameter].get("momentum_buffer") for parameter in params]
            missing = sum(buffer is None for buffer in buffers)
            if missing in (0, len(buffers)):
                if missing:
                    # A scaler of gradients may skip the first step, which would have written them.
                    make = torch.empty_like if getattr(self, "found_inf", None) is None else torch.zeros_like
                    buffers = [make(gradient) for gradient in gradients]
                    for parameter, buffer in zip(params, buffers):
                        state[parameter]["momentum_buffer"] = buffer
                return self._fused(group, params, gradients, buffers, missing > 0)
        for parameter, gradient in zip(params, gradients):
            _plain(parameter, gradient, state[parameter] if momentum else None, group)

    def _fused(
        self, group: dict[str, Any], params: list[Tensor], gradients: list[Tensor], buffers: Any, first: bool
    ) -> None:  # fmt: skip
        scale = found = None
        if group["fused"]:  # a scaler of gradients leaves them here: see GradScaler.step
            scale, found = amp_scaling(self)
        if params[0].is_cuda and len(parts := by_device(params, gradients, buffers)) > 1:
            for part in parts:
                self._fused(group, *part, first)
            return
        _fused_sgd_(
            params, gradients, buffers, weight_decay=group["weight_decay"], momentum=group["momentum"], lr=group["lr"],
            dampening=group["dampening"], nesterov=group["nesterov"], maximize=group["maximize"], is_first_step=first,
            grad_scale=scale, found_inf=found,
        )  # fmt: skip


def _plain(parameter: Tensor, gradient: Tensor, state: Any, group: dict[str, Any]) -> None:
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
    if isinstance(lr, torch.Tensor) and (lr.requires_grad or lr.is_cuda):
        parameter.addcmul_(gradient, lr, value=-1)
    else:
        parameter.add_(gradient, alpha=-lr if not isinstance(lr, torch.Tensor) else -lr.item())
