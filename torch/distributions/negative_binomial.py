"""Negative binomial distribution."""

from __future__ import annotations

import torch
from torch.distributions import constraints
from torch.distributions._binary import _Binary
from torch.distributions.gamma import Gamma
from torch.distributions.utils import broadcast_all, lazy_property, logsigmoid, one_of_two

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

__all__ = ["NegativeBinomial"]


class NegativeBinomial(_Binary):
    """Negative binomial distribution: number of successes before r failures.

    P(k) = Gamma(r + k) / (k! Gamma(r)) p^k (1 - p)^r, for any positive r.

    Args:
        total_count (Tensor or float): number r of failures, not negative
        probs (Tensor, optional): probability p of success, below 1
        logits (Tensor, optional): log odds of success; either this or `probs` is given
        validate_args (bool, optional): whether parameters and values are checked

    Example:
        >>> d = torch.distributions.NegativeBinomial(3, torch.tensor(0.5))
        >>> d.mean, d.log_prob(torch.tensor(0.0))
        (tensor(3.), tensor(-2.0794))
    """

    arg_constraints = {
        "total_count": constraints.greater_than_eq(0), "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }  # fmt: skip
    support = constraints.nonnegative_integer
    _expandable = {"total_count": 0, "probs": 0, "logits": 0}

    # fmt: off
    def __init__(self, total_count: Tensor | float, probs: Tensor | None = None, logits: Tensor | None = None,
                 validate_args: bool | None = None) -> None:
        # fmt: on
        if one_of_two(probs, logits):
            self.total_count, self.probs = broadcast_all(total_count, probs)
        else:
            self.total_count, self.logits = broadcast_all(total_count, logits)
        self.total_count = self.total_count.type_as(self._param)
        super().__init__(self._param.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.total_count * self.logits.exp()

    @property
    def mode(self) -> Tensor:
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0)

    @property
    def variance(self) -> Tensor:
        return self.mean / torch.sigmoid(-self.logits)

    @lazy_property
    def _gamma(self) -> Gamma:
        """The distribution of the rate of the Poisson distribution that values are drawn from."""
        return Gamma(self.total_count, (-self.logits).exp(), validate_args=False)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with torch.no_grad():
            return torch.poisson(self._gamma.sample(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        r = self.total_count
        choices = torch.lgamma(r + value) - torch.lgamma(1.0 + value) - torch.lgamma(r)
        choices = choices.masked_fill(r + value == 0.0, 0.0)
        return r * logsigmoid(-self.logits) + value * logsigmoid(self.logits) + choices
