"""KL divergences that are infinite, because the first distribution has values that the second has not."""

from __future__ import annotations

import torch
from torch.distributions.bernoulli import Bernoulli
from torch.distributions.beta import Beta
from torch.distributions.binomial import Binomial
from torch.distributions.continuous_bernoulli import ContinuousBernoulli
from torch.distributions.distribution import Distribution
from torch.distributions.exponential import Exponential
from torch.distributions.gamma import Gamma
from torch.distributions.gumbel import Gumbel
from torch.distributions.kl import register_kl
from torch.distributions.laplace import Laplace
from torch.distributions.normal import Normal
from torch.distributions.pareto import Pareto
from torch.distributions.poisson import Poisson
from torch.distributions.uniform import Uniform

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from torch import Tensor

# Distributions on the unit interval, on other bounded sets, on half lines and on the whole line.
_UNIT = (Beta, ContinuousBernoulli)
_BOUNDED = (*_UNIT, Uniform)
_HALF_LINE = (Exponential, Gamma)
_LINE = (Gumbel, Laplace, Normal)

_PAIRS = [
    *((p, Pareto) for p in _UNIT),  # a Pareto distribution leaves out what is next to 0
    *((p, q) for p in _HALF_LINE for q in (*_BOUNDED, Pareto)),
    *((p, q) for p in _LINE for q in (*_BOUNDED, *_HALF_LINE, Pareto)),
    *((Pareto, q) for q in _BOUNDED),
    (Poisson, Bernoulli), (Poisson, Binomial),
]  # fmt: skip


def _infinite(p: Distribution, q: Distribution) -> Tensor:
    parameter = next(getattr(p, name) for name in p.arg_constraints)
    return torch.full(
        torch.broadcast_shapes(p.batch_shape, q.batch_shape), torch.inf, dtype=parameter.dtype, device=parameter.device
    )


for _p, _q in _PAIRS:
    register_kl(_p, _q)(_infinite)
