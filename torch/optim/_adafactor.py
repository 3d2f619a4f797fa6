"""Adafactor (Shazeer and Stern 2018)."""

from __future__ import annotations

import torch
from torch.optim._common import PlainStep, step_value
from torch.optim.optimizer import Optimizer

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any

    from torch import Tensor
    from torch.optim.optimizer import ParamsT

__all__ = ["Adafactor"]


class Adafactor(PlainStep, Optimizer):
    """Keeps of the average of squared gradients only its rows' and columns' means (Shazeer and Stern 2018), to save memory.

    The step follows the size of the parameter, and is limited where the gradient grows fast. Parameters of fewer than 2
    dimensions keep the whole average.

    Args:
        params (iterable): parameters, (name, parameter) pairs, or dictionaries with 'params' and settings of their own
        lr (float or Tensor, default 1e-2): the largest relative step
        beta2_decay (float, default -0.8): the averages decay by `1 - step ** beta2_decay`; not positive
        eps (tuple[float or None, float], default (None, 1e-3)): the smallest root of the averages, None being the eps of the
            dtype, and the smallest size of a parameter
        d (float, default 1.0): the largest root mean square of a step before it is scaled
        weight_decay (float, default 0): the parameter shrinks by `lr * weight_decay` at each step
        foreach (bool or None): kept for its effect on GPUs; no effect here
        maximize (bool, default False): go up the gradient instead of down

    Raises:
        ValueError: a setting is out of range

    Example:
        >>> p = nn.Parameter(torch.tensor([1.]))
        >>> optimizer = torch.optim.Adafactor([p])
        >>> for _ in range(3):
        ...     optimizer.zero_grad()
        ...     (p ** 2).sum().backward()
        ...     optimizer.step()
        >>> bool(p < 1)
        True
    """

    def __init__(
        self, params: ParamsT, lr: float | Tensor = 1e-2, beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3), d: float = 1.0, weight_decay: float = 0.0, *,
        foreach: bool | None = None, maximize: bool = False,
    ) -> None:  # fmt: skip
        if isinstance(lr, torch.Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        first, second = eps
        for name, value, is_valid, rule in (
            ("lr", lr, 0.0 <= lr, "must not be negative"), ("beta2_decay", beta2_decay, beta2_decay <= 0, "must not be positive"),
            ("eps[0]", first, first is None or first >= 0, "must not be negative"),
            ("eps[1]", second, second >= 0, "must not be negative"), ("d", d, d >= 1, "must be 1 or more"),
            ("weight_decay", weight_decay, weight_decay >= 0, "must not be negative"),
        ):  # fmt: skip
            if not is_valid:
                raise ValueError(f"Adafactor: {name} {rule}, but got {value}")
        defaults = {
            "lr": lr, "beta2_decay": beta2_decay, "eps": eps, "d": d, "weight_decay": weight_decay, "foreach": foreach,
            "maximize": maximize,
        }  # fmt: skip
        super().__init__(params, defaults)

    def __setstate__(self, state: Any) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            group.setdefault("foreach", None)
            for parameter in group["params"]:
                held = self.state.get(parameter)
                if held and not isinstance(held["step"], torch.Tensor):
                    held["step"] = torch.tensor(float(held["step"]), dtype=torch.float32)

    def _start(self, state: Any, parameter: Tensor, group: dict[str, Any]) -> None:
        gradient: Any = parameter.grad
        state["step"] = step_value(parameter, group)
        if gradient.dim() > 1:
            state["row_var"] = gradient.new_zeros([*gradient.shape[:-1], 1])
            state["col_var"] = gradient.new_zeros([*gradient.shape[:-2], 1, gradient.size(-1)])
        else:
            state["variance"] = torch.zeros_like(gradient, memory_format=torch.preserve_format)

    def _update(self, parameter: Tensor, gradient: Tensor, state: Any, group: dict[str, Any]) -> None:
        if parameter.is_complex():
            raise RuntimeError("Adafactor does not support complex parameters")
        (eps1, eps2), lr = group["eps"], group["lr"]
        eps1 = torch.finfo(parameter.dtype).eps if eps1 is None else eps1
        state["step"] += 1
        step = state["step"].item()
        weight = step ** group["beta2_decay"]
        size = max(eps2, parameter.norm(2).item() / parameter.numel() ** 0.5)
        alpha = size * min(lr, 1 / step**0.5)
        if group["weight_decay"] != 0:
            parameter.mul_(1 - lr * group["weight_decay"])
        update = _mean_square(gradient, state, weight, eps1).clamp_(min=eps1 * eps1).rsqrt_().mul_(gradient)
        divisor = max(1.0, update.norm(2).item() / (update.numel() ** 0.5 * group["d"]))
        parameter.add_(update, alpha=-float(alpha) / divisor)


def _mean_square(gradient: Tensor, state: Any, weight: float, eps: float) -> Tensor:
    """The average of squared gradients, out of the means of rows and columns where there are both."""
    if gradient.dim() < 2:
        return state["variance"].lerp_(gradient * gradient, weight).clone()
    rows, columns = state["row_var"], state["col_var"]
    rows.lerp_(gradient.norm(dim=-1, keepdim=True).square_().div_(gradient.size(-1)), weight)
    columns.lerp_(gradient.norm(dim=-2, keepdim=True).square_().div_(gradient.size(-2)), weight)
    return (rows @ columns).div_(rows.mean(dim=-2, keepdim=True).clamp_(min=eps))


Adafactor.__module__ = "torch.optim"  # where pickles look for it
