"""Distributions against SciPy, against integrals and sums of their densities, and against moments and numbers of samples."""

from __future__ import annotations

import copy
import json
import math
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest
import scipy.integrate
import scipy.stats as S
from distribution_cases import CASES, public_classes
from surroundings import ROOT

import torch
from torch import distributions as D
from torch.distributions import constraints

RECORDED = json.loads((ROOT / "test/data/distribution_samples.json").read_text())
pytestmark = pytest.mark.filterwarnings("ignore:Wishart")


def a(tensor):
    return tensor.detach().numpy()


SCIPY = {
    "Bernoulli": lambda d: S.bernoulli(a(d.probs)),
    "Beta": lambda d: S.beta(a(d.concentration1), a(d.concentration0)),
    "Binomial": lambda d: S.binom(a(d.total_count), a(d.probs)),
    "Cauchy": lambda d: S.cauchy(a(d.loc), a(d.scale)),
    "Chi2": lambda d: S.chi2(a(d.df)),
    "Dirichlet": lambda d: S.dirichlet(a(d.concentration)),
    "Exponential": lambda d: S.expon(scale=1 / a(d.rate)),
    "FisherSnedecor": lambda d: S.f(a(d.df1), a(d.df2)),
    "Gamma": lambda d: S.gamma(a(d.concentration), scale=1 / a(d.rate)),
    "GeneralizedPareto": lambda d: S.genpareto(a(d.concentration), a(d.loc), a(d.scale)),
    "Geometric": lambda d: S.geom(a(d.probs), loc=-1),
    "Gumbel": lambda d: S.gumbel_r(a(d.loc), a(d.scale)),
    "HalfCauchy": lambda d: S.halfcauchy(scale=a(d.scale)),
    "HalfNormal": lambda d: S.halfnorm(scale=a(d.scale)),
    "InverseGamma": lambda d: S.invgamma(a(d.concentration), scale=a(d.rate)),
    "Laplace": lambda d: S.laplace(a(d.loc), a(d.scale)),
    "LogNormal": lambda d: S.lognorm(a(d.scale), scale=np.exp(a(d.loc))),
    "LowRankMultivariateNormal": lambda d: S.multivariate_normal(a(d.loc), a(d.covariance_matrix)),
    "Multinomial": lambda d: S.multinomial(d.total_count, a(d.probs)),
    "MultivariateNormal": lambda d: S.multivariate_normal(a(d.loc), a(d.covariance_matrix)),
    "MultivariateNormal of precision": lambda d: S.multivariate_normal(a(d.loc), np.linalg.inv(a(d.precision_matrix))),
    "NegativeBinomial": lambda d: S.nbinom(a(d.total_count), 1 - a(d.probs)),
    "Normal": lambda d: S.norm(a(d.loc), a(d.scale)),
    "Pareto": lambda d: S.pareto(a(d.alpha), scale=a(d.scale)),
    "Poisson": lambda d: S.poisson(a(d.rate)),
    "StudentT": lambda d: S.t(a(d.df), a(d.loc), a(d.scale)),
    "Uniform": lambda d: S.uniform(a(d.low), a(d.high - d.low)),
    "VonMises": lambda d: S.vonmises(a(d.concentration), a(d.loc)),
    "Weibull": lambda d: S.weibull_min(a(d.concentration), scale=a(d.scale)),
    "Wishart": lambda d: S.wishart(float(d.df), a(d.covariance_matrix)),
}
# Where SciPy's function is about something else: a circular variance, an entropy by simulation, a mean of whole matrices.
NOT_COMPARED = {("VonMises", "mean"), ("VonMises", "variance"), ("Multinomial", "variance")}
MULTIVARIATE = {"Dirichlet", "LowRankMultivariateNormal", "Multinomial", "MultivariateNormal", "MultivariateNormal of precision",
                "Wishart"}  # fmt: skip


def drawn(name, count=50):
    torch.manual_seed(0)
    d = CASES[name]()
    return d, d.sample((count,))


def has(d, method, *args):
    try:
        return getattr(d, method)(*args)
    except NotImplementedError:
        return None


def test_every_class_has_a_case():
    assert public_classes() <= {type(make()).__name__ for make in CASES.values()}


