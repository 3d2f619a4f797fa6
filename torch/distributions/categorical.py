"""Categorical distribution."""

from __future__ import annotations

import torch
from torch.distributions import constraints
from torch.distributions.distribution import Distribution
from torch.distributions.utils import lazy_property, logits_to_probs, one_of_two, probs_to_logits

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from torch import Tensor

__all__ = ["Categorical"]


class Categorical(Distribution):
    """Categorical distribution: value k = 0, ..., n - 1 with probability p_k.

    Args:
        probs (Tensor, optional): weights that are not negative, which are divided by their sum over the last dimension
        logits (Tensor, optional): logarithms of weights; either this or `probs` is given
        validate_args (bool, optional): whether parameters and values are checked

    Example:
        >>> d = torch.distributions.Categorical(torch.tensor([1.0, 3.0]))
        >>> d.probs, d.log_prob(torch.tensor(1))
        (tensor([0.2500, 0.7500]), tensor(-0.2877))
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    has_enumerate_support = True
    _expandable = {"probs": 1, "logits": 1}

    # fmt: off
    def __init__(self, probs: Tensor | None = None, logits: Tensor | None = None,
                 validate_args: bool | None = None) -> None:
        # fmt: on
        name = "probs" if one_of_two(probs, logits) else "logits"
        weights: Any = logits if probs is None else probs
        if weights.dim() < 1:
            raise ValueError(f"{type(self).__name__}: {name} must have at least one dimension, got a scalar")
        if probs is None:
            self.logits = weights - weights.logsumexp(dim=-1, keepdim=True)
        else:
            self.probs = weights / weights.sum(-1, keepdim=True)
        self._num_events = weights.shape[-1]
        super().__init__(weights.shape[:-1], validate_args=validate_args)

    @property
    def _param(self) -> Tensor:
        given = self.__dict__.get("probs")
        return self.logits if given is None else given

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        new._num_events = self._num_events
        return new

    def _new(self, *args: Any, **kwargs: Any) -> Tensor:
        return self._param.new(*args, **kwargs)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        return constraints.integer_interval(0, self._num_events - 1)

    @lazy_property
    def logits(self) -> Tensor:
        """Logarithms of the probabilities."""
        return probs_to_logits(self.probs)

    @lazy_property
    def probs(self) -> Tensor:
        """Probabilities."""
        return logits_to_probs(self.logits)

    @property
    def param_shape(self) -> torch.Size:
        """Shape of `probs` and `logits`."""
        return self._param.shape

    @property
    def mean(self) -> Tensor:
        """NaN: the values are names, not quantities."""
        return torch.full(self._extended_shape(), torch.nan, dtype=self.probs.dtype, device=self.probs.device)

    @property
    def mode(self) -> Tensor:
        return self.probs.argmax(dim=-1)

    @property
    def variance(self) -> Tensor:
        """NaN: the values are names, not quantities."""
        return torch.full(self._extended_shape(), torch.nan, dtype=self.probs.dtype, device=self.probs.device)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        sample_shape = torch.Size(sample_shape)
        drawn = torch.multinomial(self.probs.reshape(-1, self._num_events), sample_shape.numel(), True)
        return drawn.mT.reshape(self._extended_shape(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        index, log_probs = torch.broadcast_tensors(value.long().unsqueeze(-1), self.logits)
        return log_probs.gather(-1, index[..., :1]).squeeze(-1)

    def entropy(self) -> Tensor:
        finite = self.logits.clamp(min=torch.finfo(self.logits.dtype).min)  # 0 log 0 is 0
        return -(finite * self.probs).sum(-1)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        values = torch.arange(self._num_events, dtype=torch.long, device=self._param.device)
        values = values.view((-1,) + (1,) * len(self._batch_shape))
        return values.expand((-1,) + self._batch_shape) if expand else values
