"""Probability distributions: sampling, densities, moments, entropies, KL divergences, and transforms between them.

Every distribution is a batch: parameters broadcast to `batch_shape`, one value has `event_shape`, and `sample(s)` returns a
tensor of shape s + batch_shape + event_shape. `rsample` is differentiable in the parameters where the distribution allows it.
"""

from __future__ import annotations

from torch._lazy import complete_dict as _complete_dict
from torch._lazy import lazy as _lazy

_FROM = {
    "bernoulli": "Bernoulli", "beta": "Beta", "binomial": "Binomial", "categorical": "Categorical", "cauchy": "Cauchy",
    "chi2": "Chi2", "constraint_registry": "biject_to transform_to", "constraints": "",
    "continuous_bernoulli": "ContinuousBernoulli", "dirichlet": "Dirichlet", "distribution": "Distribution",
    "exp_family": "ExponentialFamily", "exponential": "Exponential", "fishersnedecor": "FisherSnedecor", "gamma": "Gamma",
    "generalized_pareto": "GeneralizedPareto", "geometric": "Geometric", "gumbel": "Gumbel", "half_cauchy": "HalfCauchy",
    "half_normal": "HalfNormal", "independent": "Independent", "inverse_gamma": "InverseGamma", "kl": "kl_divergence register_kl",
    "kumaraswamy": "Kumaraswamy", "laplace": "Laplace", "lkj_cholesky": "LKJCholesky", "log_normal": "LogNormal",
    "logistic_normal": "LogisticNormal", "lowrank_multivariate_normal": "LowRankMultivariateNormal",
    "mixture_same_family": "MixtureSameFamily", "multinomial": "Multinomial", "multivariate_normal": "MultivariateNormal",
    "negative_binomial": "NegativeBinomial", "normal": "Normal",
    "one_hot_categorical": "OneHotCategorical OneHotCategoricalStraightThrough", "pareto": "Pareto", "poisson": "Poisson",
    "relaxed_bernoulli": "RelaxedBernoulli", "relaxed_categorical": "RelaxedOneHotCategorical", "studentT": "StudentT",
    "transformed_distribution": "TransformedDistribution",
    "transforms": "AbsTransform AffineTransform CatTransform ComposeTransform CorrCholeskyTransform "
                  "CumulativeDistributionTransform ExpTransform IndependentTransform LowerCholeskyTransform "
                  "PositiveDefiniteTransform PowerTransform ReshapeTransform SigmoidTransform SoftmaxTransform "
                  "SoftplusTransform StackTransform StickBreakingTransform TanhTransform Transform identity_transform",
    "uniform": "Uniform", "utils": "", "von_mises": "VonMises", "weibull": "Weibull", "wishart": "Wishart",
}  # fmt: skip

