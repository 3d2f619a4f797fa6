"""Gumbel distribution."""

from __future__ import annotations

import math

import torch
from torch.distributions import constraints
from torch.distributions.transformed_distribution import TransformedDistribution
from torch.distributions.transforms import AffineTransform, ExpTransform
from torch.distributions.uniform import Uniform
from torch.distributions.utils import broadcast_all, euler_constant

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["Gumbel"]


class Gumbel(TransformedDistribution):
    """Gumbel distribution: density exp(-z - exp(-z)) / scale with z = (x - loc) / scale.

    Args:
        loc (Tensor or float): mode
        scale (Tensor or float): scale, positive
        validate_args (bool, optional): whether parameters and values are checked

    Example:
        >>> d = torch.distributions.Gumbel(0.0, 1.0)
        >>> d.mean, d.log_prob(torch.tensor(0.0))
        (tensor(0.5772), tensor(-1.))
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    _expandable = {"loc": 0, "scale": 0}

    def __init__(self, loc: Tensor | float, scale: Tensor | float, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        kind = torch.finfo(self.loc.dtype)
        base = Uniform(torch.full_like(self.loc, kind.tiny), torch.full_like(self.loc, 1 - kind.eps), validate_args=validate_args)
        # loc - scale * log(-log(u))
        log, one = ExpTransform().inv, torch.ones_like(self.scale)
        steps = [log, AffineTransform(0, -one), log, AffineTransform(self.loc, -self.scale)]
        super().__init__(base, steps, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.loc + self.scale * euler_constant

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def stddev(self) -> Tensor:
        return math.pi / math.sqrt(6) * self.scale

    @property
    def variance(self) -> Tensor:
        return self.stddev.square()

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        z = (self.loc - value) / self.scale
        return z - z.exp() - self.scale.log()

    def entropy(self) -> Tensor:
        return self.scale.log() + (1 + euler_constant)
