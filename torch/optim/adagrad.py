"""Adagrad (Duchi et al. 2011)."""

from __future__ import annotations

import torch
from torch.optim._common import PlainStep, as_real, check, check_fused, check_lr, plus_eps, step_value
from torch.optim._functional import adagrad as adagrad
from torch.optim._lists import add_quotients, amp_scaling, check_capture, counted, decay, spread, take_back
from torch.optim.optimizer import Optimizer

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any

    from torch import Tensor
    from torch.optim.optimizer import ParamsT


_fused_adagrad_ = getattr(torch._C._VariableFunctions, "_fused_adagrad_", None)


class Adagrad(PlainStep, Optimizer):
    """`p -= lr / (1 + (step - 1) * lr_decay) * grad / (sqrt(sum of squared gradients) + eps)` (Duchi et al. 2011).

    Args:
        params (iterable): parameters, (name, parameter) pairs, or dictionaries with 'params' and settings of their own
        lr (float or Tensor, default 1e-2): learning rate; a tensor is read at every step
        lr_decay (float, default 0): how fast the rate falls
        weight_decay (float, default 0): factor of the parameter that is added to its gradient
        initial_accumulator_value (float, default 0): what the sum begins with
        eps (float, default 1e-10): keeps the divisor from 0
        foreach (bool or None): None: the fast way; False: one parameter at a time, in plain operators
        maximize (bool, default False): go up the gradient instead of down
        differentiable (bool, default False): record the step itself for autograd
        fused (bool or None): None: the fast way; False: one parameter at a time, in plain operators

    Raises:
        ValueError: a setting is out of range

    Example:
        >>> p = nn.Parameter(torch.tensor([1.]))
        >>> optimizer = torch.optim.Adagrad([p])
        >>> for _ in range(3):
        ...     optimizer.zero_grad()
        ...     (p ** 2).sum().backward()
        ...     optimizer.step()
        >>> bool(p < 1)
        True
    """

    _takes_sparse = True

    def __init__(
        self, params: ParamsT, lr: float | Tensor = 1e-2, lr_decay: float = 0, weight_decay: float = 0,
        initial_accumulator_value: float = 0, eps: float = 1e-10, foreach: bool | None = None, *, maximize: bool = False,
        differentiable: bool = False, fused: bool | None = None,
    ) -> None:  # fmt: skip
        check_lr(lr)
        for name, value in (
            ("lr_decay", lr_decay),
            ("weight_decay", weight_decay),
            ("initial_accumulator_value", initial_accumulator_value),
            ("epsilon", eps),
        ):
            check(name, value)
        check_fused(fused, foreach, differentiable)
        defaults = {
            "lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable, "fused": fused,
        }  # fmt: skip
        super().__init__(params, defaults)
        if fused:
            self._step_supports_amp_scaling = True
        for group in self.param_groups:
            for parameter in group["params"]:
                self._start(self.state[parameter], parameter, group)

    def _start(self, state: Any, parameter: Tensor, group: dict[str, Any]) -> None:
        value = group["initial_accumulator_value"]
        value = complex(value, value) if parameter.is_complex() else value
        state["step"] = step_value(parameter, group)
        state["sum"] = torch.full_like(parameter, value, memory_format=torch.preserve_format)

    def share_memory(self) -> None:
        """Moves the sums of squares into shared memory, so that other processes see changes.

        Example:
            >>> share = torch.optim.Adagrad([nn.Parameter(torch.ones(1))]).share_memory
        """
        for group in self.param_groups:
            for parameter in group["params"]:
                self.state[parameter]["sum"].share_memory_()

    def _update(self, parameter: Tensor, gradient: Tensor, state: Any, group: dict[str, Any]) -> None:
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
        parameter.addcdiv_(gradient, plus_eps(total.sqrt(), group), value=-rate)

    def _update_lists(self, params: Any, grads: Any, state: Any, group: dict[str, Any]) -> None:
        sums = state["sum"]
        if group["fused"]:
            steps, (scale, found) = state["step"], amp_scaling(self)
            torch._foreach_add_(steps, 1)
            _fused_adagrad_(
                params, grads, sums, steps, lr=group["lr"], lr_decay=group["lr_decay"], weight_decay=group["weight_decay"],
                eps=group["eps"], maximize=False, grad_scale=scale, found_inf=found,
            )  # fmt: skip
            take_back(steps, found)
            return
        steps, lr = counted(state["step"], group, params[0].device), float(group["lr"])
        grads = decay(params, grads, group)
        torch._foreach_addcmul_(sums, grads, grads, 1)
        bottoms = torch._foreach_sqrt(sums)
        torch._foreach_add_(bottoms, group["eps"])
        add_quotients(params, grads, bottoms, spread(-lr / (1 + (steps - 1) * group["lr_decay"]), params[0]))

    def _check_capture(self, group: dict[str, Any]) -> None:
        if group["lr_decay"] != 0 and not group["fused"]:  # the rate depends on a counter on the CPU
            check_capture(self, group)
