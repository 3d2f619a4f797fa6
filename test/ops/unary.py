"""Elementwise functions of one tensor: rounding, signs, questions."""

import numpy as np

import torch
from ops.common import ALL, ALL_FLOATS, ANY_REAL, BOOL, INTS, NUMBERS, REAL, Op, Sample, rand, unary
from ops.shared.one_operand import function, special


def exact(name, ref, dtypes, low=-3.0, high=3.0, **kwargs):
    return Op(name, unary(low, high), ref, dtypes, inplace=True, **kwargs)


def questionable(dtype):
    """Includes infinities and NaN, for predicates."""
    x = rand(3, 4, dtype=dtype)
    if dtype.is_floating_point:
        x.view(-1)[:4] = torch.tensor([float("nan"), float("inf"), -float("inf"), 0.0], dtype=dtype)
    return [Sample(x), Sample(rand(0, dtype=dtype))]


def question(name, ref, dtypes=ALL, **kwargs):
    kwargs = {"method": True, **kwargs}
    return Op(name, questionable, ref, dtypes, grad=False, **kwargs)


def round_half_even(x):
    return np.round(x) if x.dtype.kind == "f" else x


def signs(x):
    return x if x.dtype.kind == "b" else np.sign(x)


def squared(x):
    return x.astype(np.int64) ** 2 if x.dtype.kind == "b" else np.square(x)


OPS = [
    exact("square", squared, ALL),
    function("deg2rad", np.deg2rad, ANY_REAL),
    function("rad2deg", np.rad2deg, ANY_REAL),
    exact("abs", np.abs, NUMBERS),
    exact(
        "neg",
        np.negative,
        NUMBERS,
        errors=[
            (lambda: -torch.tensor([True]), RuntimeError, "bool tensor"),
            (lambda: torch.neg(torch.ones(2), out=torch.ones(2).double()), RuntimeError, "Found dtype Double but expected Float"),
        ],
    ),
    exact("sign", signs, ANY_REAL, errors=[(lambda: torch.sign(torch.tensor([1j])), NotImplementedError, "complex")]),
    exact("sgn", signs, ALL),
    exact("floor", np.floor, REAL),
    exact("ceil", np.ceil, REAL),
    exact("trunc", np.trunc, REAL),
    exact("fix", np.fix, REAL, grad=False),
    exact("round", round_half_even, REAL),
    exact("frac", lambda x: x - np.trunc(x), ALL_FLOATS),
    Op(
        "round.decimals",
        lambda d: [Sample(rand(3, 4, dtype=d), (), {"decimals": k}) for k in (-1, 0, 2)],
        lambda x, decimals: np.round(x, decimals),
        ALL_FLOATS,
        call=torch.round,
        method=False,
        grad=False,
    ),
    exact("nan_to_num", np.nan_to_num, ALL),
    Op(
        "positive",
        unary(),
        np.positive,
        NUMBERS,
        out=False,
        errors=[(lambda: torch.positive(torch.tensor([True])), RuntimeError, "bool tensor")],
    ),
    exact("bitwise_not", np.invert, INTS + BOOL, grad=False),
    question("isnan", np.isnan, out=False),
    question("isinf", np.isinf, out=False),
    question("isfinite", np.isfinite, out=False),
    question("isposinf", np.isposinf, ANY_REAL),
    question("isneginf", np.isneginf, ANY_REAL),
    question("signbit", lambda x: np.signbit(x) if x.dtype.kind == "f" else x < 0, ANY_REAL),
    question("isreal", np.isreal, out=False),
    Op("logical_not", unary(), np.logical_not, ALL, grad=False),
    Op("absolute", unary(), np.abs, NUMBERS, grad=False, inplace=True),
    Op("negative", unary(), np.negative, NUMBERS, grad=False, inplace=True),
    special("round", np.round, dtypes=ALL_FLOATS),
]
