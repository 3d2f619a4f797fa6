"""LKJ distribution of Cholesky factors of correlation matrices."""

from __future__ import annotations

import math

import torch
from torch.distributions import constraints
from torch.distributions.beta import Beta
from torch.distributions.distribution import Distribution
from torch.distributions.utils import broadcast_all

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from torch import Tensor

__all__ = ["LKJCholesky"]


class LKJCholesky(Distribution):
    """LKJ distribution of Cholesky factors L of correlation matrices M = L L^T, where the density of M is det(M)^(c - 1).

    c = 1 makes all correlation matrices equally likely; a larger c favours weak correlations. Samples come from the onion
    method. Source: Lewandowski, Kurowicka and Joe, "Generating random correlation matrices based on vines and extended onion
    method", 2009.

    Args:
        dim (int): number of rows, at least 2
        concentration (Tensor or float, default 1.0): c, positive
        validate_args (bool, optional): whether parameters and values are checked

    Example:
        >>> d = torch.distributions.LKJCholesky(3, 0.5)
        >>> d.event_shape, d.log_prob(torch.eye(3))
        (torch.Size([3, 3]), tensor(-2.5310))
    """

    arg_constraints = {"concentration": constraints.positive}
    support = constraints.corr_cholesky
    _expandable = {"concentration": 0}

    # fmt: off
    def __init__(self, dim: int, concentration: Tensor | float = 1.0, validate_args: bool | None = None) -> None:
        # fmt: on
        if dim < 2:
            raise ValueError(f"LKJCholesky: dim must be at least 2, got {dim}")
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        # The squared distance of row k from the axis has a beta distribution.
        row = torch.arange(dim - 1, dtype=self.concentration.dtype, device=self.concentration.device)
        row = torch.cat([row.new_zeros(1), row])
        last = self.concentration + 0.5 * (dim - 2)
        self._beta = Beta(row + 0.5, last.unsqueeze(-1) - 0.5 * row)
        super().__init__(self.concentration.shape, torch.Size((dim, dim)), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        new.dim = self.dim
        new._beta = self._beta.expand((*batch_shape, self.dim))
        return new

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with torch.no_grad():
            distance = self._beta.sample(sample_shape).unsqueeze(-1)
            kind = {"dtype": distance.dtype, "device": distance.device}
            normal = torch.randn(self._extended_shape(sample_shape), **kind).tril(-1)
            direction = normal / normal.norm(dim=-1, keepdim=True)
            direction[..., 0, :].fill_(0.0)
            below = distance.sqrt() * direction
            # Rows have length 1. Rounding must not make the diagonal 0.
            diagonal = (1 - below.square().sum(-1)).clamp(min=torch.finfo(below.dtype).tiny).sqrt()
            return below + diagonal.diag_embed()

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        n, c = self.dim, self.concentration
        diagonal = value.diagonal(dim1=-1, dim2=-2)[..., 1:]
        exponent = 2 * (c - 1).unsqueeze(-1) + n - torch.arange(2, n + 1, device=c.device)
        alpha = c + 0.5 * (n - 1)
        constant = 0.5 * (n - 1) * math.log(math.pi) + torch.mvlgamma(alpha - 0.5, n - 1) - torch.lgamma(alpha) * (n - 1)
        return (exponent * diagonal.log()).sum(-1) - constant
