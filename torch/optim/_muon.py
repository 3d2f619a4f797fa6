"""Muon (Jordan et al. 2024): momentum whose matrices are made orthogonal."""

from __future__ import annotations

import math

import torch
from torch.optim._common import PlainStep
from torch.optim.optimizer import Optimizer

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any

    from torch import Tensor
    from torch.optim.optimizer import ParamsT

__all__ = ["Muon"]

COEFFICIENTS = (3.4445, -4.7750, 2.0315)  # of the polynomial that raises small singular values fastest


class Muon(PlainStep, Optimizer):
    """Steps along the orthogonal matrix next to the momentum (Jordan et al. 2024), for the matrices inside a network.

    Biases, embeddings and the last layer need another optimizer, as AdamW.

    Args:
        params (iterable): parameters of 2 dimensions, (name, parameter) pairs, or dictionaries with 'params' and settings of
            their own
        lr (float, default 1e-3): learning rate
        weight_decay (float, default 0.1): the parameter shrinks by `lr * weight_decay` at each step
        momentum (float, default 0.95): share of the last average in the next
        nesterov (bool, default True): look ahead
        ns_coefficients (tuple[float, float, float]): coefficients of the Newton-Schulz iteration
        eps (float, default 1e-7): keeps the divisor from 0
        ns_steps (int, default 5): steps of the iteration
        adjust_lr_fn (str or None): how the rate follows the shape: 'original' (by the root of rows over columns, where there are
            more rows; the default) or 'match_rms_adamw' (so that the steps are as large as those of AdamW)

    Raises:
        ValueError: a setting is out of range, or a parameter is no matrix

    Example:
        >>> p = nn.Parameter(torch.eye(2))
        >>> optimizer = torch.optim.Muon([p], lr=0.1)
        >>> (p ** 2).sum().backward()
        >>> optimizer.step()
        >>> bool(p.trace() < 2)
        True
    """

    def __init__(
        self, params: ParamsT, lr: float = 1e-3, weight_decay: float = 0.1, momentum: float = 0.95, nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = COEFFICIENTS, eps: float = 1e-7, ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:  # fmt: skip
        if isinstance(lr, torch.Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        for name, value in (("learning rate", lr), ("momentum", momentum), ("weight decay", weight_decay)):
            if not 0.0 <= value:
                raise ValueError(f"Muon: the {name} must not be negative, but got {value}")
        if adjust_lr_fn not in (None, "original", "match_rms_adamw"):
            raise ValueError(f"Muon: adjust_lr_fn is None, 'original' or 'match_rms_adamw', but got {adjust_lr_fn!r}")
        defaults = {
            "lr": lr, "weight_decay": weight_decay, "momentum": momentum, "nesterov": nesterov,
            "ns_coefficients": ns_coefficients, "eps": eps, "ns_steps": ns_steps, "adjust_lr_fn": adjust_lr_fn,
        }  # fmt: skip
        super().__init__(params, defaults)
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.dim() != 2:
                    raise ValueError(f"Muon: parameters have 2 dimensions, but got one of the shape {tuple(parameter.shape)}")

    def _start(self, state: Any, parameter: Tensor, group: dict[str, Any]) -> None:
        state["momentum_buffer"] = torch.zeros_like(parameter.grad, memory_format=torch.preserve_format)

    def _update(self, parameter: Tensor, gradient: Tensor, state: Any, group: dict[str, Any]) -> None:
        if parameter.is_complex():
            raise RuntimeError("Muon does not support complex parameters")
        buffer, momentum, lr = state["momentum_buffer"], group["momentum"], group["lr"]
        buffer.lerp_(gradient, 1 - momentum)
        update = gradient.lerp(buffer, momentum) if group["nesterov"] else buffer
        update = _orthogonalized(update, group["ns_coefficients"], group["ns_steps"], group["eps"])
        parameter.mul_(1 - lr * group["weight_decay"])
        parameter.add_(update, alpha=-float(_adjusted(lr, group["adjust_lr_fn"], *parameter.shape)))


def _orthogonalized(gradient: Tensor, coefficients: Any, steps: int, eps: float) -> Tensor:
    """About the orthogonal factor of the polar decomposition, in bfloat16, by a Newton-Schulz iteration."""
    if steps >= 100:
        raise ValueError(f"Muon: ns_steps must be less than 100, but got {steps}")
    if len(coefficients) != 3:
        raise ValueError(f"Muon: ns_coefficients are 3 numbers, but got {len(coefficients)}")
    a, b, c = coefficients
    is_tall = gradient.size(0) > gradient.size(1)
    x = gradient.bfloat16()
    x = x.T if is_tall else x
    # The iteration converges where the singular values are at most 1.
    x.div_(x.norm().clamp(min=eps))
    for _ in range(steps):
        gram = x @ x.T
        x = torch.addmm(x, torch.addmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return x.T if is_tall else x


def _adjusted(lr: Any, how: str | None, rows: int, columns: int) -> Any:
    if how == "match_rms_adamw":
        return lr * 0.2 * math.sqrt(max(rows, columns))
    return lr * math.sqrt(max(1, rows / columns))


Muon.__module__ = "torch.optim"  # where pickles look for it
