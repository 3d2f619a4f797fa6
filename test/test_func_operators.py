"""Every operator of the table under vmap, compared with one call for each example."""

import warnings

import ops
import pytest
from table_exceptions import NESTED, NOT_DIFFERENTIATED, OUT, VMAP, left_out
from vmap_samples import comparisons, looped, tensors_in

import torch
from torch.utils._pytree import tree_flatten, tree_leaves, tree_unflatten

TABLE = [op for op in ops.all_ops() if not left_out("vmap", op)]


def is_expected(op, error):
    return OUT in str(error) or (op.name in VMAP and VMAP[op.name][1] in str(error))


def small_samples(op, dtype, count=10):
    found = []
    for sample in op.samples(dtype):
        tensors = [x for x in tree_leaves((sample.input, sample.args, sample.kwargs)) if isinstance(x, torch.Tensor)]
        if sum(x.numel() for x in tensors) < 2000:
            found.append(sample)
    return found[:count]


@pytest.mark.parametrize("op", TABLE, ids=lambda op: f"{op.family}-{op.name}")
def test_vmap_equals_loop(op):
    dtype = torch.float64 if torch.float64 in op.dtypes else op.dtypes[0]
    tolerance = {"rtol": 1e-6, "atol": 1e-7} if dtype == torch.float64 else {"rtol": 1e-3, "atol": 1e-3}
    for sample in small_samples(op, dtype):
        for dims, function, batched, rows in comparisons(op, sample):
            try:
                expected = looped(function, rows)
            except Exception:  # the values made for the batch are not valid ones of this operator
                continue
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    copies = [x.clone() for x in batched]
                    results = torch.vmap(lambda *xs, f=function: tensors_in(f(*xs)), in_dims=dims)(*copies)
            except RuntimeError as error:
                assert is_expected(op, error), f"in_dims {dims}: {error}"
                continue
            assert len(results) == len(expected)
            for got, want in zip(results, expected):
                torch.testing.assert_close(got, want, equal_nan=True, **tolerance)


def differentiable_samples():
    for op in TABLE:
        if op.grad and torch.float64 in op.dtypes and op.name not in NOT_DIFFERENTIATED:
            yield op


