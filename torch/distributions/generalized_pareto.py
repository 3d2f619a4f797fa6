"""Generalized Pareto distribution."""

from __future__ import annotations

import torch
from torch.distributions import constraints
from torch.distributions.distribution import Distribution
from torch.distributions.utils import broadcast_all

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from torch import Tensor

__all__ = ["GeneralizedPareto"]


class GeneralizedPareto(Distribution):
    """Generalized Pareto distribution: survival function (1 + k z)^(-1 / k) with z = (x - loc) / scale, or exp(-z) for k = 0.

    Args:
        loc (Tensor or float): lower end of the support
        scale (Tensor or float): scale, positive
        concentration (Tensor or float): k; the support ends at loc - scale / k if it is negative
        validate_args (bool, optional): whether parameters and values are checked

    Example:
        >>> d = torch.distributions.GeneralizedPareto(0.0, 1.0, 0.25)
        >>> d.mean, d.cdf(torch.tensor(4.0))
        (tensor(1.3333), tensor(0.9375))
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive, "concentration": constraints.real}
    has_rsample = True
    _expandable = {"loc": 0, "scale": 0, "concentration": 0}

    # fmt: off
    def __init__(self, loc: Tensor | float, scale: Tensor | float, concentration: Tensor | float,
                 validate_args: bool | None = None) -> None:
        # fmt: on
        self.loc, self.scale, self.concentration = broadcast_all(loc, scale, concentration)
        super().__init__(self.loc.shape, validate_args=validate_args)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        end = torch.where(self.concentration < 0, self.loc - self.scale / self.concentration, torch.inf)
        return constraints.interval(self.loc, end)

    @property
    def mean(self) -> Tensor:
        """The mean; NaN where it is infinite, for k >= 1."""
        k = self.concentration
        return torch.where(k < 1, self.loc + self.scale / (1 - k), torch.nan)

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        """The variance; NaN where it is infinite, for k >= 1/2."""
        k = self.concentration
        return torch.where(k < 0.5, self.scale.square() / ((1 - k).square() * (1 - 2 * k)), torch.nan)

    def _split(self) -> tuple[Tensor, Tensor]:
        """Where k is 0, and k with 1 there, so that gradients stay finite."""
        is_zero = torch.isclose(self.concentration, torch.zeros_like(self.concentration))
        return is_zero, torch.where(is_zero, torch.ones_like(self.concentration), self.concentration)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self.icdf(torch.rand(self._extended_shape(sample_shape), dtype=self.loc.dtype, device=self.loc.device))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        z = (value - self.loc) / self.scale
        is_zero, k = self._split()
        return torch.where(is_zero, -z, -torch.xlogy(1 / k + 1, 1 + k * z)) - self.scale.log()

    def log_survival_function(self, value: Tensor) -> Tensor:
        """Logarithm of the probability that a value is above the given ones.

        Args:
            value (Tensor): values

        Returns:
            a tensor
        """
        if self._validate_args:
            self._validate_sample(value)
        z = (value - self.loc) / self.scale
        is_zero, k = self._split()
        return torch.where(is_zero, -z, -torch.log1p(k * z) / k)

    def log_cdf(self, value: Tensor) -> Tensor:
        """Logarithm of `cdf`.

        Args:
            value (Tensor): values

        Returns:
            a tensor
        """
        return torch.log1p(-torch.exp(self.log_survival_function(value)))

    def cdf(self, value: Tensor) -> Tensor:
        return torch.exp(self.log_cdf(value))

    def icdf(self, value: Tensor) -> Tensor:
        survival = torch.log1p(-value)
        is_zero, k = self._split()
        return self.loc + self.scale * torch.where(is_zero, -survival, torch.expm1(-k * survival) / k)

    def entropy(self) -> Tensor:
        return self.scale.log() + self.concentration + 1
