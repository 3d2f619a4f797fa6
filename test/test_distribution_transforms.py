"""Transforms: inverses, Jacobian determinants against autograd, shapes, caches; constraints and the registries of transforms."""

from __future__ import annotations

import pickle

import pytest

import torch
from torch import distributions as D
from torch.distributions import biject_to, constraints, transform_to
from torch.distributions.utils import broadcast_all, lazy_property, tril_matrix_to_vec, vec_to_tril_matrix

t = torch.tensor
F64 = torch.float64


def randn(*shape):
    return torch.randn(shape, generator=torch.Generator().manual_seed(1), dtype=F64)


LOC, SCALE = t([0.5, -1.0, 2.0], dtype=F64), t([0.7, -1.5, 2.5], dtype=F64)
# name: transform, shape of a value of it
TRANSFORMS = {
    "exp": (D.ExpTransform(), ()), "sigmoid": (D.SigmoidTransform(), ()), "softplus": (D.SoftplusTransform(), ()),
    "tanh": (D.TanhTransform(), ()), "power": (D.PowerTransform(t(2.5, dtype=F64)), ()),
    "negative power": (D.PowerTransform(-1.5), ()), "affine": (D.AffineTransform(LOC, SCALE), ()),
    "affine of numbers": (D.AffineTransform(1.0, -2.0), ()), "affine vector": (D.AffineTransform(LOC, SCALE, event_dim=1), (3,)),
    "affine vector of numbers": (D.AffineTransform(1.0, 3.0, event_dim=1), (3,)),
    "cdf": (D.CumulativeDistributionTransform(D.Normal(t(0.0, dtype=F64), t(1.0, dtype=F64))), ()),
    "stick": (D.StickBreakingTransform(), (3,)), "corr": (D.CorrCholeskyTransform(), (3,)),
    "compose": (D.ComposeTransform([D.AffineTransform(LOC, SCALE), D.ExpTransform()]), ()),
    "compose with vector": (D.ComposeTransform([D.AffineTransform(LOC, SCALE), D.StickBreakingTransform()]), (3,)),
    "identity": (D.identity_transform, ()), "independent": (D.IndependentTransform(D.ExpTransform(), 1), (3,)),
    "reshape": (D.ComposeTransform([D.ReshapeTransform((3,), (1, 3)), D.ExpTransform()]), (3,)),
    "cat": (D.CatTransform([D.ExpTransform(), D.TanhTransform()], dim=-1, lengths=[1, 2]), ()),
    "stack": (D.StackTransform([D.ExpTransform(), D.TanhTransform(), D.identity_transform], dim=-1), ()),
}  # fmt: skip


def argument(transform, name):
    x = randn(2, 3)
    return x.exp() if "power" in name else x


@pytest.mark.parametrize("name", TRANSFORMS)
def test_inverse(name):
    transform, _ = TRANSFORMS[name]
    x = argument(transform, name)
    y = transform(x)
    assert transform.bijective
    torch.testing.assert_close(transform.inv(y), x)
    assert transform.inv.inv is transform and transform.inv.domain is not None
    if name not in ("cat", "stack"):
        assert transform.codomain.check(y).all() and transform.domain.check(x).all()
    assert tuple(transform.forward_shape(x.shape)) == y.shape and tuple(transform.inverse_shape(y.shape)) == x.shape


@pytest.mark.parametrize("name", TRANSFORMS)
def test_log_abs_det_jacobian(name):
    transform, event = TRANSFORMS[name]
    x = argument(transform, name)
    y = transform(x)
    result = transform.log_abs_det_jacobian(x, y)
    assert result.shape == x.shape[: x.dim() - len(event)]
    torch.testing.assert_close(transform.inv.log_abs_det_jacobian(y, x), -result)
    for k, row in enumerate(x):
        jacobian = torch.autograd.functional.jacobian(lambda row: transform(row), row)
        jacobian = jacobian.reshape(-1, 3)
        if name == "stick":
            jacobian = jacobian[:-1]
        if name == "corr":
            jacobian = jacobian[[3, 6, 7]]  # the entries below the diagonal
        if name == "compose with vector":
            jacobian = jacobian[:-1]
        torch.testing.assert_close(result[k].sum(), torch.linalg.slogdet(jacobian).logabsdet)


