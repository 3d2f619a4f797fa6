"""Multinomial distribution."""

from __future__ import annotations

import torch
from torch.distributions import constraints
from torch.distributions.binomial import Binomial
from torch.distributions.categorical import Categorical
from torch.distributions.distribution import Distribution
from torch.distributions.utils import broadcast_all

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from torch import Tensor

__all__ = ["Multinomial"]


class Multinomial(Distribution):
    """Multinomial distribution: how often each category occurs in n draws.

    P(k) = n! / prod k_i! prod p_i^k_i, where the counts k_i sum to n.

    Args:
        total_count (int, default 1): number n of draws
        probs (Tensor, optional): weights that are not negative, which are divided by their sum over the last dimension
        logits (Tensor, optional): logarithms of weights; either this or `probs` is given
        validate_args (bool, optional): whether parameters and values are checked

    Example:
        >>> d = torch.distributions.Multinomial(4, torch.tensor([1.0, 1.0]))
        >>> d.mean, d.log_prob(torch.tensor([2.0, 2.0]))
        (tensor([2., 2.]), tensor(-0.9808))
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    total_count: int
    _expandable = {"_categorical": 0}

    # fmt: off
    def __init__(self, total_count: int = 1, probs: Tensor | None = None, logits: Tensor | None = None,
                 validate_args: bool | None = None) -> None:
        # fmt: on
        if not isinstance(total_count, int):
            raise NotImplementedError(f"Multinomial: total_count must be one int for the whole batch, got {total_count!r}")
        self.total_count = total_count
        self._categorical = Categorical(probs, logits)
        self._binomial = Binomial(total_count, probs=self.probs)
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        new.total_count = self.total_count
        new._binomial = self._binomial.expand((*batch_shape, *self._event_shape))
        return new

    def _new(self, *args: Any, **kwargs: Any) -> Tensor:
        return self._categorical._new(*args, **kwargs)

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self) -> Any:
        return constraints.multinomial(self.total_count)

    @property
    def logits(self) -> Tensor:
        """Logarithms of the probabilities."""
        return self._categorical.logits

    @property
    def probs(self) -> Tensor:
        """Probabilities."""
        return self._categorical.probs

    @property
    def param_shape(self) -> torch.Size:
        """Shape of `probs` and `logits`."""
        return self._categorical.param_shape

    @property
    def mean(self) -> Tensor:
        return self.probs * self.total_count

    @property
    def variance(self) -> Tensor:
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        sample_shape = torch.Size(sample_shape)
        drawn = self._categorical.sample(torch.Size((self.total_count,)) + sample_shape).movedim(0, -1)
        counts = drawn.new_zeros(self._extended_shape(sample_shape))
        return counts.scatter_add_(-1, drawn, torch.ones_like(drawn)).type_as(self.probs)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        logits = logits.masked_fill((value == 0) & (logits == -torch.inf), 0)  # 0 log 0 is 0
        choices = torch.lgamma(value.sum(-1) + 1) - torch.lgamma(value + 1).sum(-1)
        return choices + (logits * value).sum(-1)

    def entropy(self) -> Tensor:
        # The mean of log k_i! follows from the binomial distribution of each count.
        counts = self._binomial.enumerate_support(expand=False)[1:]
        factorials = (torch.exp(self._binomial.log_prob(counts)) * torch.lgamma(counts + 1)).sum([0, -1])
        n = torch.tensor(self.total_count)
        return n * self._categorical.entropy() - torch.lgamma(n + 1) + factorials
