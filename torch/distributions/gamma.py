"""Gamma distribution."""

from __future__ import annotations

import torch
from torch.distributions import constraints
from torch.distributions.exp_family import ExponentialFamily
from torch.distributions.utils import broadcast_all

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

__all__ = ["Gamma"]


def _standard_gamma(concentration: Tensor) -> Tensor:
    """Samples of rate 1; packages replace this function."""
    return torch._standard_gamma(concentration)


class Gamma(ExponentialFamily):
    """Gamma distribution: density rate^c x^(c - 1) exp(-rate x) / Gamma(c), where c is the concentration.

    Args:
        concentration (Tensor or float): shape, positive
        rate (Tensor or float): inverse of the scale, positive
        validate_args (bool, optional): whether parameters and values are checked

    Example:
        >>> d = torch.distributions.Gamma(3.0, 2.0)
        >>> d.mean, d.variance, d.log_prob(torch.tensor(1.0))
        (tensor(1.5000), tensor(0.7500), tensor(-0.6137))
    """

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0
    _expandable = {"concentration": 0, "rate": 0}

    # fmt: off
    def __init__(self, concentration: Tensor | float, rate: Tensor | float, validate_args: bool | None = None) -> None:
        # fmt: on
        self.concentration, self.rate = broadcast_all(concentration, rate)
        super().__init__(self.rate.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.concentration / self.rate

    @property
    def mode(self) -> Tensor:
        return ((self.concentration - 1) / self.rate).clamp(min=0)

    @property
    def variance(self) -> Tensor:
        return self.concentration / self.rate.square()

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        value = _standard_gamma(self.concentration.expand(shape)) / self.rate.expand(shape)
        value.detach().clamp_(min=torch.finfo(value.dtype).tiny)  # the density may be infinite at 0
        return value

    def log_prob(self, value: Tensor) -> Tensor:
        value = torch.as_tensor(value, dtype=self.rate.dtype, device=self.rate.device)
        if self._validate_args:
            self._validate_sample(value)
        c, rate = self.concentration, self.rate
        return torch.xlogy(c, rate) + torch.xlogy(c - 1, value) - rate * value - torch.lgamma(c)

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return torch.special.gammainc(self.concentration, self.rate * value)

    def entropy(self) -> Tensor:
        c = self.concentration
        return c - self.rate.log() + torch.lgamma(c) + (1.0 - c) * torch.digamma(c)

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return self.concentration - 1, -self.rate

    def _log_normalizer(self, x: Tensor, y: Tensor) -> Tensor:
        return torch.lgamma(x + 1) + (x + 1) * torch.log(-y.reciprocal())