def checked(op, compute, expected):
    try:
        results = tensors_in(compute())
    except RuntimeError as error:
        assert is_expected(op, error), error
        return
    for got, want in zip(results, expected):
        torch.testing.assert_close(got, want, equal_nan=True, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("op", differentiable_samples(), ids=lambda op: f"{op.family}-{op.name}")
@pytest.mark.filterwarnings("ignore")
def test_gradients_equal_a_loop(op):
    """grad under vmap, vmap under grad, and the Jacobians, against autograd on one example at a time."""
    for sample in small_samples(op, torch.float64, 4):
        for dims, function, batched, rows in list(comparisons(op, sample))[:1]:
            floats = tuple(k for k, x in enumerate(batched) if x.is_floating_point())
            if not floats or sum(x.numel() for x in rows[0]) > 80:
                continue
            compare_gradients(op, dims, function, batched, rows, floats)


def compare_gradients(op, dims, function, batched, rows, floats):
    def parts(*xs):
        return [x for x in tensors_in(function(*xs)) if x.is_floating_point() or x.is_complex()]

    def number(*xs):
        return sum(x.abs().square().sum() if x.is_complex() else x.sum() for x in parts(*xs))

    def of_one(row):
        row = [x.clone().requires_grad_(k in floats) for k, x in enumerate(row)]
        inputs = [row[k] for k in floats]
        return torch.autograd.grad(number(*row), inputs, allow_unused=True, materialize_grads=True)

    try:
        expected = [torch.stack(found) for found in zip(*map(of_one, rows))]
    except Exception:  # no derivative, or no valid values
        return
    per_example = torch.vmap(torch.func.grad(number, floats), dims)
    checked(op, lambda: per_example(*[x.clone() for x in batched]), expected)
    of_batch = torch.func.grad(lambda *xs: torch.vmap(number, dims)(*xs).sum(), floats)
    moved = [want.movedim(0, dims[k]) for want, k in zip(expected, floats)]
    checked(op, lambda: of_batch(*[x.clone() for x in batched]), moved)

    def real_parts(*xs):
        return tuple(x for x in parts(*[x.clone() for x in xs]) if not x.is_complex())

    row = rows[0]
    if not real_parts(*row):
        return
    chosen = lambda *xs: real_parts(*[xs[floats.index(k)] if k in floats else x for k, x in enumerate(row)])  # noqa: E731
    inputs = tuple(row[k] for k in floats)
    jacobian = tensors_in(torch.autograd.functional.jacobian(chosen, inputs))
    checked(op, lambda: torch.func.jacrev(chosen, tuple(range(len(inputs))))(*inputs), jacobian)
    if op.gradgrad is not False:
        checked(op, lambda: torch.func.jacfwd(chosen, tuple(range(len(inputs))))(*inputs), jacobian)


# --- transforms nested two deep -------------------------------------------------------------------------------------------------

NESTED_TABLE = [op for op in ops.all_ops() if not left_out("nested", op)]


@pytest.mark.parametrize("op", NESTED_TABLE, ids=lambda op: f"{op.family}-{op.name}")
@pytest.mark.filterwarnings("ignore")
def test_transforms_nested_two_deep(op):
    """Second derivatives along a direction, by forward and reverse mode in either order, against autograd applied twice."""
    for sample in small_samples(op, torch.float64, 3):
        flat, spec = tree_flatten((sample.input, sample.args, sample.kwargs))
        floats = [k for k, x in enumerate(flat) if isinstance(x, torch.Tensor) and x.dtype == torch.float64]
        if not floats or sum(flat[k].numel() for k in floats) > 60:
            continue

        def number(*given, flat=flat, spec=spec, floats=floats):
            filled = [x.clone() if isinstance(x, torch.Tensor) else x for x in flat]
            for k, x in zip(floats, given):
                filled[k] = x * 1
            first, args, kwargs = tree_unflatten(filled, spec)
            results = [x for x in tensors_in(op.fn(first, *args, **kwargs)) if x.is_floating_point() or x.is_complex()]
            weights = [torch.linspace(0.5, 1.5, x.numel(), dtype=torch.float64).view(x.shape) for x in results]
            return sum(((x.abs() ** 2 if x.is_complex() else x.sin()) * w).sum() for x, w in zip(results, weights))

        compare_nested(op, number, [flat[k].detach().clone() for k in floats])


def compare_nested(op, number, given):
    torch.manual_seed(0)
    along = tuple(torch.randn_like(x) for x in given)
    inputs = [x.clone().requires_grad_() for x in given]
    try:
        first = torch.autograd.grad(number(*inputs), inputs, create_graph=True, allow_unused=True, materialize_grads=True)
        slope = sum((g * v).sum() for g, v in zip(first, along))
        expected = torch.autograd.grad(slope, inputs, allow_unused=True, materialize_grads=True) if slope.requires_grad else ()
    except Exception:  # no second derivative here
        return
    if not expected:
        return
    every, primals = tuple(range(len(given))), tuple(given)
    gradient = torch.func.grad(number, every)
    curvature = sum((h * v).sum() for h, v in zip(expected, along))
    nested = {
        "jvp of grad": lambda: torch.func.jvp(gradient, primals, along)[1],
        "grad of jvp": lambda: torch.func.grad(lambda *xs: torch.func.jvp(number, xs, along)[1], every)(*primals),
        "grad of grad": lambda: torch.func.grad(lambda *xs: sum((g * v).sum() for g, v in zip(gradient(*xs), along)), every)(
            *primals
        ),
        "vjp of grad": lambda: torch.func.vjp(gradient, *primals)[1](along),
    }
    for name, compute in nested.items():
        assert_nested(op, name, compute, expected)
    twice = lambda: torch.func.jvp(lambda *xs: torch.func.jvp(number, xs, along)[1], primals, along)[1]  # noqa: E731
    assert_nested(op, "jvp of jvp", twice, [curvature])


def assert_nested(op, name, compute, expected):
    try:
        results = tensors_in(compute())
    except (RuntimeError, NotImplementedError) as error:
        assert op.name in NESTED and NESTED[op.name] in str(error), f"{name}: {error}"
        return
    for got, want in zip(results, expected, strict=True):
        torch.testing.assert_close(got, want, equal_nan=True, rtol=1e-5, atol=1e-6, msg=lambda text: f"{name}: {text}")


# --- random numbers -------------------------------------------------------------------------------------------------------------

DRAWS = [
    op for op in ops.all_ops() if op.family in ("random", "samplers", "dropout") and not op.factory and op.values is not None
]


@pytest.mark.parametrize("op", DRAWS, ids=lambda op: f"{op.family}-{op.name}")
@pytest.mark.filterwarnings("ignore")
def test_random_operators_under_vmap(op):
    """With randomness="same" all examples with equal arguments have equal results; with "different" the results have a batch."""
    dtype = torch.float32 if torch.float32 in op.dtypes else op.dtypes[0]
    for sample in small_samples(op, dtype, 2):
        if not isinstance(sample.input, torch.Tensor) or any(isinstance(x, torch.Generator) for x in tree_leaves(sample.kwargs)):
            continue
        batch = sample.input.detach().expand(3, *sample.input.shape).clone()
        for randomness in ("same", "different"):
            call = torch.vmap(lambda x, s=sample: tensors_in(op.fn(x, *s.args, **s.kwargs)), randomness=randomness)
            try:
                results = call(batch.clone())
            except RuntimeError as error:
                assert "vmap" in str(error), error
                continue
            for result in results:
                assert result.shape[0] == 3
                assert randomness == "different" or torch.equal(result.nan_to_num(), result[:1].expand_as(result).nan_to_num())
