"""Relaxed one-hot categorical distribution."""

from __future__ import annotations

import torch
from torch.distributions import constraints
from torch.distributions.categorical import Categorical
from torch.distributions.distribution import Distribution
from torch.distributions.transformed_distribution import TransformedDistribution
from torch.distributions.transforms import ExpTransform
from torch.distributions.utils import broadcast_all, clamp_probs

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from torch import Tensor

__all__ = ["ExpRelaxedCategorical", "RelaxedOneHotCategorical"]


class ExpRelaxedCategorical(Distribution):
    """Logarithms of relaxed one-hot values: log_softmax((logits + G) / temperature), with Gumbel distributed entries of G.

    Sources: Maddison, Mnih and Teh, "The concrete distribution", 2017; Jang, Gu and Poole, "Categorical reparameterization
    with Gumbel-softmax", 2017.

    Args:
        temperature (Tensor): positive; values gather at the corners as it falls
        probs (Tensor, optional): weights of the categories
        logits (Tensor, optional): logarithms of weights; either this or `probs` is given
        validate_args (bool, optional): whether parameters and values are checked

    Example:
        >>> from torch.distributions.relaxed_categorical import ExpRelaxedCategorical
        >>> ExpRelaxedCategorical(torch.tensor(1.0), probs=torch.ones(2)).log_prob(torch.full((2,), 0.5).log())
        tensor(-1.3863)
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.real_vector  # the true one is the surface on which the exponentials sum to 1
    has_rsample = True
    _expandable = {"_categorical": 0}

    # fmt: off
    def __init__(self, temperature: Tensor, probs: Tensor | None = None, logits: Tensor | None = None,
                 validate_args: bool | None = None) -> None:
        # fmt: on
        self._categorical = Categorical(probs, logits)
        self.temperature = temperature
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        new.temperature = self.temperature
        return new

    def _new(self, *args: Any, **kwargs: Any) -> Tensor:
        return self._categorical._new(*args, **kwargs)

    @property
    def param_shape(self) -> torch.Size:
        """Shape of `probs` and `logits`."""
        return self._categorical.param_shape

    @property
    def logits(self) -> Tensor:
        """Logarithms of the probabilities."""
        return self._categorical.logits

    @property
    def probs(self) -> Tensor:
        """Probabilities."""
        return self._categorical.probs

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        u = clamp_probs(torch.rand(shape, dtype=self.logits.dtype, device=self.logits.device))
        scores = (self.logits - torch.log(-torch.log(u))) / self.temperature
        return scores - scores.logsumexp(dim=-1, keepdim=True)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        k = self._categorical._num_events
        logits, value = broadcast_all(self.logits, value)
        constant = torch.lgamma(torch.full_like(self.temperature, float(k))) + (k - 1) * self.temperature.log()
        score = logits - value * self.temperature
        return (score - score.logsumexp(dim=-1, keepdim=True)).sum(-1) + constant


class RelaxedOneHotCategorical(TransformedDistribution):
    """Relaxed one-hot categorical distribution on the simplex, which has gradients by reparameterization.

    Args:
        temperature (Tensor): positive; values gather at the corners as it falls
        probs (Tensor, optional): weights of the categories
        logits (Tensor, optional): logarithms of weights; either this or `probs` is given
        validate_args (bool, optional): whether parameters and values are checked

    Example:
        >>> d = torch.distributions.RelaxedOneHotCategorical(torch.tensor(1.0), probs=torch.ones(2))
        >>> d.log_prob(torch.tensor([0.5, 0.5]))
        tensor(0.)
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.simplex
    has_rsample = True
    base_dist: ExpRelaxedCategorical
    _expandable: dict[str, int] = {}

    # fmt: off
    def __init__(self, temperature: Tensor, probs: Tensor | None = None, logits: Tensor | None = None,
                 validate_args: bool | None = None) -> None:
        # fmt: on
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)

    @property
    def temperature(self) -> Tensor:
        """How far values are from the corners."""
        return self.base_dist.temperature

    @property
    def logits(self) -> Tensor:
        """Logarithms of the probabilities."""
        return self.base_dist.logits

    @property
    def probs(self) -> Tensor:
        """Probabilities."""
        return self.base_dist.probs