__all__ = sorted(" ".join(_FROM.values()).split())

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from torch.distributions import bernoulli as bernoulli
    from torch.distributions import beta as beta
    from torch.distributions import binomial as binomial
    from torch.distributions import categorical as categorical
    from torch.distributions import cauchy as cauchy
    from torch.distributions import chi2 as chi2
    from torch.distributions import constraint_registry as constraint_registry
    from torch.distributions import constraints as constraints
    from torch.distributions import continuous_bernoulli as continuous_bernoulli
    from torch.distributions import dirichlet as dirichlet
    from torch.distributions import distribution as distribution
    from torch.distributions import exp_family as exp_family
    from torch.distributions import exponential as exponential
    from torch.distributions import fishersnedecor as fishersnedecor
    from torch.distributions import gamma as gamma
    from torch.distributions import generalized_pareto as generalized_pareto
    from torch.distributions import geometric as geometric
    from torch.distributions import gumbel as gumbel
    from torch.distributions import half_cauchy as half_cauchy
    from torch.distributions import half_normal as half_normal
    from torch.distributions import independent as independent
    from torch.distributions import inverse_gamma as inverse_gamma
    from torch.distributions import kl as kl
    from torch.distributions import kumaraswamy as kumaraswamy
    from torch.distributions import laplace as laplace
    from torch.distributions import lkj_cholesky as lkj_cholesky
    from torch.distributions import log_normal as log_normal
    from torch.distributions import logistic_normal as logistic_normal
    from torch.distributions import lowrank_multivariate_normal as lowrank_multivariate_normal
    from torch.distributions import mixture_same_family as mixture_same_family
    from torch.distributions import multinomial as multinomial
    from torch.distributions import multivariate_normal as multivariate_normal
    from torch.distributions import negative_binomial as negative_binomial
    from torch.distributions import normal as normal
    from torch.distributions import one_hot_categorical as one_hot_categorical
    from torch.distributions import pareto as pareto
    from torch.distributions import poisson as poisson
    from torch.distributions import relaxed_bernoulli as relaxed_bernoulli
    from torch.distributions import relaxed_categorical as relaxed_categorical
    from torch.distributions import studentT as studentT
    from torch.distributions import transformed_distribution as transformed_distribution
    from torch.distributions import transforms as transforms
    from torch.distributions import uniform as uniform
    from torch.distributions import utils as utils
    from torch.distributions import von_mises as von_mises
    from torch.distributions import weibull as weibull
    from torch.distributions import wishart as wishart
    from torch.distributions.bernoulli import Bernoulli as Bernoulli
    from torch.distributions.beta import Beta as Beta
    from torch.distributions.binomial import Binomial as Binomial
    from torch.distributions.categorical import Categorical as Categorical
    from torch.distributions.cauchy import Cauchy as Cauchy
    from torch.distributions.chi2 import Chi2 as Chi2
    from torch.distributions.constraint_registry import biject_to as biject_to
    from torch.distributions.constraint_registry import transform_to as transform_to
    from torch.distributions.continuous_bernoulli import ContinuousBernoulli as ContinuousBernoulli
    from torch.distributions.dirichlet import Dirichlet as Dirichlet
    from torch.distributions.distribution import Distribution as Distribution
    from torch.distributions.exp_family import ExponentialFamily as ExponentialFamily
    from torch.distributions.exponential import Exponential as Exponential
    from torch.distributions.fishersnedecor import FisherSnedecor as FisherSnedecor
    from torch.distributions.gamma import Gamma as Gamma
    from torch.distributions.generalized_pareto import GeneralizedPareto as GeneralizedPareto
    from torch.distributions.geometric import Geometric as Geometric
    from torch.distributions.gumbel import Gumbel as Gumbel
    from torch.distributions.half_cauchy import HalfCauchy as HalfCauchy
    from torch.distributions.half_normal import HalfNormal as HalfNormal
    from torch.distributions.independent import Independent as Independent
    from torch.distributions.inverse_gamma import InverseGamma as InverseGamma
    from torch.distributions.kl import kl_divergence as kl_divergence
    from torch.distributions.kl import register_kl as register_kl
    from torch.distributions.kumaraswamy import Kumaraswamy as Kumaraswamy
    from torch.distributions.laplace import Laplace as Laplace
    from torch.distributions.lkj_cholesky import LKJCholesky as LKJCholesky
    from torch.distributions.log_normal import LogNormal as LogNormal
    from torch.distributions.logistic_normal import LogisticNormal as LogisticNormal
    from torch.distributions.lowrank_multivariate_normal import LowRankMultivariateNormal as LowRankMultivariateNormal
    from torch.distributions.mixture_same_family import MixtureSameFamily as MixtureSameFamily
    from torch.distributions.multinomial import Multinomial as Multinomial
    from torch.distributions.multivariate_normal import MultivariateNormal as MultivariateNormal
    from torch.distributions.negative_binomial import NegativeBinomial as NegativeBinomial
    from torch.distributions.normal import Normal as Normal
    from torch.distributions.one_hot_categorical import OneHotCategorical as OneHotCategorical
    from torch.distributions.one_hot_categorical import OneHotCategoricalStraightThrough as OneHotCategoricalStraightThrough
    from torch.distributions.pareto import Pareto as Pareto
    from torch.distributions.poisson import Poisson as Poisson
    from torch.distributions.relaxed_bernoulli import RelaxedBernoulli as RelaxedBernoulli
    from torch.distributions.relaxed_categorical import RelaxedOneHotCategorical as RelaxedOneHotCategorical
    from torch.distributions.studentT import StudentT as StudentT
    from torch.distributions.transformed_distribution import TransformedDistribution as TransformedDistribution
    from torch.distributions.transforms import AbsTransform as AbsTransform
    from torch.distributions.transforms import AffineTransform as AffineTransform
    from torch.distributions.transforms import CatTransform as CatTransform
    from torch.distributions.transforms import ComposeTransform as ComposeTransform
    from torch.distributions.transforms import CorrCholeskyTransform as CorrCholeskyTransform
    from torch.distributions.transforms import CumulativeDistributionTransform as CumulativeDistributionTransform
    from torch.distributions.transforms import ExpTransform as ExpTransform
    from torch.distributions.transforms import IndependentTransform as IndependentTransform
    from torch.distributions.transforms import LowerCholeskyTransform as LowerCholeskyTransform
    from torch.distributions.transforms import PositiveDefiniteTransform as PositiveDefiniteTransform
    from torch.distributions.transforms import PowerTransform as PowerTransform
    from torch.distributions.transforms import ReshapeTransform as ReshapeTransform
    from torch.distributions.transforms import SigmoidTransform as SigmoidTransform
    from torch.distributions.transforms import SoftmaxTransform as SoftmaxTransform
    from torch.distributions.transforms import SoftplusTransform as SoftplusTransform
    from torch.distributions.transforms import StackTransform as StackTransform
    from torch.distributions.transforms import StickBreakingTransform as StickBreakingTransform
    from torch.distributions.transforms import TanhTransform as TanhTransform
    from torch.distributions.transforms import Transform as Transform
    from torch.distributions.transforms import identity_transform as identity_transform
    from torch.distributions.uniform import Uniform as Uniform
    from torch.distributions.von_mises import VonMises as VonMises
    from torch.distributions.weibull import Weibull as Weibull
    from torch.distributions.wishart import Wishart as Wishart
else:
    __getattr__, __dir__ = _lazy(
        __name__, tuple(_FROM), {name: f"torch.distributions.{where}" for where, names in _FROM.items() for name in names.split()}
    )
    _complete_dict(__name__, __all__)
