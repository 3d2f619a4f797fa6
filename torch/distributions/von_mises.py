"""Von Mises distribution."""

from __future__ import annotations

import math

import torch
from torch.distributions import constraints
from torch.distributions.distribution import Distribution
from torch.distributions.utils import broadcast_all, lazy_property

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

__all__ = ["VonMises"]


class VonMises(Distribution):
    """Von Mises distribution of angles: density exp(k cos(x - loc)) / (2 pi I0(k)), where k is the concentration.

    Samples come from the rejection method of Best and Fisher ("Efficient simulation of the von Mises distribution", 1979), in
    double precision.

    Args:
        loc (Tensor or float): mean angle, in radians; any period is taken
        concentration (Tensor or float): k, positive
        validate_args (bool, optional): whether parameters and values are checked

    Example:
        >>> d = torch.distributions.VonMises(torch.tensor(1.0), torch.tensor(4.0))
        >>> d.mean, d.log_prob(torch.tensor(1.0))
        (tensor(1.), tensor(-0.2628))
    """

    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}
    support = constraints.real
    has_rsample = False
    _expandable = {"loc": 0, "concentration": 0}

    def __init__(self, loc: Tensor | float, concentration: Tensor | float, validate_args: bool | None = None) -> None:
        self.loc, self.concentration = broadcast_all(loc, concentration)
        super().__init__(self.loc.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """The mean direction."""
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @lazy_property
    def variance(self) -> Tensor:  # type: ignore[override]
        """The circular variance, 1 - I1(k) / I0(k)."""
        return 1 - torch.special.i1e(self.concentration) / torch.special.i0e(self.concentration)

    @lazy_property
    def _proposal_r(self) -> Tensor:
        """Parameter of the wrapped Cauchy distribution that values are proposed from."""
        k = self.concentration.double()
        tau = 1 + (1 + 4 * k.square()).sqrt()
        rho = (tau - (2 * tau).sqrt()) / (2 * k)
        r = (1 + rho.square()) / (2 * rho)
        return torch.where(k < 1e-5, k.reciprocal() + k, r)  # the difference in rho cancels

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with torch.no_grad():
            return self._by_rejection(self._extended_shape(sample_shape))

    def _by_rejection(self, shape: torch.Size) -> Tensor:
        loc, k = self.loc.double(), self.concentration.double()
        r = self._proposal_r.masked_fill(~(k > 0), torch.nan)  # no value would ever be accepted
        angle = torch.empty(shape, dtype=torch.double, device=loc.device)
        done = torch.zeros(shape, dtype=torch.bool, device=loc.device)
        while not done.all():
            first, second, third = torch.rand((3, *shape), dtype=torch.double, device=loc.device)
            z = torch.cos(math.pi * first)
            f = (1 + r * z) / (r + z)
            c = k * (r - f)
            accepted = (c * (2 - c) - second > 0) | ((c / second).log() + 1 - c >= 0) | c.isnan()
            angle = torch.where(accepted, (third - 0.5).sign() * f.acos(), angle)
            done |= accepted
        return ((angle + math.pi + loc) % (2 * math.pi) - math.pi).to(self.loc.dtype)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        # I0(k) = exp(k) i0e(k), which overflows for large k.
        spread = self.concentration * (torch.cos(value - self.loc) - 1)
        return spread - math.log(2 * math.pi) - torch.special.i0e(self.concentration).log()
