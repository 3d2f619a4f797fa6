"""Rprop (Riedmiller and Braun 1993)."""

from __future__ import annotations

import torch
from torch.optim._common import PlainStep, as_real, check_lr, step_value, zeros
from torch.optim._functional import rprop as rprop
from torch.optim.optimizer import Optimizer

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any

    from torch import Tensor
    from torch.optim.optimizer import ParamsT


class Rprop(PlainStep, Optimizer):
    """Steps by the sign of the gradient only (Riedmiller and Braun 1993); for whole batches.

    Each element's step grows while the sign stays, and shrinks when it turns.

    Args:
        params (iterable): parameters, (name, parameter) pairs, or dictionaries with 'params' and settings of their own
        lr (float or Tensor, default 1e-2): the first step
        etas (tuple[float, float], default (0.5, 1.2)): factors of shrinking and growing
        step_sizes (tuple[float, float], default (1e-6, 50)): least and largest step
        capturable (bool, default False): for graphs on a GPU; refused for parameters on a CPU
        foreach (bool or None): None: the fast way; False: one parameter at a time, in plain operators
        maximize (bool, default False): go up the gradient instead of down
        differentiable (bool, default False): record the step itself for autograd

    Raises:
        ValueError: a setting is out of range

    Example:
        >>> p = nn.Parameter(torch.tensor([1.]))
        >>> optimizer = torch.optim.Rprop([p])
        >>> for _ in range(3):
        ...     optimizer.zero_grad()
        ...     (p ** 2).sum().backward()
        ...     optimizer.step()
        >>> bool(p < 1)
        True
    """

    def __init__(
        self, params: ParamsT, lr: float | Tensor = 1e-2, etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50), *, capturable: bool = False, foreach: bool | None = None,
        maximize: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        check_lr(lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        super().__init__(
            params,
            {
                "lr": lr,
                "etas": etas,
                "step_sizes": step_sizes,
                "foreach": foreach,
                "maximize": maximize,
                "differentiable": differentiable,
                "capturable": capturable,
            },
        )

    def _start(self, state: Any, parameter: Tensor, group: dict[str, Any]) -> None:
        first = float(group["lr"])
        first = complex(first, first) if parameter.is_complex() else first
        state["step"], state["prev"] = step_value(parameter, group), zeros(parameter)
        state["step_size"] = torch.full_like(parameter, first)

    def _update(self, parameter: Tensor, gradient: Tensor, state: Any, group: dict[str, Any]) -> None:
        state["step"] += 1
        shrink, grow = group["etas"]
        parameter, gradient, before, sizes = as_real(parameter, gradient, state["prev"], state["step_size"])
        sign = gradient.mul(before).sign()
        factor = torch.where(sign > 0, grow, torch.where(sign < 0, shrink, 1.0)).to(sizes.dtype)
        sizes.mul_(factor).clamp_(*group["step_sizes"])
        gradient = torch.where(sign < 0, torch.zeros_like(gradient), gradient)
        parameter.addcmul_(gradient.sign(), sizes, value=-1)
        before.copy_(gradient)

    def _update_lists(self, params: Any, grads: Any, state: Any, group: dict[str, Any]) -> None:
        torch._foreach_add_(state["step"], 1)
        shrink, grow = group["etas"]
        before, sizes = state["prev"], state["step_size"]
        signs = torch._foreach_mul(grads, before)
        torch._foreach_sign_(signs)
        # -1, 0 and 1 become the factors, and the shares of the gradients that are left.
        factors = torch._foreach_maximum(signs, 0.0)
        torch._foreach_mul_(factors, grow - 1)
        falling = torch._foreach_minimum(signs, 0.0)
        torch._foreach_add_(factors, falling, alpha=1 - shrink)
        torch._foreach_add_(factors, 1.0)
        torch._foreach_mul_(sizes, factors)
        torch._foreach_maximum_(sizes, group["step_sizes"][0])
        torch._foreach_minimum_(sizes, group["step_sizes"][1])
        torch._foreach_add_(falling, 1.0)
        torch._foreach_copy_(before, torch._foreach_mul(grads, falling))
        torch._foreach_addcmul_(params, torch._foreach_sign(before), sizes, -1)
