"""KL divergences: against sums over samples, against integrals of what is known in closed form, and their registry."""

from __future__ import annotations

import pytest
from distribution_cases import CASES

import torch
from torch import distributions as D
from torch.distributions import kl

t = torch.tensor


def other(name):
    """Distributions of the same families with other parameters."""
    more = {
        "Binomial": lambda: D.Binomial(7, t([0.3, 0.4, 0.8], dtype=torch.float64)),
        "Normal": lambda: D.Normal(t([0.0, 0.5, 1.0], dtype=torch.float64), t([1.0, 2.0, 1.5], dtype=torch.float64)),
        "Wide": lambda: D.Uniform(t([0.0, -2.0, 1.0], dtype=torch.float64), t([2.0, 1.0, 6.0], dtype=torch.float64)),
        "Unit": lambda: D.Uniform(t([0.1, 0.2, 0.3], dtype=torch.float64), t([0.5, 0.9, 0.8], dtype=torch.float64)),
        "Around": lambda: D.Uniform(t([-0.1, 0.0, -1.0], dtype=torch.float64), t([1.0, 1.5, 2.0], dtype=torch.float64)),
        "Low": lambda: D.Pareto(t([0.1, 0.1, 0.2], dtype=torch.float64), t([2.5, 3.0, 4.0], dtype=torch.float64)),
        "Ones": lambda: D.Normal(t(0.3, dtype=torch.float64), t(2.0, dtype=torch.float64)),
    }
    return more[name]() if name in more else CASES[name]()


FINITE = [
    ("Bernoulli", "Bernoulli of logits"), ("Bernoulli", "Poisson"), ("Beta", "Beta"), ("Beta", "ContinuousBernoulli"),
    ("Beta", "Exponential"), ("Beta", "Gamma"), ("Beta", "Normal"), ("Beta", "Around"), ("Binomial", "Binomial"),
    ("Categorical", "Categorical"), ("Cauchy", "Cauchy"), ("ContinuousBernoulli", "ContinuousBernoulli"),
    ("ContinuousBernoulli", "Exponential"), ("ContinuousBernoulli", "Normal"), ("ContinuousBernoulli", "Around"),
    ("Dirichlet", "Dirichlet"), ("Exponential", "Exponential"), ("Exponential", "Gamma"), ("Exponential", "Gumbel"),
    ("Exponential", "Normal"), ("Gamma", "Exponential"), ("Gamma", "Gamma"), ("Gamma", "Gumbel"), ("Gamma", "Normal"),
    ("Geometric", "Geometric"), ("Gumbel", "Gumbel"), ("Gumbel", "Normal"), ("HalfNormal", "HalfNormal"),
    ("Independent", "Independent"), ("Laplace", "Laplace"), ("Laplace", "Normal"), ("LogNormal", "LogNormal"),
    ("LowRankMultivariateNormal", "LowRankMultivariateNormal"), ("LowRankMultivariateNormal", "MultivariateNormal"),
    ("MultivariateNormal", "LowRankMultivariateNormal"), ("MultivariateNormal", "MultivariateNormal of precision"),
    ("Normal", "Gumbel"), ("Normal", "Laplace"), ("Normal", "Ones"), ("OneHotCategorical", "OneHotCategorical"),
    ("Pareto", "Exponential"), ("Pareto", "Gamma"), ("Pareto", "Normal"), ("Pareto", "Low"), ("Poisson", "Poisson"),
    ("Uniform", "Gumbel"), ("Uniform", "Normal"), ("Uniform", "Wide"), ("Unit", "Beta"), ("Unit", "ContinuousBernoulli"),
    ("Unit", "Exponential"), ("Unit", "Gamma"), ("Unit", "Low"), ("Wishart", "Wishart"),
]  # fmt: skip


