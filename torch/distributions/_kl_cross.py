"""KL divergences between distributions of different families.

Each is -H(p) - E_p[log q(x)], and a function here gives the expected log density of q from moments of p.
"""

from __future__ import annotations

import math

import torch
from torch.distributions.bernoulli import Bernoulli
from torch.distributions.beta import Beta
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
from torch.distributions.utils import euler_constant

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any

    from torch import Tensor


def _mean_log(p: Any) -> Tensor:
    """E[log x]."""
    if isinstance(p, Beta):
        return torch.digamma(p.concentration1) - torch.digamma(p.concentration1 + p.concentration0)
    if isinstance(p, Gamma):
        return torch.digamma(p.concentration) - p.rate.log()
    if isinstance(p, Exponential):
        return -p.rate.log() - euler_constant
    if isinstance(p, Pareto):
        return p.scale.log() + p.alpha.reciprocal()
    if isinstance(p, Uniform):
        return (torch.xlogy(p.high, p.high) - torch.xlogy(p.low, p.low)) / (p.high - p.low) - 1
    raise NotImplementedError(f"the mean logarithm of {type(p).__name__}")


def _mean_log_complement(p: Any) -> Tensor:
    """E[log(1 - x)]."""
    if isinstance(p, Uniform):
        low, high = 1 - p.low, 1 - p.high
        return (torch.xlogy(low, low) - torch.xlogy(high, high)) / (p.high - p.low) - 1
    return torch.digamma(p.concentration0) - torch.digamma(p.concentration1 + p.concentration0)


def _mean_exp(p: Any, scale: Tensor) -> Tensor:
    """E[exp(-x / scale)]."""
    if isinstance(p, Exponential):
        return p.rate * scale / (p.rate * scale + 1)
    if isinstance(p, Gamma):
        return (1 + (p.rate * scale).reciprocal()) ** -p.concentration
    if isinstance(p, Normal):
        return torch.exp(0.5 * (p.scale / scale).square() - p.loc / scale)
    if isinstance(p, Uniform):
        return scale / (p.high - p.low) * (torch.exp(-p.low / scale) - torch.exp(-p.high / scale))
    raise NotImplementedError(f"the mean exponential of {type(p).__name__}")


def _to_normal(p: Any, q: Normal) -> Tensor:
    spread = p.variance + (p.mean - q.loc).square()
    return -0.5 * spread / q.scale.square() - 0.5 * math.log(2 * math.pi) - q.scale.log()


def _to_exponential(p: Any, q: Exponential) -> Tensor:
    return q.rate.log() - q.rate * p.mean


def _to_gamma(p: Any, q: Gamma) -> Tensor:
    c = q.concentration
    return c * q.rate.log() - torch.lgamma(c) + (c - 1) * _mean_log(p) - q.rate * p.mean


def _to_gumbel(p: Any, q: Gumbel) -> Tensor:
    z = (p.mean - q.loc) / q.scale
    return -q.scale.log() - z - torch.exp(q.loc / q.scale) * _mean_exp(p, q.scale)


def _to_beta(p: Any, q: Beta) -> Tensor:
    a, b = q.concentration1, q.concentration0
    log_beta = torch.lgamma(a) + torch.lgamma(b) - torch.lgamma(a + b)
    return (a - 1) * _mean_log(p) + (b - 1) * _mean_log_complement(p) - log_beta


def _to_continuous_bernoulli(p: Any, q: ContinuousBernoulli) -> Tensor:
    return p.mean * q.logits + torch.log1p(-q.probs) + q._cont_bern_log_norm()


def _to_uniform(p: Any, q: Uniform) -> Tensor:
    return -(q.high - q.low).log()


def _to_pareto(p: Any, q: Pareto) -> Tensor:
    return q.alpha.log() + q.alpha * q.scale.log() - (q.alpha + 1) * _mean_log(p)


def _to_laplace(p: Normal, q: Laplace) -> Tensor:
    """The mean of |x - q.loc| is that of a folded normal distribution."""
    off = p.loc - q.loc
    z = off / p.scale
    distance = math.sqrt(2 / math.pi) * p.scale * torch.exp(-0.5 * z.square()) + off * torch.erf(z / math.sqrt(2))
    return -(2 * q.scale).log() - distance / q.scale


_EXPECTED: list[tuple[Any, type, tuple[type, ...]]] = [
    (_to_normal, Normal, (Beta, ContinuousBernoulli, Exponential, Gamma, Gumbel, Laplace, Pareto, Uniform)),
    (_to_exponential, Exponential, (Beta, ContinuousBernoulli, Gamma, Pareto, Uniform)),
    (_to_gamma, Gamma, (Beta, Exponential, Pareto, Uniform)),
    (_to_gumbel, Gumbel, (Exponential, Gamma, Normal, Uniform)),
    (_to_beta, Beta, (Uniform,)),
    (_to_continuous_bernoulli, ContinuousBernoulli, (Beta, Uniform)),
    (_to_uniform, Uniform, (Beta, ContinuousBernoulli)),
    (_to_pareto, Pareto, (Uniform,)),
    (_to_laplace, Laplace, (Normal,)),
]


def _outside(p: Distribution, q: Distribution) -> Tensor | None:
    """Where p has values outside the support of q, or moments that are infinite; None where that cannot be."""
    if isinstance(p, Uniform):
        if isinstance(q, (Beta, ContinuousBernoulli)):
            return (p.low < 0) | (p.high > 1)
        if isinstance(q, (Exponential, Gamma)):
            return p.low < 0
        if isinstance(q, Pareto):
            return p.low < q.scale
    if isinstance(q, Uniform):
        return (q.low > 0) | (q.high < 1)
    if isinstance(p, Pareto):
        return p.alpha <= (2 if isinstance(q, Normal) else 1)
    return None


def _register(expected: Any, type_q: type, type_p: type) -> None:
    @register_kl(type_p, type_q)
    def kl(p: Any, q: Any) -> Tensor:
        result = -p.entropy() - expected(p, q)
        outside = _outside(p, q)
        return result if outside is None else result.masked_fill(outside, torch.inf)


for _function, _q, _ps in _EXPECTED:
    for _p in _ps:
        _register(_function, _q, _p)


@register_kl(Bernoulli, Poisson)
def _bernoulli_poisson(p: Bernoulli, q: Poisson) -> Tensor:
    return -p.entropy() - (p.probs * q.rate.log() - q.rate)
