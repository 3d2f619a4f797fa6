"""Operators as modules, so that a quantizer can observe their results."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class FloatFunctional(nn.Module):
    """Arithmetic whose results go through `activation_post_process`, which observes them; at first it does nothing.

    Example:
        >>> torch.ao.nn.quantized.FloatFunctional().add(torch.ones(1), torch.ones(1))
        tensor([2.])
    """

    def __init__(self) -> None:
        super().__init__()
        self.activation_post_process = nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        raise RuntimeError("FloatFunctional is called by its methods: add, mul, cat, add_relu, add_scalar, mul_scalar, matmul")

    def add(self, x: Tensor, y: Tensor) -> Tensor:
        """x + y."""
        return self.activation_post_process(torch.add(x, y))

    def add_scalar(self, x: Tensor, y: float) -> Tensor:
        """x + y for a number y."""
        return torch.add(x, y)

    def mul(self, x: Tensor, y: Tensor) -> Tensor:
        """x * y."""
        return self.activation_post_process(torch.mul(x, y))

    def mul_scalar(self, x: Tensor, y: float) -> Tensor:
        """x * y for a number y."""
        return torch.mul(x, y)

    def cat(self, x: list[Tensor], dim: int = 0) -> Tensor:
        """The tensors one after the other along a dimension."""
        return self.activation_post_process(torch.cat(x, dim=dim))

    def add_relu(self, x: Tensor, y: Tensor) -> Tensor:
        """relu(x + y)."""
        return self.activation_post_process(nn.functional.relu(torch.add(x, y)))

    def matmul(self, x: Tensor, y: Tensor) -> Tensor:
        """x @ y."""
        return self.activation_post_process(torch.matmul(x, y))
