"""Relaxed Bernoulli distribution."""

from __future__ import annotations

import torch
from torch.distributions import constraints
from torch.distributions._binary import _Binary
from torch.distributions.transformed_distribution import TransformedDistribution
from torch.distributions.transforms import SigmoidTransform
from torch.distributions.utils import broadcast_all, clamp_probs

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from torch import Tensor

__all__ = ["LogitRelaxedBernoulli", "RelaxedBernoulli"]


class LogitRelaxedBernoulli(_Binary):
    """Relaxed Bernoulli distribution, of log odds: (logits + L) / temperature, where L has the standard logistic distribution.

    Sources: Maddison, Mnih and Teh, "The concrete distribution", 2017; Jang, Gu and Poole, "Categorical reparameterization
    with Gumbel-softmax", 2017.

    Args:
        temperature (Tensor): positive; values gather at the ends as it falls
        probs (Tensor or Number, optional): probability of 1 of the Bernoulli distribution
        logits (Tensor or Number, optional): its log odds; either this or `probs` is given
        validate_args (bool, optional): whether parameters and values are checked

    Example:
        >>> from torch.distributions.relaxed_bernoulli import LogitRelaxedBernoulli
        >>> LogitRelaxedBernoulli(torch.tensor(1.0), probs=0.5).log_prob(torch.tensor(0.0))
        tensor(-1.3863)
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.real
    _expandable = {"probs": 0, "logits": 0}

    # fmt: off
    def __init__(self, temperature: Tensor, probs: Any = None, logits: Any = None,
                 validate_args: bool | None = None) -> None:
        # fmt: on
        self.temperature = temperature
        self._set_parameter(probs, logits)
        super().__init__(self._param.shape, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        new.temperature = self.temperature
        return new

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        p = clamp_probs(self.probs.expand(shape))
        u = clamp_probs(torch.rand(shape, dtype=p.dtype, device=p.device))
        return (u.log() - torch.log1p(-u) + p.log() - torch.log1p(-p)) / self.temperature

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        z = logits - value * self.temperature
        return self.temperature.log() + z - 2 * torch.log1p(z.exp())


class RelaxedBernoulli(TransformedDistribution):
    """Relaxed Bernoulli distribution on (0, 1), which has gradients by reparameterization.

    Args:
        temperature (Tensor): positive; values gather at 0 and 1 as it falls
        probs (Tensor or Number, optional): probability of 1 of the Bernoulli distribution
        logits (Tensor or Number, optional): its log odds; either this or `probs` is given
        validate_args (bool, optional): whether parameters and values are checked

    Example:
        >>> d = torch.distributions.RelaxedBernoulli(torch.tensor(1.0), probs=0.5)
        >>> d.log_prob(torch.tensor(0.25))
        tensor(0.)
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    has_rsample = True
    base_dist: LogitRelaxedBernoulli
    _expandable: dict[str, int] = {}

    # fmt: off
    def __init__(self, temperature: Tensor, probs: Any = None, logits: Any = None,
                 validate_args: bool | None = None) -> None:
        # fmt: on
        base = LogitRelaxedBernoulli(temperature, probs, logits)
        super().__init__(base, SigmoidTransform(), validate_args=validate_args)

    @property
    def temperature(self) -> Tensor:
        """How far values are from 0 and 1."""
        return self.base_dist.temperature

    @property
    def logits(self) -> Tensor:
        """Log odds of the Bernoulli distribution."""
        return self.base_dist.logits

    @property
    def probs(self) -> Tensor:
        """Probability of 1 of the Bernoulli distribution."""
        return self.base_dist.probs
