"""Inverse gamma distribution."""

from __future__ import annotations

import torch
from torch.distributions import constraints
from torch.distributions.gamma import Gamma
from torch.distributions.transformed_distribution import TransformedDistribution
from torch.distributions.transforms import PowerTransform

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["InverseGamma"]


class InverseGamma(TransformedDistribution):
    """Inverse gamma distribution: that of 1 / x, where x is gamma distributed.

    Args:
        concentration (Tensor or float): concentration of x, positive
        rate (Tensor or float): rate of x, which is the scale here; positive
        validate_args (bool, optional): whether parameters and values are checked

    Example:
        >>> d = torch.distributions.InverseGamma(3.0, 2.0)
        >>> d.mean, d.log_prob(torch.tensor(1.0))
        (tensor(1.), tensor(-0.6137))
    """

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.positive
    has_rsample = True
    base_dist: Gamma
    _expandable: dict[str, int] = {}

    # fmt: off
    def __init__(self, concentration: Tensor | float, rate: Tensor | float, validate_args: bool | None = None) -> None:
        # fmt: on
        base = Gamma(concentration, rate, validate_args=validate_args)
        super().__init__(base, PowerTransform(-base.rate.new_ones(())), validate_args=validate_args)

    @property
    def concentration(self) -> Tensor:
        """Concentration of the gamma distribution."""
        return self.base_dist.concentration

    @property
    def rate(self) -> Tensor:
        """Rate of the gamma distribution."""
        return self.base_dist.rate

    @property
    def mean(self) -> Tensor:
        c = self.concentration
        return torch.where(c > 1, self.rate / (c - 1), torch.inf)

    @property
    def mode(self) -> Tensor:
        return self.rate / (self.concentration + 1)

    @property
    def variance(self) -> Tensor:
        c = self.concentration
        return torch.where(c > 2, self.rate.square() / ((c - 1).square() * (c - 2)), torch.inf)

    def entropy(self) -> Tensor:
        c = self.concentration
        return c + self.rate.log() + torch.lgamma(c) - (1 + c) * torch.digamma(c)
