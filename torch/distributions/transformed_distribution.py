"""Distributions of transformed values."""

from __future__ import annotations

import torch
from torch.distributions import constraints
from torch.distributions.distribution import Distribution
from torch.distributions.independent import Independent
from torch.distributions.transforms import ComposeTransform, Transform
from torch.distributions.utils import _sum_rightmost

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from torch import Tensor

__all__ = ["TransformedDistribution"]


class TransformedDistribution(Distribution):
    """The distribution of transformed values: y = f(x), with density p(x) / |det df/dx|.

    Args:
        base_distribution (Distribution): the distribution of x
        transforms (Transform or list of Transform): f, or its parts, the first of which is applied first
        validate_args (bool, optional): whether parameters and values are checked

    Example:
        >>> from torch.distributions import AffineTransform, SigmoidTransform, TransformedDistribution, Uniform
        >>> logistic = TransformedDistribution(Uniform(0.0, 1.0), [SigmoidTransform().inv, AffineTransform(1.0, 2.0)])
        >>> logistic.log_prob(torch.tensor(1.0)), logistic.cdf(torch.tensor(1.0))
        (tensor(-2.0794), tensor(0.5000))
    """

    arg_constraints: dict[str, constraints.Constraint] = {}
    _expandable: dict[str, int] = {}

    # fmt: off
    def __init__(self, base_distribution: Distribution, transforms: Transform | list[Transform],
                 validate_args: bool | None = None) -> None:
        # fmt: on
        if isinstance(transforms, Transform):
            self.transforms = [transforms]
        elif isinstance(transforms, list) and all(isinstance(part, Transform) for part in transforms):
            self.transforms = transforms
        else:
            raise ValueError(f"{type(self).__name__}: transforms must be a Transform or a list of Transforms, got {transforms!r}")
        base_event = len(base_distribution.event_shape)
        shape = base_distribution.batch_shape + base_distribution.event_shape
        whole = ComposeTransform(self.transforms)
        needed = whole.domain.event_dim
        if len(shape) < needed:
            raise ValueError(f"{type(self).__name__}: the transforms take values with {needed} dimensions, and the batch and "
                             f"event of base_distribution have shape {shape}")  # fmt: skip
        after = torch.Size(whole.forward_shape(shape))
        before = torch.Size(whole.inverse_shape(after))  # parameters of the transforms may broadcast
        if before != shape:
            base_distribution = base_distribution.expand(before[: len(before) - base_event])
        if needed > base_event:
            base_distribution = Independent(base_distribution, needed - base_event)
        self.base_dist = base_distribution
        event_dim = max(whole.codomain.event_dim, base_event + whole.codomain.event_dim - needed)
        outer = len(after) - event_dim
        super().__init__(after[:outer], after[outer:], validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        shape = torch.Size(batch_shape) + self._event_shape
        for transform in reversed(self.transforms):
            shape = torch.Size(transform.inverse_shape(shape))
        new.base_dist = self.base_dist.expand(shape[: len(shape) - len(self.base_dist.event_shape)])
        new.transforms = self.transforms
        return new

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        """Whether the distribution has `rsample`."""
        return self.base_dist.has_rsample

    @constraints.dependent_property(is_discrete=False)
    def support(self) -> Any:
        if not self.transforms:
            return self.base_dist.support
        support = self.transforms[-1].codomain
        extra = len(self._event_shape) - support.event_dim
        return constraints.independent(support, extra) if extra > 0 else support

    def _transformed(self, value: Tensor) -> Tensor:
        for transform in self.transforms:
            value = transform(value)
        return value

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with torch.no_grad():
            return self._transformed(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self._transformed(self.base_dist.rsample(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        event_dim = len(self.event_shape)
        determinant: Any = 0.0
        y = value
        for transform in reversed(self.transforms):
            x = transform.inv(y)
            event_dim += transform.domain.event_dim - transform.codomain.event_dim
            term = transform.log_abs_det_jacobian(x, y)
            determinant = determinant - _sum_rightmost(term, event_dim - transform.domain.event_dim)
            y = x
        return determinant + _sum_rightmost(self.base_dist.log_prob(y), event_dim - len(self.base_dist.event_shape))

    def _monotonize_cdf(self, value: Tensor) -> Tensor:
        """p where the transforms increase, 1 - p where they decrease."""
        sign: Any = 1
        for transform in self.transforms:
            sign = sign * transform.sign
        return value if isinstance(sign, int) and sign == 1 else sign * (value - 0.5) + 0.5

    def cdf(self, value: Tensor) -> Tensor:
        for transform in reversed(self.transforms):
            value = transform.inv(value)
        if self._validate_args:
            self.base_dist._validate_sample(value)
        return self._monotonize_cdf(self.base_dist.cdf(value))

    def icdf(self, value: Tensor) -> Tensor:
        return self._transformed(self.base_dist.icdf(self._monotonize_cdf(value)))