def shuffled(d):
    """The same parameters in another order, so that two distributions of a batch differ."""
    if isinstance(d, D.Independent):
        return D.Independent(shuffled(d.base_dist), 1)
    if isinstance(d, D.Wishart):
        return D.Wishart(d.df + 1.5, covariance_matrix=d.covariance_matrix + torch.eye(3, dtype=torch.float64))
    if isinstance(d, (D.Categorical, D.OneHotCategorical)):
        return type(d)(d.probs.flip(-1))
    if isinstance(d, D.Binomial):
        return D.Binomial(7, d.probs.flip(-1))
    if isinstance(d, D.LowRankMultivariateNormal):
        return D.LowRankMultivariateNormal(d.loc.flip(-1), d.cov_factor, d.cov_diag.flip(-1))
    names = [name for name in d.arg_constraints if name != "logits"]
    return type(d)(**{name: getattr(d, name).flip(-1) for name in names})


@pytest.mark.parametrize("first, second", FINITE)
def test_mean_of_log_ratio(first, second):
    p, q = other(first), other(second)
    if first == second:
        q = shuffled(q)
    torch.manual_seed(0)
    x = p.sample((40000,))
    ratio = p.log_prob(x) - q.log_prob(x)
    result = D.kl_divergence(p, q)
    assert result.shape == torch.broadcast_shapes(p.batch_shape, q.batch_shape)
    assert (result >= 0).all() and not result.isinf().any()
    bound = 6 * ratio.std(0) / 40000**0.5 + 1e-9
    if (first, second) == ("Cauchy", "Cauchy"):
        bound = 2 * bound
    assert ((ratio.mean(0) - result).abs() <= bound).all(), (ratio.mean(0), result)


def test_every_registered_pair_is_tested():
    # The examples of docstrings, which run in the same process, may have registered pairs of their own; a function
    # defined by one has no module.
    tested = {(type(other(p)), type(other(q))) for p, q in FINITE}
    rest = {
        (p.__name__, q.__name__)
        for (p, q), function in kl._KL_REGISTRY.items()
        if (function.__module__ or "").startswith("torch.") and function.__name__ != "_infinite" and (p, q) not in tested
    }
    assert rest == {("ExponentialFamily", "ExponentialFamily"), ("TransformedDistribution", "TransformedDistribution")}


@pytest.mark.parametrize("p, q", [pair for pair, function in kl._KL_REGISTRY.items() if function.__name__ == "_infinite"])
def test_values_outside_the_support(p, q):
    def example(cls):
        return next(d for d in (make() for make in CASES.values()) if type(d) is cls)

    result = D.kl_divergence(example(p), example(q))
    assert torch.equal(result, torch.full((3,), torch.inf, dtype=torch.float64))


@pytest.mark.parametrize("name", sorted(name for name in CASES if not name.startswith("Mixture")))
def test_of_itself_is_zero(name):
    p = CASES[name]()
    try:
        result = D.kl_divergence(p, CASES[name]())
    except NotImplementedError:
        pytest.skip("no formula")
    torch.testing.assert_close(result, torch.zeros_like(result), rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", ["Bernoulli", "Beta", "ContinuousBernoulli", "Dirichlet", "Exponential", "Gamma", "Normal",
                                  "Poisson"])  # fmt: skip
def test_exponential_families_by_differentiation(name):
    """The Bregman divergence of the log normalizer is the same as the formula."""
    p = CASES[name]()
    q = shuffled(p)
    general = kl._KL_REGISTRY[D.ExponentialFamily, D.ExponentialFamily]
    torch.testing.assert_close(general(p, q), D.kl_divergence(p, q), rtol=1e-6, atol=1e-6)
    if name not in ("Beta", "Dirichlet", "Poisson"):  # these do not state the mean of their carrier measure
        torch.testing.assert_close(D.ExponentialFamily.entropy(p), p.entropy(), rtol=1e-6, atol=1e-6)


def test_gradient_is_that_of_the_formula():
    loc = t([0.5, -1.0], dtype=torch.float64, requires_grad=True)
    D.kl_divergence(D.Normal(loc, 2.0), D.Normal(0.0, 1.0)).sum().backward()
    torch.testing.assert_close(loc.grad, loc.detach())


