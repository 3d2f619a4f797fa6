"""Fisher-Snedecor distribution."""

from __future__ import annotations

import torch
from torch.distributions import constraints
from torch.distributions.distribution import Distribution
from torch.distributions.gamma import Gamma
from torch.distributions.utils import broadcast_all

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

__all__ = ["FisherSnedecor"]


class FisherSnedecor(Distribution):
    """F distribution: that of the quotient of two chi-squared values, each divided by its degrees of freedom.

    Args:
        df1 (Tensor or float): degrees of freedom of the numerator, positive
        df2 (Tensor or float): degrees of freedom of the denominator, positive
        validate_args (bool, optional): whether parameters and values are checked

    Example:
        >>> d = torch.distributions.FisherSnedecor(2.0, 6.0)
        >>> d.mean, d.log_prob(torch.tensor(1.0))
        (tensor(1.5000), tensor(-1.1507))
    """

    arg_constraints = {"df1": constraints.positive, "df2": constraints.positive}
    support = constraints.positive
    has_rsample = True
    _expandable = {"df1": 0, "df2": 0, "_gamma1": 0, "_gamma2": 0}

    def __init__(self, df1: Tensor | float, df2: Tensor | float, validate_args: bool | None = None) -> None:
        self.df1, self.df2 = broadcast_all(df1, df2)
        self._gamma1 = Gamma(0.5 * self.df1, self.df1, validate_args=False)
        self._gamma2 = Gamma(0.5 * self.df2, self.df2, validate_args=False)
        super().__init__(self.df1.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        df2 = self.df2.masked_fill(self.df2 <= 2, torch.nan)
        return df2 / (df2 - 2)

    @property
    def mode(self) -> Tensor:
        mode = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        return mode.masked_fill(self.df1 <= 2, torch.nan)

    @property
    def variance(self) -> Tensor:
        df2 = self.df2.masked_fill(self.df2 <= 4, torch.nan)
        return 2 * df2.square() * (self.df1 + df2 - 2) / (self.df1 * (df2 - 2).square() * (df2 - 4))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        tiny = torch.finfo(self.df2.dtype).tiny
        numerator = self._gamma1.rsample(sample_shape)
        denominator = self._gamma2.rsample(sample_shape)
        denominator.detach().clamp_(min=tiny)
        value = numerator / denominator
        value.detach().clamp_(min=tiny)
        return value

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        a, b, ratio = 0.5 * self.df1, 0.5 * self.df2, self.df1 / self.df2
        log_beta = torch.lgamma(a) + torch.lgamma(b) - torch.lgamma(a + b)
        return a * ratio.log() + (a - 1) * value.log() - (a + b) * torch.log1p(ratio * value) - log_beta
