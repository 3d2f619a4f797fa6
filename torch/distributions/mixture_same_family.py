"""Mixtures of distributions of one family."""

from __future__ import annotations

import torch
from torch.distributions import constraints
from torch.distributions.categorical import Categorical
from torch.distributions.constraints import MixtureSameFamilyConstraint
from torch.distributions.distribution import Distribution

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from torch import Tensor

__all__ = ["MixtureSameFamily"]


class MixtureSameFamily(Distribution):
    """Mixture: a categorical distribution chooses the component that a value is drawn from.

    Args:
        mixture_distribution (Categorical): chooses among k components
        component_distribution (Distribution): the components, numbered by the last batch dimension, which has size k
        validate_args (bool, optional): whether parameters and values are checked

    Example:
        >>> from torch.distributions import Categorical, MixtureSameFamily, Normal
        >>> d = MixtureSameFamily(Categorical(torch.ones(2)), Normal(torch.tensor([-1.0, 1.0]), 1.0))
        >>> d.mean, d.variance, d.log_prob(torch.tensor(0.0))
        (tensor(0.), tensor(2.), tensor(-1.4189))
    """

    arg_constraints: dict[str, constraints.Constraint] = {}
    has_rsample = False
    _expandable: dict[str, int] = {}

    # fmt: off
    def __init__(self, mixture_distribution: Categorical, component_distribution: Distribution,
                 validate_args: bool | None = None) -> None:
        # fmt: on
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError(f"MixtureSameFamily: mixture_distribution must be a Categorical, got {mixture_distribution!r}")
        if not isinstance(component_distribution, Distribution):
            raise ValueError(f"MixtureSameFamily: component_distribution must be a Distribution, got {component_distribution!r}")
        mixture, components = mixture_distribution.batch_shape, component_distribution.batch_shape
        if any(1 not in pair and pair[0] != pair[1] for pair in zip(reversed(mixture), reversed(components[:-1]))):
            raise ValueError(f"MixtureSameFamily: batch shape {mixture} of mixture_distribution does not broadcast with "
                             f"{components[:-1]} of component_distribution")  # fmt: skip
        count = mixture_distribution.logits.shape[-1]
        if not components or components[-1] != count:
            raise (ValueError if components else IndexError)(
                f"MixtureSameFamily: the last batch dimension of component_distribution must number the {count} components, "
                f"got batch shape {components}"
            )  # fmt: skip
        self._mixture_distribution = mixture_distribution
        self._component_distribution = component_distribution
        self._num_component = count
        event = component_distribution.event_shape
        self._event_ndims = len(event)
        super().__init__(components[:-1], event, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        new._component_distribution = self._component_distribution.expand((*batch_shape, self._num_component))
        new._mixture_distribution = self._mixture_distribution.expand(batch_shape)
        new._num_component, new._event_ndims = self._num_component, self._event_ndims
        return new

    @constraints.dependent_property
    def support(self) -> Any:
        return MixtureSameFamilyConstraint(self._component_distribution.support)

    @property
    def mixture_distribution(self) -> Categorical:
        """The distribution that chooses the component."""
        return self._mixture_distribution

    @property
    def component_distribution(self) -> Distribution:
        """The components."""
        return self._component_distribution

    def _pad(self, x: Tensor) -> Tensor:
        """`x` with a dimension for the components."""
        return x.unsqueeze(-1 - self._event_ndims)

    def _pad_mixture_dimensions(self, x: Tensor) -> Tensor:
        """`x`, of the mixture's shape, with dimensions for those of the batch that it lacks, and for the event's."""
        batch = self._mixture_distribution.batch_shape
        missing = len(self.batch_shape) - len(batch) if batch else 0
        return x.reshape(x.shape[:-1] + (1,) * missing + x.shape[-1:] + (1,) * self._event_ndims)

    @property
    def mean(self) -> Tensor:
        probs = self._pad_mixture_dimensions(self._mixture_distribution.probs)
        return (probs * self._component_distribution.mean).sum(-1 - self._event_ndims)

    @property
    def variance(self) -> Tensor:
        """The variance: the mean of the components' variances plus the variance of their means."""
        probs = self._pad_mixture_dimensions(self._mixture_distribution.probs)
        dim = -1 - self._event_ndims
        within = (probs * self._component_distribution.variance).sum(dim)
        off = self._component_distribution.mean - self._pad(self.mean)
        return within + (probs * off.square()).sum(dim)

    def cdf(self, value: Tensor) -> Tensor:
        below = self._component_distribution.cdf(self._pad(value))
        return (below * self._mixture_distribution.probs).sum(-1)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        each = self._component_distribution.log_prob(self._pad(value))
        return torch.logsumexp(each + torch.log_softmax(self._mixture_distribution.logits, -1), -1)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with torch.no_grad():
            sample_shape = torch.Size(sample_shape)
            outer, event = len(sample_shape) + len(self.batch_shape), self.event_shape
            mixture = self._mixture_distribution
            if mixture.batch_shape != self.batch_shape:
                mixture = mixture.expand(self.batch_shape)
            chosen = mixture.sample(sample_shape)
            each = self._component_distribution.sample(sample_shape)
            index = chosen.reshape(chosen.shape + (1,) * (len(event) + 1))
            index = index.expand(chosen.shape + (1,) + event)
            return each.gather(outer, index).squeeze(outer)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(\n  {self._mixture_distribution},\n  {self._component_distribution})"