def test_infinite_at_the_edge():
    def equal(p, q, expected):
        assert torch.equal(D.kl_divergence(p, q), t(expected))

    inf = torch.inf
    equal(D.Bernoulli(t([0.5, 0.0, 1.0])), D.Bernoulli(t([0.0, 0.0, 1.0])), [inf, 0.0, 0.0])
    equal(D.Uniform(t([0.0, 0.5]), 1.0), D.Uniform(t([0.25, 0.5]), 1.0), [inf, 0.0])
    equal(D.Binomial(3, t(0.5)), D.Binomial(2, t(0.5)), inf)
    assert D.kl_divergence(D.Categorical(t([0.5, 0.5])), D.Categorical(t([1.0, 0.0]))) == inf
    assert D.kl_divergence(D.Uniform(-1.0, 1.0), D.Exponential(1.0)) == inf
    assert D.kl_divergence(D.Pareto(1.0, 1.5), D.Normal(0.0, 1.0)) == inf
    assert D.kl_divergence(D.Beta(1.0, 2.0), D.Uniform(0.5, 1.0)) == inf
    with pytest.raises(NotImplementedError, match="more trials"):
        D.kl_divergence(D.Binomial(2, t(0.5)), D.Binomial(3, t(0.5)))


def test_transformed_distributions_need_equal_transforms():
    p = D.LogNormal(0.0, 1.0)
    assert D.kl_divergence(p, D.LogNormal(1.0, 1.0)) == 0.5
    with pytest.raises(NotImplementedError, match="equal transforms"):
        D.kl_divergence(p, D.TransformedDistribution(D.Normal(0.0, 1.0), D.TanhTransform()))
    one, two = (D.Independent(D.Normal(torch.zeros(2, 3), 1.0), k) for k in (1, 2))
    with pytest.raises(NotImplementedError, match="same number"):
        D.kl_divergence(one, two)


def test_registry_takes_the_most_derived_types():
    class A(D.Normal):
        pass

    class B(A):
        pass

    @D.register_kl(A, D.Normal)
    def left(p, q):
        return "left"

    try:
        assert D.kl_divergence(B(0.0, 1.0), D.Normal(0.0, 1.0)) == "left"

        @D.register_kl(D.Normal, B)
        def right(p, q):
            return "right"

        with pytest.warns(RuntimeWarning, match="ambiguous"):
            assert D.kl_divergence(B(0.0, 1.0), B(0.0, 1.0)) == "left"
    finally:
        for pair in ((A, D.Normal), (D.Normal, B)):
            kl._KL_REGISTRY.pop(pair, None)
        kl._KL_MEMOIZE.clear()
    for pair in ((3, D.Normal), (D.Normal, None)):
        with pytest.raises(TypeError, match="class of distributions"):
            D.register_kl(*pair)
    with pytest.raises(NotImplementedError, match="no formula"):
        D.kl_divergence(D.Cauchy(0.0, 1.0), D.Normal(0.0, 1.0))
    with pytest.raises(NotImplementedError, match="families"):
        D.kl_divergence(D.Normal(0.0, 1.0), D.Bernoulli(0.5))


def test_private_names_that_packages_use():
    from torch.distributions import gamma, lowrank_multivariate_normal, multivariate_normal, transforms, utils

    p, q = D.Normal(0.0, 1.0), D.Normal(1.0, 1.0)
    assert kl._kl_normal_normal(p, q) == D.kl_divergence(p, q)
    assert torch.equal(multivariate_normal._batch_mv(torch.eye(2), torch.ones(3, 2)), torch.ones(3, 2))
    assert multivariate_normal._batch_mahalanobis(torch.eye(2), torch.ones(3, 2)).tolist() == [2.0, 2.0, 2.0]
    w, d = torch.ones(2, 1), torch.ones(2)
    capacitance = lowrank_multivariate_normal._batch_capacitance_tril(w, d)
    log_det = lowrank_multivariate_normal._batch_lowrank_logdet(w, d, capacitance)
    torch.testing.assert_close(log_det, torch.logdet(w @ w.mT + torch.diag(d)))
    assert gamma._standard_gamma(torch.ones(2)).shape == utils._standard_normal((2,), torch.float32, "cpu").shape
    assert 0 < transforms._clipped_sigmoid(t(-1000.0)) and transforms._clipped_sigmoid(t(1000.0)) < 1
