"""Binomial distribution."""

from __future__ import annotations

import torch
from torch.distributions import constraints
from torch.distributions._binary import _Binary
from torch.distributions.utils import broadcast_all, one_of_two

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from torch import Tensor

__all__ = ["Binomial"]


def _clamp_by_zero(x: Tensor) -> Tensor:
    """max(x, 0), with half the gradient at 0."""
    return (x.clamp(min=0) + x - x.clamp(max=0)) / 2


class Binomial(_Binary):
    """Binomial distribution: number of successes in n trials, P(k) = n! / (k! (n - k)!) p^k (1 - p)^(n - k).

    Args:
        total_count (int or Tensor, default 1): number n of trials
        probs (Tensor, optional): probability p of success
        logits (Tensor, optional): log odds of success; either this or `probs` is given
        validate_args (bool, optional): whether parameters and values are checked

    Example:
        >>> d = torch.distributions.Binomial(4, torch.tensor(0.5))
        >>> d.mean, d.log_prob(torch.tensor(2.0))
        (tensor(2.), tensor(-0.9808))
    """

    arg_constraints = {
        "total_count": constraints.nonnegative_integer, "probs": constraints.unit_interval, "logits": constraints.real,
    }  # fmt: skip
    has_enumerate_support = True
    _expandable = {"total_count": 0, "probs": 0, "logits": 0}

    # fmt: off
    def __init__(self, total_count: Tensor | int = 1, probs: Tensor | None = None, logits: Tensor | None = None,
                 validate_args: bool | None = None) -> None:
        # fmt: on
        if one_of_two(probs, logits):
            self.total_count, self.probs = broadcast_all(total_count, probs)
        else:
            self.total_count, self.logits = broadcast_all(total_count, logits)
        self.total_count = self.total_count.type_as(self._param)
        super().__init__(self._param.shape, validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        return constraints.integer_interval(0, self.total_count)

    @property
    def mean(self) -> Tensor:
        return self.total_count * self.probs

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        with torch.no_grad():
            return torch.binomial(self.total_count.expand(shape), self.probs.expand(shape))

    @property
    def variance(self) -> Tensor:
        return self.total_count * self.probs * (1 - self.probs)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        n, logits = self.total_count, self.logits
        choices = torch.lgamma(n + 1) - torch.lgamma(value + 1) - torch.lgamma(n - value + 1)
        # log(1 - p) is -softplus(logits).
        failures = _clamp_by_zero(logits) + torch.log1p(torch.exp(-logits.abs()))
        return value * logits - n * failures + choices

    @property
    def mode(self) -> Tensor:
        return ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count)

    def entropy(self) -> Tensor:
        if self.total_count.max() != self.total_count.min():
            raise NotImplementedError("Binomial: entropy() needs the same total_count in the whole batch")
        log_prob = self.log_prob(self.enumerate_support(False))
        return -(torch.exp(log_prob) * log_prob).sum(0)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        count = int(self.total_count.max())
        if self.total_count.min() != count:
            raise NotImplementedError("Binomial: enumerate_support() needs the same total_count in the whole batch")
        values = torch.arange(1 + count, dtype=self._param.dtype, device=self._param.device)
        values = values.view((-1,) + (1,) * len(self._batch_shape))
        return values.expand((-1,) + self._batch_shape) if expand else values
