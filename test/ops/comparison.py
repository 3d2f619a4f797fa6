"""Comparisons, extremes of two tensors, logic."""

import numpy as np

import torch
from ops.common import ALL, ANY_REAL, Op, Sample, binary, rand


def comparison(name, ref, dtypes=ANY_REAL):
    return Op(name, against_numbers, ref, dtypes, grad=False, inplace=True)


def logic(name, ref):
    return Op(name, binary(), ref, ALL, grad=False, inplace=True)


def alias(name, ref, dtypes=ANY_REAL):
    return Op(name, binary(), ref, dtypes, grad=False, inplace=True)


def against_numbers(dtype):
    """Two tensors, and a tensor with a number."""
    return [*binary()(dtype), Sample(rand(3, 4, dtype=dtype), (1,))]


def close_samples(dtype):
    x = rand(3, 4, dtype=dtype)
    y = x + (rand(3, 4, dtype=dtype, seed=1) * 1e-6 if dtype.is_floating_point else rand(3, 4, dtype=dtype, seed=1))
    return [Sample(x, (y,)), Sample(x, (y,), {"rtol": 0.5}), Sample(x, (x,), {"rtol": 0.0, "atol": 0.0})]


OPS = [
    comparison("eq", np.equal, ALL),
    comparison("ne", np.not_equal, ALL),
    comparison("lt", np.less),
    comparison("le", np.less_equal),
    comparison("gt", np.greater),
    comparison("ge", np.greater_equal),
    alias("not_equal", np.not_equal, ALL),
    alias("less", np.less),
    alias("less_equal", np.less_equal),
    alias("greater", np.greater),
    alias("greater_equal", np.greater_equal),
    logic("logical_and", np.logical_and),
    logic("logical_or", np.logical_or),
    logic("logical_xor", np.logical_xor),
    Op(
        "isclose",
        close_samples,
        np.isclose,
        ALL,
        grad=False,
        out=False,
        errors=[(lambda: torch.isclose(torch.ones(2), torch.ones(2, dtype=torch.double)), RuntimeError, "did not match")],
    ),
    Op(
        "allclose",
        close_samples,
        np.allclose,
        ALL,
        grad=False,
        out=False,
        call=lambda *a, **k: torch.tensor(torch.allclose(*a, **k)),
        method=False,
        meta=False,
    ),
    Op(
        "equal",
        binary(),
        np.array_equal,
        ALL,
        grad=False,
        out=False,
        method=False,
        call=lambda a, b: torch.tensor(torch.equal(a, b)),
        meta=False,
    ),
]
