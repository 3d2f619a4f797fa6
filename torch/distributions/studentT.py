"""Student's t distribution."""

from __future__ import annotations

import math

import torch
from torch.distributions import constraints
from torch.distributions.chi2 import Chi2
from torch.distributions.distribution import Distribution
from torch.distributions.utils import _standard_normal, broadcast_all

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

__all__ = ["StudentT"]


class StudentT(Distribution):
    """Student's t distribution, moved by `loc` and stretched by `scale`.

    The density is Gamma((df + 1) / 2) / (Gamma(df / 2) sqrt(pi df) scale) (1 + y^2 / df)^(-(df + 1) / 2), where y is
    (x - loc) / scale.

    Args:
        df (Tensor or float): degrees of freedom, positive
        loc (Tensor or float, default 0.0): median
        scale (Tensor or float, default 1.0): scale, positive
        validate_args (bool, optional): whether parameters and values are checked

    Example:
        >>> d = torch.distributions.StudentT(3.0)
        >>> d.variance, d.log_prob(torch.tensor(0.0))
        (tensor(3.), tensor(-1.0009))
    """

    arg_constraints = {"df": constraints.positive, "loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True
    _expandable = {"df": 0, "loc": 0, "scale": 0, "_chi2": 0}

    # fmt: off
    def __init__(self, df: Tensor | float, loc: Tensor | float = 0.0, scale: Tensor | float = 1.0,
                 validate_args: bool | None = None) -> None:
        # fmt: on
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        self._chi2 = Chi2(self.df, validate_args=False)
        super().__init__(self.df.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.loc.masked_fill(self.df <= 1, torch.nan)

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        heavy = self.df <= 2
        df = self.df.masked_fill(heavy, torch.inf)
        finite = self.scale.square() * self.df / (df - 2)
        return finite.masked_fill(heavy, torch.inf).masked_fill(self.df <= 1, torch.nan)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        normal = _standard_normal(self._extended_shape(sample_shape), self.df.dtype, self.df.device)
        chi2 = self._chi2.rsample(sample_shape)
        return self.loc + self.scale * (normal * torch.rsqrt(chi2 / self.df))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        half = 0.5 * (self.df + 1.0)
        y = (value - self.loc) / self.scale
        constant = 0.5 * self.df.log() + 0.5 * math.log(math.pi) + torch.lgamma(0.5 * self.df) - torch.lgamma(half)
        return -half * torch.log1p(y.square() / self.df) - self.scale.log() - constant

    def entropy(self) -> Tensor:
        half, above = 0.5 * self.df, 0.5 * (self.df + 1)
        log_beta = torch.lgamma(half) + 0.5 * math.log(math.pi) - torch.lgamma(above)
        return self.scale.log() + above * (torch.digamma(above) - torch.digamma(half)) + 0.5 * self.df.log() + log_beta
