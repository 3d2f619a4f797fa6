"""Bernoulli distribution."""

from __future__ import annotations

import torch
from torch.distributions import constraints
from torch.distributions._binary import _Binary
from torch.distributions.exp_family import ExponentialFamily
from torch.distributions.utils import broadcast_all, cross_entropy_of_logits

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from torch import Tensor

__all__ = ["Bernoulli"]


class Bernoulli(_Binary, ExponentialFamily):
    """Bernoulli distribution: 1 with probability p, 0 otherwise.

    Args:
        probs (Tensor or Number, optional): p
        logits (Tensor or Number, optional): log odds log(p / (1 - p)); either this or `probs` is given
        validate_args (bool, optional): whether parameters and values are checked

    Example:
        >>> d = torch.distributions.Bernoulli(probs=torch.tensor(0.25))
        >>> d.log_prob(torch.tensor(1.0)), d.variance
        (tensor(-1.3863), tensor(0.1875))
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.boolean
    has_enumerate_support = True
    _mean_carrier_measure = 0
    _expandable = {"probs": 0, "logits": 0}

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._set_parameter(probs, logits)
        super().__init__(self._param.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.probs

    @property
    def mode(self) -> Tensor:
        likely = (self.probs >= 0.5).to(self.probs)
        return likely.masked_fill(self.probs == 0.5, torch.nan)

    @property
    def variance(self) -> Tensor:
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with torch.no_grad():
            return torch.bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        return -cross_entropy_of_logits(logits, value)

    def entropy(self) -> Tensor:
        return cross_entropy_of_logits(self.logits, self.probs)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        values = torch.arange(2, dtype=self._param.dtype, device=self._param.device)
        values = values.view((2,) + (1,) * len(self._batch_shape))
        return values.expand((2,) + self._batch_shape) if expand else values

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return (torch.logit(self.probs),)

    def _log_normalizer(self, x: Tensor) -> Tensor:
        return torch.log1p(x.exp())
