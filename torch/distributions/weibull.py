"""Weibull distribution."""

from __future__ import annotations

import torch
from torch.distributions import constraints
from torch.distributions.exponential import Exponential
from torch.distributions.transformed_distribution import TransformedDistribution
from torch.distributions.transforms import AffineTransform, PowerTransform
from torch.distributions.utils import broadcast_all, euler_constant

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["Weibull"]


class Weibull(TransformedDistribution):
    """Weibull distribution: survival function exp(-(x / scale)^k) for x > 0, where k is the concentration.

    Args:
        scale (Tensor or float): scale, positive
        concentration (Tensor or float): k, positive
        validate_args (bool, optional): whether parameters and values are checked

    Example:
        >>> d = torch.distributions.Weibull(1.0, 2.0)
        >>> d.mean, d.log_prob(torch.tensor(1.0))
        (tensor(0.8862), tensor(-0.3069))
    """

    arg_constraints = {"scale": constraints.positive, "concentration": constraints.positive}
    support = constraints.positive
    _expandable = {"scale": 0, "concentration": 0, "concentration_reciprocal": 0}

    # fmt: off
    def __init__(self, scale: Tensor | float, concentration: Tensor | float, validate_args: bool | None = None) -> None:
        # fmt: on
        self.scale, self.concentration = broadcast_all(scale, concentration)
        self.concentration_reciprocal = self.concentration.reciprocal()
        base = Exponential(torch.ones_like(self.scale), validate_args=validate_args)
        steps = [PowerTransform(self.concentration_reciprocal), AffineTransform(loc=0, scale=self.scale)]
        super().__init__(base, steps, validate_args=validate_args)

    def _moment(self, n: int) -> Tensor:
        """The mean of (x / scale)^n, Gamma(1 + n / k)."""
        return torch.exp(torch.lgamma(1 + n * self.concentration_reciprocal))

    @property
    def mean(self) -> Tensor:
        return self.scale * self._moment(1)

    @property
    def mode(self) -> Tensor:
        k = self.concentration
        # For k < 1 the density is infinite at 0.
        return self.scale * ((k - 1) / k).clamp(min=0) ** k.reciprocal()

    @property
    def variance(self) -> Tensor:
        return self.scale.square() * (self._moment(2) - self._moment(1).square())

    def entropy(self) -> Tensor:
        inverse = self.concentration_reciprocal
        return euler_constant * (1 - inverse) + torch.log(self.scale * inverse) + 1