@pytest.mark.parametrize("name", sorted(set(TRANSFORMS) - {"stick", "corr", "compose with vector", "reshape", "cat", "stack"}))
def test_sign_is_that_of_the_derivative(name):
    transform, _ = TRANSFORMS[name]
    x = argument(transform, name).requires_grad_()
    (derivative,) = torch.autograd.grad(transform(x).sum(), x)
    assert torch.equal(derivative.sign(), torch.as_tensor(transform.sign, dtype=F64).expand(2, 3))


@pytest.mark.parametrize("name", TRANSFORMS)
def test_cache_and_pickle(name):
    transform, _ = TRANSFORMS[name]
    x = argument(transform, name)
    cached = transform.with_cache()
    assert cached.with_cache() is cached
    y = cached(x)
    if name not in ("identity", "compose", "compose with vector", "reshape"):
        assert cached(x) is y and cached.inv(y) is x
    assert torch.equal(pickle.loads(pickle.dumps(transform))(x), transform(x))
    assert transform == transform.with_cache(0)


def test_transforms_that_are_no_bijections():
    x = randn(4, 3, 3)
    assert (D.AbsTransform()(x) >= 0).all() and torch.equal(D.AbsTransform().inv(x.abs()), x.abs())
    simplex = D.SoftmaxTransform()(x)
    torch.testing.assert_close(simplex, torch.softmax(x, -1))
    torch.testing.assert_close(D.SoftmaxTransform()(D.SoftmaxTransform().inv(simplex)), simplex)
    for transform in (D.LowerCholeskyTransform(), D.PositiveDefiniteTransform()):
        y = transform(x)
        assert transform.codomain.check(y).all() and not transform.bijective
        torch.testing.assert_close(transform(transform.inv(y)), y)
    for method in ("log_abs_det_jacobian",):
        with pytest.raises(NotImplementedError, match=method):
            getattr(D.AbsTransform(), method)(x, x)


def test_equality():
    assert D.ExpTransform() == D.ExpTransform() != D.SigmoidTransform()
    assert D.AffineTransform(1.0, LOC) == D.AffineTransform(1.0, LOC.clone()) != D.AffineTransform(2.0, LOC)
    assert D.PowerTransform(2.0) != D.PowerTransform(3.0) and D.ExpTransform().inv == D.ExpTransform().inv
    assert D.ComposeTransform([D.ExpTransform()]) == D.ComposeTransform([D.ExpTransform()]) != D.identity_transform


@pytest.mark.parametrize("call, error, text", [
    (lambda: D.ExpTransform(cache_size=2), ValueError, "0 or 1"),
    (lambda: D.ReshapeTransform((2,), (3,)), ValueError, "numbers of entries"),
    (lambda: D.ReshapeTransform((2,), (2, 1)).forward_shape((3,)), ValueError, "ends in"),
    (lambda: D.ReshapeTransform((2,), (2, 1)).inverse_shape((3,)), ValueError, "at least 2"),
    (lambda: D.CorrCholeskyTransform().forward_shape((2,)), ValueError, "n \\(n - 1\\) / 2"),
    (lambda: D.CorrCholeskyTransform().inverse_shape((2, 3)), ValueError, "square"),
    (lambda: D.StickBreakingTransform().forward_shape(()), ValueError, "at least 1"),
    (lambda: D.StickBreakingTransform().event_dim + D.CorrCholeskyTransform().event_dim, ValueError, "event_dim"),
    (lambda: D.IndependentTransform(D.ExpTransform(), 2)(torch.ones(2)), ValueError, "at least 2"),
    (lambda: D.CatTransform([1]), AssertionError, "Transforms"),
    (lambda: D.CatTransform([D.ExpTransform()], dim=3)(torch.ones(2)), AssertionError, "no dimension 3"),
    (lambda: D.CatTransform([D.ExpTransform()], lengths=[1, 2]), AssertionError, "1 entries"),
    (lambda: D.StackTransform([D.ExpTransform()])(torch.ones(2)), AssertionError, "1 slices"),
    (lambda: D.Transform()(torch.ones(2)), NotImplementedError, "_call"),
    (lambda: D.AbsTransform().sign, NotImplementedError, "sign"),
])  # fmt: skip
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()