@pytest.mark.parametrize("name", SCIPY)
def test_log_prob_of_scipy(name):
    d, x = drawn(name)
    reference = SCIPY[name](d)
    log = reference.logpmf if hasattr(reference, "logpmf") and d.support.is_discrete else reference.logpdf
    if name in ("Dirichlet", "Wishart"):
        expected = np.stack([log(one) for one in a(x)])
    else:
        expected = log(a(x))
    np.testing.assert_allclose(a(d.log_prob(x)), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", SCIPY)
def test_moments_and_entropy_of_scipy(name):
    d, reference = CASES[name](), SCIPY[name](CASES[name]())
    entropy = has(d, "entropy")
    if entropy is not None and name != "GeneralizedPareto":
        np.testing.assert_allclose(a(entropy), reference.entropy(), rtol=1e-6)
    if name in ("LowRankMultivariateNormal", "MultivariateNormal", "MultivariateNormal of precision"):
        np.testing.assert_allclose(a(d.variance), np.diag(reference.cov), rtol=1e-10)
        return
    for ours, theirs in (("mean", "mean"), ("variance", "var")):
        if (name, ours) not in NOT_COMPARED and name != "Cauchy" and name != "HalfCauchy":
            np.testing.assert_allclose(a(getattr(d, ours)), getattr(reference, theirs)(), rtol=1e-9)


@pytest.mark.parametrize("name", sorted(set(SCIPY) - MULTIVARIATE))
def test_cdf_and_icdf_of_scipy(name):
    d, x = drawn(name)
    reference = SCIPY[name](d)
    cdf = has(d, "cdf", x)
    if cdf is not None:
        np.testing.assert_allclose(a(cdf), reference.cdf(a(x)), rtol=1e-8, atol=1e-12)
    shares = torch.linspace(0.05, 0.95, 7, dtype=torch.float64).unsqueeze(-1)
    icdf = has(d, "icdf", shares)
    if icdf is not None:
        np.testing.assert_allclose(a(icdf), reference.ppf(a(shares)), rtol=1e-8, atol=1e-12)
        torch.testing.assert_close(d.cdf(icdf), shares.expand(7, 3))


def one_of_batch(d, k):
    """The log density of entry k of a batch, of a number."""

    def log_prob(x):
        return float(d.log_prob(torch.full(d.batch_shape, x, dtype=torch.float64))[k])

    return log_prob


CONTINUOUS = [
    name for name, make in CASES.items() if not make().event_shape and make().batch_shape and not make().support.is_discrete
]


@pytest.mark.parametrize("name", CONTINUOUS)
def test_densities_integrate_to_one(name):
    d = CASES[name]()
    torch.manual_seed(0)
    low, high = (d.support.__dict__.get(bound, default) for bound, default in (("lower_bound", -np.inf), ("upper_bound", np.inf)))
    if name == "VonMises":
        low, high = -math.pi, math.pi
    unchecked = d.expand(d.batch_shape)
    for part in (unchecked, getattr(unchecked, "base_dist", unchecked)):
        part._validate_args = False
    for k in range(3):
        ends = [float(torch.as_tensor(end).expand(3)[k]) for end in (low, high)]
        middle = float(d.sample((99,)).median(0)[0][k])
        log_prob = one_of_batch(unchecked, k)
        parts = [
            scipy.integrate.quad(lambda x: math.exp(log_prob(x)), *sorted((end, middle)), limit=200)[0]
            for end in ends
            if end != middle
        ]
        assert sum(parts) == pytest.approx(1, abs=2e-5)


@pytest.mark.parametrize("name", [name for name, make in CASES.items() if make().has_enumerate_support])
def test_enumerated_probabilities_sum_to_one(name):
    d = CASES[name]()
    values = d.enumerate_support()
    assert values.shape == values.shape[:1] + d.batch_shape + d.event_shape
    assert d.support.check(values).all()
    torch.testing.assert_close(d.log_prob(values).exp().sum(0), torch.ones(d.batch_shape, dtype=torch.float64))
    narrow = d.enumerate_support(expand=False)
    assert narrow.shape == values.shape[:1] + (1,) * len(d.batch_shape) + d.event_shape
    assert torch.equal(narrow.expand(values.shape), values)


def test_counts_sum_to_one():
    """Multinomial probabilities over all counts, and two infinite sums."""
    d = CASES["Multinomial"]()
    grid = torch.cartesian_prod(*[torch.arange(8)] * 4)
    counts = grid[grid.sum(-1) == 7].double()
    assert d.log_prob(counts).exp().sum().item() == pytest.approx(1)
    for name in ("Geometric", "NegativeBinomial", "Poisson"):
        values = torch.arange(500.0, dtype=torch.float64).unsqueeze(-1)
        torch.testing.assert_close(CASES[name]().log_prob(values).exp().sum(0), torch.ones(3, dtype=torch.float64))


@pytest.mark.parametrize("name", sorted(set(CASES) - {"Cauchy", "HalfCauchy", "Categorical", "VonMises"}))
def test_moments_of_samples(name):
    d, x = drawn(name, 20000)
    assert d.support.check(x).all()
    mean, variance = (has_property(d, moment) for moment in ("mean", "variance"))
    if mean is not None:
        bound = 6 * (x.var(0) / 20000).sqrt() + 1e-12
        assert ((x.mean(0) - mean).abs() <= bound).all()
    if variance is not None:
        torch.testing.assert_close(x.var(0), variance.expand(x.shape[1:]), rtol=0.15, atol=1e-9)
        torch.testing.assert_close(d.stddev, variance.sqrt())


def has_property(d, name):
    try:
        return getattr(d, name)
    except NotImplementedError:
        return None


@pytest.mark.parametrize("name", CASES)
def test_entropy_is_the_mean_log_probability(name):
    d, x = drawn(name, 20000)
    entropy = has(d, "entropy")
    if entropy is None:
        pytest.skip("no entropy")
    terms = -d.log_prob(x)
    assert ((terms.mean(0) - entropy).abs() <= 6 * terms.std(0) / 20000**0.5 + 1e-12).all()
    torch.testing.assert_close(d.perplexity(), entropy.exp())


@pytest.mark.parametrize("name", CASES)
def test_mode_is_the_maximum(name):
    d, x = drawn(name, 200)
    mode = has_property(d, "mode")
    if mode is None or mode.isnan().all():
        pytest.skip("no mode")
    d._validate_args = False  # NaN says that there is no mode, and a density may be infinite at the edge of the support
    at_mode = d.log_prob(mode)
    known = ~at_mode.isnan() & ~torch.isinf(at_mode)
    assert (at_mode >= d.log_prob(x).amax(0) - 1e-9)[known].all()


@pytest.mark.parametrize("name", CASES)
def test_numbers_of_a_seed(name):
    """Samples are those of PyTorch 2.13 from the same seed. Gamma distributed numbers follow through many rejections."""
    torch.manual_seed(7)
    sample = CASES[name]().sample((3,)).double().flatten()
    np.testing.assert_allclose(a(sample), RECORDED[name], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", CASES)
def test_shapes_and_expand(name):
    d = CASES[name]()
    for shape in ((), (4,), (2, 3)):
        x = d.sample(shape)
        assert x.shape == torch.Size(shape) + d.batch_shape + d.event_shape
        assert d.log_prob(x).shape == torch.Size(shape) + d.batch_shape
    wide = d.expand((5, *d.batch_shape))
    assert type(wide) is type(d) and wide.batch_shape == (5, *d.batch_shape) and wide.event_shape == d.event_shape
    y = wide.sample((2,))
    assert y.shape == (2, 5, *d.batch_shape, *d.event_shape)
    torch.testing.assert_close(wide.log_prob(y), d.log_prob(y))
    if has_property(d, "variance") is not None:
        assert wide.variance.expand(wide.batch_shape + wide.event_shape).shape == wide.batch_shape + wide.event_shape
    if has(d, "entropy") is not None:
        torch.testing.assert_close(wide.entropy().expand(wide.batch_shape), d.entropy().expand(wide.batch_shape))


@pytest.mark.parametrize("name", CASES)
def test_copies_are_the_same(name):
    d, x = drawn(name, 2)
    d.log_prob(x)  # computes what is computed on demand
    for other in (pickle.loads(pickle.dumps(d)), copy.deepcopy(d)):
        assert repr(other) == repr(d)
        assert torch.equal(other.log_prob(x), d.log_prob(x))


@pytest.mark.parametrize("name", [name for name, make in CASES.items() if make().has_rsample])
def test_rsample_is_sample_with_gradients(name):
    """The derivative of a sample by its parameters, where one noise gives one sample, is that of the inverse of the cdf."""
    d = CASES[name]()
    torch.manual_seed(1)
    plain = d.sample((4,))
    assert not plain.requires_grad
    torch.manual_seed(1)
    torch.testing.assert_close(d.rsample((4,)), plain)


@pytest.mark.parametrize("make, count", [
    (lambda p: D.Gamma(p, torch.ones_like(p)), 1), (lambda p: D.Chi2(p), 1), (lambda p: D.StudentT(p + 3), 1),
    (lambda p: D.Beta(p, p + 1), 1), (lambda p: D.Normal(p, p), 1), (lambda p: D.Weibull(p, p), 1),
    (lambda p: D.Laplace(p, p), 1), (lambda p: D.Gumbel(p, p), 1), (lambda p: D.Kumaraswamy(p, p), 1),
    (lambda p: D.FisherSnedecor(p + 1, p + 9), 1), (lambda p: D.Pareto(p, p + 3), 1), (lambda p: D.LogNormal(p / 3, p / 4), 1),
    (lambda p: D.ContinuousBernoulli(torch.sigmoid(p)), 1), (lambda p: D.InverseGamma(p + 4, p), 1),
    (lambda p: D.GeneralizedPareto(p, p, p / 9), 1), (lambda p: D.HalfNormal(p), 1), (lambda p: D.Exponential(p), 1),
    (lambda p: D.Uniform(-p, p * p), 1),
])  # fmt: skip
def test_gradients_of_samples_are_those_of_the_mean(make, count):
    p = torch.tensor([1.3, 2.6], dtype=torch.float64, requires_grad=True)
    torch.manual_seed(3)
    samples = make(p.expand(40000, 2)).rsample()
    (estimated,) = torch.autograd.grad(samples.mean(0).sum(), p)
    mean = make(p).mean
    if mean.requires_grad:
        (expected,) = torch.autograd.grad(mean.sum(), p)
    else:
        expected = torch.zeros_like(p)
    torch.testing.assert_close(estimated, expected, rtol=0.08, atol=0.03)


def test_gradients_of_dirichlet_samples():
    c = torch.tensor([0.8, 2.0, 3.0], dtype=torch.float64, requires_grad=True)
    torch.manual_seed(3)
    weights = torch.tensor([1.0, -2.0, 3.0], dtype=torch.float64)
    (estimated,) = torch.autograd.grad((D.Dirichlet(c.expand(40000, 3)).rsample() @ weights).mean(), c)
    (expected,) = torch.autograd.grad(D.Dirichlet(c).mean @ weights, c)
    torch.testing.assert_close(estimated, expected, rtol=0.05, atol=0.01)


def test_wishart_and_normal_samples_have_gradients():
    root = torch.tensor([[1.0, 0.0], [0.5, 2.0]], dtype=torch.float64, requires_grad=True)
    torch.manual_seed(3)
    d = D.Wishart(torch.tensor(4.0, dtype=torch.float64), scale_tril=root)
    (estimated,) = torch.autograd.grad(d.rsample((20000,)).mean(0).sum(), root)
    (expected,) = torch.autograd.grad(d.mean.sum(), root)
    torch.testing.assert_close(estimated.tril(), expected.tril(), rtol=0.05, atol=0.2)
    normal = D.MultivariateNormal(torch.zeros(2, dtype=torch.float64), scale_tril=root)
    (estimated,) = torch.autograd.grad(normal.rsample((20000,)).square().mean(0).sum(), root)
    torch.testing.assert_close(estimated.tril(), 2 * root.detach(), rtol=0.05, atol=0.05)


def test_numbers_as_parameters():
    d = D.Normal(0, 1)
    assert d.batch_shape == () and d.loc.dtype is torch.float32 and repr(d) == "Normal(loc: 0.0, scale: 1.0)"
    assert D.Normal(torch.zeros(2, dtype=torch.float64), 1).scale.dtype is torch.float64
    with pytest.raises(ValueError, match="must be numbers, Tensors"):
        D.Normal("a", 1)


t = torch.tensor
INVALID = {
    "negative scale": (lambda: D.Normal(0.0, -1.0), ValueError, "parameter scale"),
    "NaN": (lambda: D.Normal(math.nan, 1.0), ValueError, "parameter loc"),
    "low above high": (lambda: D.Uniform(1.0, 0.0), ValueError, "parameter low"),
    "probability above 1": (lambda: D.Bernoulli(1.5), ValueError, "parameter probs"),
    "neither": (lambda: D.Bernoulli(), ValueError, "neither"),
    "both": (lambda: D.Categorical(t([1.0]), t([1.0])), ValueError, "both"),
    "scalar probs": (lambda: D.Categorical(t(1.0)), ValueError, "at least one dimension"),
    "scalar concentration": (lambda: D.Dirichlet(t(1.0)), ValueError, "at least one dimension"),
    "zero probability": (lambda: D.Geometric(0.0), ValueError, "positive"),
    "batch of counts": (lambda: D.Multinomial(t([5]), t([1.0, 1.0])), NotImplementedError, "one int"),
    "no matrix": (lambda: D.MultivariateNormal(t([0.0])), ValueError, "exactly one"),
    "scalar mean": (lambda: D.MultivariateNormal(t(0.0), torch.eye(1)), ValueError, "at least one dimension"),
    "vector covariance": (lambda: D.MultivariateNormal(t([0.0]), t([1.0])), ValueError, "two dimensions"),
    "indefinite covariance": (lambda: D.MultivariateNormal(t([0.0]), t([[-1.0]])), ValueError, "covariance_matrix"),
    "rows of factor": (
        lambda: D.LowRankMultivariateNormal(torch.zeros(2), torch.ones(3, 1), torch.ones(2)), ValueError, "cov_factor"),
    "size of diagonal": (
        lambda: D.LowRankMultivariateNormal(torch.zeros(2), torch.ones(2, 1), torch.ones(3)), ValueError, "cov_diag"),
    "few degrees of freedom": (lambda: D.Wishart(t(1.0), torch.eye(2)), ValueError, "df must be above"),
    "no matrix of Wishart": (lambda: D.Wishart(t(2.0)), AssertionError, "exactly one"),
    "one row": (lambda: D.LKJCholesky(1), ValueError, "at least 2"),
    "too many dimensions": (lambda: D.Independent(D.Normal(torch.zeros(2), 1.0), 2), ValueError, "at most 1"),
    "no mixture": (lambda: D.MixtureSameFamily(1, 2), ValueError, "Categorical"),
    "no components": (lambda: D.MixtureSameFamily(D.Categorical(torch.ones(2)), 2), ValueError, "Distribution"),
    "count of components": (
        lambda: D.MixtureSameFamily(D.Categorical(torch.ones(2)), D.Normal(torch.zeros(3), 1.0)), ValueError, "number the 2"),
    "no transform": (lambda: D.TransformedDistribution(D.Normal(0.0, 1.0), [1]), ValueError, "Transform"),
    "few dimensions": (
        lambda: D.TransformedDistribution(D.Normal(0.0, 1.0), D.StickBreakingTransform()), ValueError, "1 dimensions"),
    "value is a number": (lambda: D.Normal(0.0, 1.0).log_prob(1.0), ValueError, "must be a Tensor"),
    "value outside": (lambda: D.Exponential(1.0).log_prob(t(-1.0)), ValueError, "support"),
    "value of another shape": (lambda: D.Normal(torch.zeros(2), 1.0).log_prob(torch.ones(3)), ValueError, "broadcast"),
    "event of another shape": (lambda: D.Dirichlet(torch.ones(3)).log_prob(torch.ones(2) / 2), ValueError, "an event"),
    "fraction": (lambda: D.Poisson(1.0).log_prob(t(0.5)), ValueError, "support"),
    "no rsample": (lambda: D.Bernoulli(0.5).rsample(), NotImplementedError, "rsample"),
    "no cdf": (lambda: D.Bernoulli(0.5).cdf(t(1.0)), NotImplementedError, "cdf"),
    "infinite support": (lambda: D.Normal(0.0, 1.0).enumerate_support(), NotImplementedError, "enumerate_support"),
    "different counts": (lambda: D.Binomial(t([1.0, 2.0]), t(0.5)).entropy(), NotImplementedError, "same total_count"),
    "no bool": (lambda: D.Distribution.set_default_validate_args(3), ValueError, "True or False"),
}  # fmt: skip


@pytest.mark.parametrize("what", INVALID)
def test_errors(what):
    call, error, text = INVALID[what]
    with pytest.raises(error, match=text):
        call()


def test_validation_can_be_switched_off():
    assert D.Normal(0.0, -1.0, validate_args=False).scale == -1
    assert D.Exponential(1.0, validate_args=False).log_prob(t(-1.0)) == 1
    D.Distribution.set_default_validate_args(False)
    try:
        D.Normal(0.0, -1.0)
    finally:
        D.Distribution.set_default_validate_args(True)


def test_a_class_of_ones_own():
    class Shifted(D.Normal):
        def __init__(self, loc):
            super().__init__(loc, 1.0)

    class Same(D.Normal):
        pass

    with pytest.raises(NotImplementedError, match="must define expand"):
        Shifted(0.0).expand((2,))
    assert type(Same(0.0, 1.0).expand((2,))) is Same

    class Bare(D.Distribution):
        def rsample(self, sample_shape=()):
            return torch.zeros(self._extended_shape(sample_shape))

    with pytest.warns(UserWarning, match="arg_constraints"):
        bare = Bare(torch.Size([2]))
    assert bare.sample((3,)).shape == (3, 2)
    with pytest.warns(FutureWarning, match="sample"):
        assert bare.sample_n(3).shape == (3, 2)
    for method in ("entropy", "cdf", "icdf", "log_prob", "enumerate_support"):
        with pytest.raises(NotImplementedError, match=method):
            getattr(bare, method)(*[t(0.0)] * (method in ("cdf", "icdf", "log_prob")))


def test_parameters_of_the_other_form():
    p = t([0.2, 0.3, 0.5])
    torch.testing.assert_close(D.Categorical(logits=D.Categorical(p).logits).probs, p)
    torch.testing.assert_close(D.Bernoulli(logits=D.Bernoulli(p).logits).probs, p)
    assert "logits" not in vars(D.Bernoulli(p)) and isinstance(D.Bernoulli.logits, property)
    covariance = CASES["MultivariateNormal"]().covariance_matrix
    loc = torch.zeros(3, dtype=torch.float64)
    low_rank = D.LowRankMultivariateNormal(loc, torch.ones(3, 1).double(), torch.ones(3).double())
    for d in (D.MultivariateNormal(loc, covariance), D.MultivariateNormal(loc, precision_matrix=covariance.inverse()), low_rank):
        torch.testing.assert_close(d.covariance_matrix @ d.precision_matrix, torch.eye(3).double())
        torch.testing.assert_close(d.scale_tril @ d.scale_tril.mT, d.covariance_matrix)


def test_log_prob_of_many_values_does_not_copy_the_matrix():
    d = D.MultivariateNormal(torch.zeros(4, 1, 3), torch.eye(3))
    x = torch.randn(5, 2, 4, 7, 3)
    torch.testing.assert_close(d.log_prob(x), D.Normal(0.0, 1.0).log_prob(x).sum(-1))


def test_support_of_a_mixture():
    d = D.MixtureSameFamily(D.Categorical(torch.ones(2)), D.Uniform(t([0.0, 1.0]), t([2.0, 3.0])))
    assert isinstance(d.support, constraints.MixtureSameFamilyConstraint)
    with pytest.raises(ValueError, match="support"):
        d.log_prob(t(2.5))


def test_import_is_lazy():
    code = """
import sys, torch
assert "torch.distributions" not in sys.modules
torch.distributions
loaded = [name for name in sys.modules if name.startswith("torch.distributions.")]
assert not loaded, loaded
torch.distributions.Normal
assert "torch.distributions.wishart" not in sys.modules and "numpy" not in sys.modules
from torch.distributions import *
assert "torch.distributions.wishart" in sys.modules and "torch.nn" not in sys.modules and "inspect" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_sampling_ends_with_parameters_that_are_not_checked():
    d = D.VonMises(0.0, t([1.0, 0.0, -1.0, math.nan, math.inf]), validate_args=False)
    assert d.sample((3,)).isnan().all(0).tolist() == [False, True, True, True, True]


def test_wishart_warns_below_the_size():
    with warnings.catch_warnings(), pytest.warns(UserWarning, match="singular"):
        warnings.simplefilter("always")
        D.Wishart(t(1.5), torch.eye(2))
