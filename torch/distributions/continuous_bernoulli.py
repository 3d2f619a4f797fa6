"""Continuous Bernoulli distribution."""

from __future__ import annotations

import math

import torch
from torch.distributions import constraints
from torch.distributions._binary import _Binary
from torch.distributions.exp_family import ExponentialFamily
from torch.distributions.utils import broadcast_all, clamp_probs, cross_entropy_of_logits

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from torch import Tensor

__all__ = ["ContinuousBernoulli"]


class ContinuousBernoulli(_Binary, ExponentialFamily):
    """Continuous Bernoulli distribution on [0, 1]: density C(p) p^x (1 - p)^(1 - x).

    C(p) is 2 artanh(1 - 2 p) / (1 - 2 p), and 2 for p = 1/2. Near 1/2 the formulas cancel, and Taylor series stand in. Source:
    Loaiza-Ganem and Cunningham, "The continuous Bernoulli: fixing a pervasive error in variational autoencoders", 2019.

    Args:
        probs (Tensor or Number, optional): p, between 0 and 1; it is no probability of anything
        logits (Tensor or Number, optional): log(p / (1 - p)); either this or `probs` is given
        lims (tuple of float, default (0.499, 0.501)): the Taylor series are used for p between these
        validate_args (bool, optional): whether parameters and values are checked

    Example:
        >>> d = torch.distributions.ContinuousBernoulli(torch.tensor(0.25))
        >>> d.mean, d.log_prob(torch.tensor(0.0))
        (tensor(0.4102), tensor(0.4995))
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    has_rsample = True
    _mean_carrier_measure = 0
    _expandable = {"probs": 0, "logits": 0}

    # fmt: off
    def __init__(self, probs: Any = None, logits: Any = None, lims: tuple[float, float] = (0.499, 0.501),
                 validate_args: bool | None = None) -> None:
        # fmt: on
        self._set_parameter(probs, logits)
        if probs is not None:
            if validate_args is not None and not constraints.unit_interval.check(self.probs).all():
                raise ValueError("ContinuousBernoulli: probs must be between 0 and 1")
            self.probs = clamp_probs(self.probs)
        self._lims = lims
        super().__init__(self._param.shape, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        new._lims = self._lims
        return new

    def _outside_unstable_region(self) -> Tensor:
        return (self.probs <= self._lims[0]) | (self.probs > self._lims[1])

    def _cut_probs(self) -> Tensor:
        """p, with the lower limit in place of what is near 1/2."""
        return torch.where(self._outside_unstable_region(), self.probs, torch.full_like(self.probs, self._lims[0]))

    def _near_half(self, formula: Tensor, series: Tensor) -> Tensor:
        return torch.where(self._outside_unstable_region(), formula, series)

    def _cont_bern_log_norm(self) -> Tensor:
        """log C(p)."""
        p = self._cut_probs()
        # log |1 - 2 p|, from the side on which no digits are lost, with arguments that keep the other side's gradient finite.
        below = torch.log1p(-2.0 * torch.where(p <= 0.5, p, torch.zeros_like(p)))
        above = torch.log(2.0 * torch.where(p >= 0.5, p, torch.ones_like(p)) - 1.0)
        log_norm = torch.log((torch.log1p(-p) - p.log()).abs()) - torch.where(p <= 0.5, below, above)
        x = (self.probs - 0.5).square()
        return self._near_half(log_norm, math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x)

    @property
    def mean(self) -> Tensor:
        p = self._cut_probs()
        mean = p / (2.0 * p - 1.0) + 1.0 / (torch.log1p(-p) - p.log())
        x = self.probs - 0.5
        return self._near_half(mean, 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * x.square()) * x)

    @property
    def variance(self) -> Tensor:
        p = self._cut_probs()
        variance = p * (p - 1.0) / (1.0 - 2.0 * p).square() + 1.0 / (torch.log1p(-p) - p.log()).square()
        x = (self.probs - 0.5).square()
        return self._near_half(variance, 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with torch.no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        return self.icdf(torch.rand(shape, dtype=self.probs.dtype, device=self.probs.device))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        return self._cont_bern_log_norm() - cross_entropy_of_logits(logits, value)

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        p = self._cut_probs()
        inside = (torch.pow(p, value) * torch.pow(1.0 - p, 1.0 - value) + p - 1.0) / (2.0 * p - 1.0)
        return self._near_half(inside, value).masked_fill(value <= 0.0, 0.0).masked_fill(value >= 1.0, 1.0)

    def icdf(self, value: Tensor) -> Tensor:
        p = self._cut_probs()
        inside = (torch.log1p(-p + value * (2.0 * p - 1.0)) - torch.log1p(-p)) / (p.log() - torch.log1p(-p))
        return self._near_half(inside, value)

    def entropy(self) -> Tensor:
        log_failure = torch.log1p(-self.probs)
        return self.mean * (log_failure - self.probs.log()) - self._cont_bern_log_norm() - log_failure

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return (self.logits,)

    def _log_normalizer(self, x: Tensor) -> Tensor:
        """log((e^x - 1) / x), or its Taylor series near 0."""
        outside = (x <= self._lims[0] - 0.5) | (x > self._lims[1] - 0.5)
        cut = torch.where(outside, x, torch.full_like(x, self._lims[0] - 0.5))
        series = 0.5 * x + x.square() / 24.0 - x.pow(4) / 2880.0
        return torch.where(outside, torch.log(torch.expm1(cut).abs()) - torch.log(cut.abs()), series)