# constraint, values inside, values outside
SETS = [
    (constraints.boolean, [0.0, 1.0], [0.5, 2.0]), (constraints.nonnegative_integer, [0.0, 3.0], [-1.0, 0.5]),
    (constraints.positive_integer, [1.0], [0.0, 1.5]), (constraints.integer_interval(1, 3), [1.0, 3.0], [0.0, 1.5, 4.0]),
    (constraints.real, [0.0, torch.inf], [torch.nan]), (constraints.positive, [0.1], [0.0, -1.0, torch.nan]),
    (constraints.nonnegative, [0.0], [-1.0]), (constraints.greater_than(1.0), [1.5], [1.0]),
    (constraints.greater_than_eq(1.0), [1.0], [0.5]), (constraints.less_than(1.0), [0.5], [1.0]),
    (constraints.unit_interval, [0.0, 1.0], [1.5, -0.1]), (constraints.interval(-1.0, 2.0), [-1.0, 2.0], [2.5]),
    (constraints.half_open_interval(-1.0, 2.0), [-1.0], [2.0]), (constraints.real_vector, [[1.0, 2.0]], [[1.0, torch.nan]]),
    (constraints.simplex, [[0.2, 0.8]], [[0.5, 0.6], [1.5, -0.5]]), (constraints.multinomial(2), [[1.0, 1.0]], [[2.0, 1.0]]),
    (constraints.one_hot, [[0.0, 1.0]], [[1.0, 1.0], [0.5, 0.5]]), (constraints.square, [[[1.0]]], [[[1.0, 2.0]]]),
    (constraints.symmetric, [[[1.0, 2.0], [2.0, 1.0]]], [[[1.0, 2.0], [3.0, 1.0]]]),
    (constraints.lower_triangular, [[[1.0, 0.0], [2.0, -1.0]]], [[[1.0, 1.0], [0.0, 1.0]]]),
    (constraints.lower_cholesky, [[[1.0, 0.0], [2.0, 1.0]]], [[[1.0, 0.0], [2.0, -1.0]]]),
    (constraints.corr_cholesky, [[[1.0, 0.0], [0.6, 0.8]]], [[[1.0, 0.0], [0.6, 0.6]]]),
    (constraints.positive_semidefinite, [[[1.0, 0.0], [0.0, 0.0]]], [[[1.0, 2.0], [2.0, 1.0]]]),
    (constraints.positive_definite, [[[2.0, 1.0], [1.0, 2.0]]], [[[1.0, 2.0], [2.0, 1.0]], [[1.0, 1.0], [0.0, 1.0]]]),
    (constraints.independent(constraints.positive, 1), [[1.0, 2.0]], [[1.0, -2.0]]),
    (constraints.MixtureSameFamilyConstraint(constraints.interval(t([0.0, 1.0]), t([2.0, 3.0]))), [1.5], [0.5, 2.5]),
]  # fmt: skip


@pytest.mark.parametrize("constraint, inside, outside", SETS, ids=[repr(entry[0]) for entry in SETS])
def test_constraints(constraint, inside, outside):
    for values, expected in ((inside, True), (outside, False)):
        for value in values:
            value = t(value)
            result = constraint.check(value)
            assert result.dtype is torch.bool and result.shape == value.shape[: value.dim() - constraint.event_dim]
            assert result.all() == expected
    assert constraint.is_discrete == ("Integer" in repr(constraint) or type(constraint).__name__ in (
        "_Boolean", "_OneHot", "_Multinomial"))  # fmt: skip
    assert not constraints.is_dependent(constraint)


