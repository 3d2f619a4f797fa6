"""The distributions that the tests walk over: every class, with fixed parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import distributions as D
from torch.distributions.relaxed_bernoulli import LogitRelaxedBernoulli
from torch.distributions.relaxed_categorical import ExpRelaxedCategorical


def _t(*values: Any) -> torch.Tensor:
    return torch.tensor(values if len(values) > 1 else values[0], dtype=torch.float64)


LOC, SCALE = (0.5, -1.0, 2.0), (0.7, 1.5, 2.5)
COVARIANCE = [[2.0, 0.5, -0.3], [0.5, 1.5, 0.2], [-0.3, 0.2, 1.0]]
WEIGHTS = (0.1, 0.2, 0.3, 0.4)


def _mixture(components: D.Distribution) -> D.MixtureSameFamily:
    return D.MixtureSameFamily(D.Categorical(_t(0.2, 0.3, 0.5)), components)


CASES: dict[str, Callable[[], D.Distribution]] = {
    "Bernoulli": lambda: D.Bernoulli(_t(0.2, 0.5, 0.9)),
    "Bernoulli of logits": lambda: D.Bernoulli(logits=_t(LOC)),
    "Beta": lambda: D.Beta(_t(0.7, 2.0, 3.5), _t(1.5, 2.5, 0.8)),
    "Binomial": lambda: D.Binomial(7, _t(0.2, 0.5, 0.9)),
    "Categorical": lambda: D.Categorical(_t(WEIGHTS)),
    "Cauchy": lambda: D.Cauchy(_t(LOC), _t(SCALE)),
    "Chi2": lambda: D.Chi2(_t(1.5, 3.0, 6.0)),
    "ContinuousBernoulli": lambda: D.ContinuousBernoulli(_t(0.2, 0.5, 0.9)),
    "Dirichlet": lambda: D.Dirichlet(_t(0.7, 2.0, 3.5)),
    "ExpRelaxedCategorical": lambda: ExpRelaxedCategorical(_t(0.7), _t(WEIGHTS)),
    "Exponential": lambda: D.Exponential(_t(SCALE)),
    "FisherSnedecor": lambda: D.FisherSnedecor(_t(2.5, 4.0, 6.0), _t(9.0, 11.0, 13.0)),
    "Gamma": lambda: D.Gamma(_t(0.7, 2.0, 3.5), _t(SCALE)),
    "GeneralizedPareto": lambda: D.GeneralizedPareto(_t(LOC), _t(SCALE), _t(-0.4, 0.0, 0.2)),
    "Geometric": lambda: D.Geometric(_t(0.2, 0.5, 0.9)),
    "Gumbel": lambda: D.Gumbel(_t(LOC), _t(SCALE)),
    "HalfCauchy": lambda: D.HalfCauchy(_t(SCALE)),
    "HalfNormal": lambda: D.HalfNormal(_t(SCALE)),
    "Independent": lambda: D.Independent(D.Normal(_t(LOC), _t(SCALE)), 1),
    "InverseGamma": lambda: D.InverseGamma(_t(5.0, 6.0, 7.5), _t(SCALE)),
    "Kumaraswamy": lambda: D.Kumaraswamy(_t(1.7, 2.0, 3.5), _t(1.5, 2.5, 1.8)),
    "LKJCholesky": lambda: D.LKJCholesky(3, _t(1.5)),
    "Laplace": lambda: D.Laplace(_t(LOC), _t(SCALE)),
    "LogNormal": lambda: D.LogNormal(_t(LOC), _t(0.3, 0.5, 0.7)),
    "LogisticNormal": lambda: D.LogisticNormal(_t(LOC), _t(SCALE)),
    "LogitRelaxedBernoulli": lambda: LogitRelaxedBernoulli(_t(0.7), _t(0.2, 0.5, 0.9)),
    "LowRankMultivariateNormal": lambda: D.LowRankMultivariateNormal(_t(LOC), _t(SCALE).unsqueeze(-1), _t(0.5, 1.0, 2.0)),
    "Mixture of matrices": lambda: _mixture(D.Independent(D.Gamma(torch.ones(3, 2, dtype=torch.float64), _t(2.0)), 1)),
    "MixtureSameFamily": lambda: _mixture(D.Normal(_t(LOC), _t(SCALE))),
    "Multinomial": lambda: D.Multinomial(7, _t(WEIGHTS)),
    "MultivariateNormal": lambda: D.MultivariateNormal(_t(LOC), covariance_matrix=_t(COVARIANCE)),
    "MultivariateNormal of precision": lambda: D.MultivariateNormal(_t(LOC), precision_matrix=_t(COVARIANCE)),
    "NegativeBinomial": lambda: D.NegativeBinomial(_t(2.0, 3.5, 7.0), _t(0.2, 0.5, 0.7)),
    "Normal": lambda: D.Normal(_t(LOC), _t(SCALE)),
    "OneHotCategorical": lambda: D.OneHotCategorical(_t(WEIGHTS)),
    "OneHotCategoricalStraightThrough": lambda: D.OneHotCategoricalStraightThrough(_t(WEIGHTS)),
    "Pareto": lambda: D.Pareto(_t(SCALE), _t(5.0, 6.0, 7.5)),
    "Poisson": lambda: D.Poisson(_t(0.5, 3.0, 20.0)),
    "RelaxedBernoulli": lambda: D.RelaxedBernoulli(_t(0.7), _t(0.2, 0.5, 0.9)),
    "RelaxedOneHotCategorical": lambda: D.RelaxedOneHotCategorical(_t(0.7), _t(WEIGHTS)),
    "StudentT": lambda: D.StudentT(_t(5.0, 6.0, 7.5), _t(LOC), _t(SCALE)),
    "TransformedDistribution": lambda: D.TransformedDistribution(
        D.Normal(_t(LOC), _t(SCALE)), [D.AffineTransform(_t(1.0), _t(-0.5)), D.SigmoidTransform()]
    ),
    "Uniform": lambda: D.Uniform(_t(LOC), _t(1.5, 0.0, 5.0)),
    "VonMises": lambda: D.VonMises(_t(LOC), _t(SCALE)),
    "Weibull": lambda: D.Weibull(_t(SCALE), _t(1.5, 2.5, 0.8)),
    "Wishart": lambda: D.Wishart(_t(5.0), covariance_matrix=_t(COVARIANCE)),
}


def public_classes() -> set[str]:
    """Names of the distributions of the package, without the base classes."""
    found = {name for name in D.__all__ if isinstance(getattr(D, name), type) and issubclass(getattr(D, name), D.Distribution)}
    return found - {"Distribution", "ExponentialFamily"}
