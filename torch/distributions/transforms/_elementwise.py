"""Transforms of every entry by itself."""

from __future__ import annotations

import math

import torch
from torch.distributions import constraints
from torch.distributions.transforms._base import EqualByType, RealFunction, Transform, broadcast_shape, sum_over_events
from torch.distributions.utils import softplus

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from torch import Tensor
    from torch.distributions.distribution import Distribution


class ExpTransform(RealFunction):
    """y = exp(x), from the real numbers to the positive ones.

    Args:
        cache_size (int, default 0): 1: the last pair of argument and result is kept

    Example:
        >>> from torch.distributions import ExpTransform
        >>> ExpTransform()(torch.tensor([0.0, 1.0]))
        tensor([1.0000, 2.7183])
    """

    codomain = constraints.positive

    def _call(self, x: Tensor) -> Tensor:
        return x.exp()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return x


def _clipped_sigmoid(x: Tensor) -> Tensor:
    """sigmoid(x), kept away from 0 and 1."""
    kind = torch.finfo(x.dtype)
    return x.sigmoid().clamp(min=kind.tiny, max=1.0 - kind.eps)


class SigmoidTransform(RealFunction):
    """y = 1 / (1 + exp(-x)), from the real numbers to those between 0 and 1.

    Results are kept away from 0 and 1 by the smallest amount that the dtype has.

    Args:
        cache_size (int, default 0): 1: the last pair of argument and result is kept

    Example:
        >>> from torch.distributions import SigmoidTransform
        >>> SigmoidTransform()(torch.tensor([0.0, 2.0]))
        tensor([0.5000, 0.8808])
    """

    codomain = constraints.unit_interval

    def _call(self, x: Tensor) -> Tensor:
        return _clipped_sigmoid(x)

    def _inverse(self, y: Tensor) -> Tensor:
        kind = torch.finfo(y.dtype)
        y = y.clamp(min=kind.tiny, max=1.0 - kind.eps)
        return y.log() - torch.log1p(-y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -softplus(-x) - softplus(x)


class SoftplusTransform(RealFunction):
    """y = log(1 + exp(x)), from the real numbers to the positive ones. It is x above 20.

    Args:
        cache_size (int, default 0): 1: the last pair of argument and result is kept

    Example:
        >>> from torch.distributions import SoftplusTransform
        >>> SoftplusTransform()(torch.tensor([0.0, 2.0]))
        tensor([0.6931, 2.1269])
    """

    codomain = constraints.positive

    def _call(self, x: Tensor) -> Tensor:
        return softplus(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return y + torch.log(-torch.expm1(-y))

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -softplus(-x)


class TanhTransform(RealFunction):
    """y = tanh(x), from the real numbers to those between -1 and 1.

    It equals `ComposeTransform([AffineTransform(0., 2.), SigmoidTransform(), AffineTransform(-1., 2.)])`, with less rounding.
    The inverse is infinite at -1 and 1; with a cache, a result's own argument comes back.

    Args:
        cache_size (int, default 0): 1: the last pair of argument and result is kept

    Example:
        >>> from torch.distributions import TanhTransform
        >>> TanhTransform()(torch.tensor([0.0, 1.0]))
        tensor([0.0000, 0.7616])
    """

    codomain = constraints.interval(-1.0, 1.0)

    def _call(self, x: Tensor) -> Tensor:
        return x.tanh()

    def _inverse(self, y: Tensor) -> Tensor:
        return torch.atanh(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        # 1 - tanh(x)^2 = 4 / (e^x + e^-x)^2, without the cancellation.
        return 2.0 * (math.log(2.0) - x - softplus(-2.0 * x))


class AbsTransform(EqualByType):
    """y = |x|. The inverse gives the positive argument.

    Args:
        cache_size (int, default 0): 1: the last pair of argument and result is kept

    Example:
        >>> from torch.distributions import AbsTransform
        >>> AbsTransform()(torch.tensor([-1.0, 2.0]))
        tensor([1., 2.])
    """

    domain = constraints.real
    codomain = constraints.positive

    def _call(self, x: Tensor) -> Tensor:
        return x.abs()

    def _inverse(self, y: Tensor) -> Tensor:
        return y


class PowerTransform(Transform):
    """y = x ** exponent, from the positive numbers to the positive numbers.

    Args:
        exponent (Tensor or float): the exponent
        cache_size (int, default 0): 1: the last pair of argument and result is kept

    Example:
        >>> from torch.distributions import PowerTransform
        >>> PowerTransform(0.5)(torch.tensor([4.0, 9.0]))
        tensor([2., 3.])
    """

    domain = constraints.positive
    codomain = constraints.positive
    bijective = True

    def __init__(self, exponent: Tensor | float, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.exponent = torch.as_tensor(exponent, dtype=None if isinstance(exponent, torch.Tensor) else torch.get_default_dtype())

    @property
    def sign(self) -> Any:
        return self.exponent.sign()

    def with_cache(self, cache_size: int = 1) -> Transform:
        return self if self._cache_size == cache_size else PowerTransform(self.exponent, cache_size=cache_size)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PowerTransform) and bool(self.exponent.eq(other.exponent).all())

    def _call(self, x: Tensor) -> Tensor:
        return x.pow(self.exponent)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.pow(1 / self.exponent)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return (self.exponent * y / x).abs().log()

    def forward_shape(self, shape: Sequence[int]) -> Sequence[int]:
        return broadcast_shape(shape, self.exponent)

    def inverse_shape(self, shape: Sequence[int]) -> Sequence[int]:
        return broadcast_shape(shape, self.exponent)


class AffineTransform(Transform):
    """y = loc + scale * x.

    Args:
        loc (Tensor or float): what is added
        scale (Tensor or float): what is multiplied by
        event_dim (int, default 0): how many of the last dimensions make up one value
        cache_size (int, default 0): 1: the last pair of argument and result is kept

    Example:
        >>> from torch.distributions import AffineTransform
        >>> AffineTransform(1.0, 2.0)(torch.tensor([0.0, 3.0]))
        tensor([1., 7.])
    """

    bijective = True

    # fmt: off
    def __init__(self, loc: Tensor | float, scale: Tensor | float, event_dim: int = 0, cache_size: int = 0) -> None:
        # fmt: on
        super().__init__(cache_size=cache_size)
        self.loc, self.scale, self._event_dim = loc, scale, event_dim

    @property
    def event_dim(self) -> int:
        return self._event_dim

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> constraints.Constraint:
        """The real numbers, or arrays of them."""
        return constraints.independent(constraints.real, self.event_dim) if self.event_dim else constraints.real

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> constraints.Constraint:
        """The real numbers, or arrays of them."""
        return constraints.independent(constraints.real, self.event_dim) if self.event_dim else constraints.real

    @property
    def sign(self) -> Any:
        scale = self.scale
        return scale.sign() if isinstance(scale, torch.Tensor) else (scale > 0) - (scale < 0)

    def with_cache(self, cache_size: int = 1) -> Transform:
        same = self._cache_size == cache_size
        return self if same else AffineTransform(self.loc, self.scale, self.event_dim, cache_size=cache_size)

    def __eq__(self, other: object) -> bool:
        def equal(a: Any, b: Any) -> bool:
            return bool(torch.as_tensor(a == b).all())

        return isinstance(other, AffineTransform) and equal(self.loc, other.loc) and equal(self.scale, other.scale)

    def _call(self, x: Tensor) -> Tensor:
        return self.loc + self.scale * x

    def _inverse(self, y: Tensor) -> Tensor:
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        scale = self.scale
        if isinstance(scale, torch.Tensor):
            terms = scale.abs().log()
        else:
            terms = torch.full_like(x, math.log(abs(scale)) if scale else -math.inf)
        shape = x.shape[: x.dim() - self.event_dim]
        if self.event_dim:  # constant over an event: every entry counts
            terms = sum_over_events(terms.expand(broadcast_shape(x.shape, terms)), self.event_dim)
        return terms.expand(shape)

    def forward_shape(self, shape: Sequence[int]) -> Sequence[int]:
        return broadcast_shape(shape, self.loc, self.scale)

    def inverse_shape(self, shape: Sequence[int]) -> Sequence[int]:
        return broadcast_shape(shape, self.loc, self.scale)


class CumulativeDistributionTransform(Transform):
    """The cumulative distribution function of a distribution, from its support to the numbers between 0 and 1.

    Args:
        distribution (Distribution): it has `cdf`, `icdf` and `log_prob`
        cache_size (int, default 0): 1: the last pair of argument and result is kept

    Example:
        A Gaussian copula: uniform margins of a correlated normal vector.

        >>> from torch.distributions import CumulativeDistributionTransform, Normal
        >>> CumulativeDistributionTransform(Normal(0.0, 1.0))(torch.tensor([0.0, 1.0]))
        tensor([0.5000, 0.8413])
    """

    bijective = True
    codomain = constraints.unit_interval

    def __init__(self, distribution: Distribution, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.distribution = distribution

    @property
    def domain(self) -> Any:  # type: ignore[override]
        """The support of the distribution."""
        return self.distribution.support

    @property
    def sign(self) -> Any:
        return 1

    def with_cache(self, cache_size: int = 1) -> Transform:
        same = self._cache_size == cache_size
        return self if same else CumulativeDistributionTransform(self.distribution, cache_size=cache_size)

    def _call(self, x: Tensor) -> Tensor:
        return self.distribution.cdf(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return self.distribution.log_prob(x)