@pytest.mark.parametrize("constraint", [
    constraints.real, constraints.positive, constraints.nonnegative, constraints.greater_than(t(1.0)), constraints.less_than(2.0),
    constraints.unit_interval, constraints.interval(t(-1.0), t(2.0)), constraints.half_open_interval(0.0, 1.0),
    constraints.simplex, constraints.corr_cholesky, constraints.real_vector, constraints.independent(constraints.positive, 1),
    constraints.cat([constraints.positive, constraints.unit_interval], -1, [2, 1]),
    constraints.stack([constraints.positive, constraints.unit_interval, constraints.real], -1),
], ids=repr)  # fmt: skip
def test_bijections_to_constraints(constraint):
    x = randn(4, 3)
    transform = biject_to(constraint)
    y = transform(x)
    assert transform.bijective and constraint.check(y).all()
    torch.testing.assert_close(transform.inv(y), x)


@pytest.mark.parametrize("constraint", [
    constraints.simplex, constraints.lower_cholesky, constraints.positive_definite, constraints.positive_semidefinite,
    constraints.positive, constraints.interval(-1.0, 1.0),
], ids=repr)  # fmt: skip
def test_transforms_to_constraints(constraint):
    assert constraint.check(transform_to(constraint)(randn(4, 3, 3))).all()


def test_registries_refuse_what_they_do_not_know():
    for registry in (biject_to, transform_to):
        with pytest.raises(NotImplementedError, match="_Boolean"):
            registry(constraints.boolean)
        with pytest.raises(TypeError, match="Constraint"):
            registry.register(3, lambda constraint: None)
    with pytest.raises(NotImplementedError):
        biject_to(constraints.positive_definite)


def test_dependent_constraints():
    for constraint in (constraints.dependent, D.Uniform.support, constraints.dependent(is_discrete=True)):
        assert constraints.is_dependent(constraint)
        with pytest.raises(ValueError, match="without the parameters"):
            constraint.check(t(1.0))
    assert constraints.dependent(is_discrete=True, event_dim=1).event_dim == 1
    for attribute in ("is_discrete", "event_dim"):
        with pytest.raises(NotImplementedError, match=attribute):
            getattr(constraints.dependent, attribute)
    with pytest.raises(ValueError, match="at least 1"):
        constraints.real_vector.check(t(1.0))
    with pytest.raises(NotImplementedError, match="check"):
        constraints.Constraint().check(t(1.0))
    for call in (lambda: constraints.independent(3, 1), lambda: constraints.independent(constraints.real, -1),
                 lambda: constraints.cat([3]), lambda: constraints.cat([constraints.real], lengths=[1, 1])):  # fmt: skip
        with pytest.raises(AssertionError):
            call()


@pytest.mark.parametrize("diag", [-2, -1, 0, 1, 2])
def test_triangles(diag):
    matrix = randn(2, 3, 3).tril(diag)
    vector = tril_matrix_to_vec(matrix, diag)
    rows, columns = torch.tril_indices(3, 3, diag)
    assert torch.equal(vector, matrix[:, rows, columns])
    if diag < 2:
        assert torch.equal(vec_to_tril_matrix(vector, diag), matrix)
    for bad in (-4, 3):
        with pytest.raises(ValueError, match="between"):
            tril_matrix_to_vec(matrix, bad)
    with pytest.raises(ValueError, match="do not fill"):
        vec_to_tril_matrix(torch.ones(4))


def test_broadcast_all_and_lazy_property():
    a, b = broadcast_all(torch.zeros(2, dtype=F64), 1)
    assert a.shape == b.shape and b.dtype is F64

    class Counter:
        count = 0

        @lazy_property
        def value(self):
            """What is computed once."""
            self.count += 1
            return torch.is_grad_enabled()

    counter = Counter()
    with torch.no_grad():
        assert counter.value and counter.value
    assert counter.count == 1 and Counter.value.__doc__ == "What is computed once."
