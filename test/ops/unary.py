"""Elementwise functions of one tensor."""

import numpy as np
import scipy.special as sp

import torch
from ops.common import ALL, BOOL, COMPLEX, FLOATS, INTS, NUMBERS, REAL, REDUCED, SHAPES, Op, Sample, rand, unary

ALL_FLOATS = FLOATS + REDUCED
ANY_REAL = REAL + BOOL
SMOOTH_COMPLEX = ANY_REAL + COMPLEX


def wide(f):
    """NumPy computes small integers in float16; the library in float32."""

    def ref(x, *args, **kwargs):
        x = np.asarray(x)
        return f(x.astype(np.float64) if x.dtype.kind in "biu" else x, *args, **kwargs)

    return ref


def function(name, ref, dtypes=ANY_REAL, low=-3.0, high=3.0, **kwargs):
    return Op(name, unary(low, high), wide(ref), dtypes, inplace=True, **kwargs)


def exact(name, ref, dtypes, low=-3.0, high=3.0, **kwargs):
    return Op(name, unary(low, high), ref, dtypes, inplace=True, **kwargs)


def alias(name, ref, low=-3.0, high=3.0, dtypes=SMOOTH_COMPLEX, **kwargs):
    kwargs = {"inplace": True, **kwargs}
    return Op(name, unary(low, high, SHAPES[2:4]), wide(ref), dtypes, grad=False, **kwargs)


def special(name, ref, low=-3.0, high=3.0, dtypes=ANY_REAL, **kwargs):
    return Op(f"special_{name}", unary(low, high, SHAPES[2:4]), wide(ref), dtypes, grad=False, method=False,
              call=getattr(torch._C._special, f"special_{name}"), **kwargs)  # fmt: skip


def questionable(dtype):
    """With the numbers that questions are about."""
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


def digamma_samples(dtype):
    return [Sample(rand(3, 4, dtype=dtype, low=0.3, high=9)), Sample(rand(5, dtype=dtype, low=-2.7, high=-2.3))]


def logit(x, eps=None):
    x = np.clip(x, eps, 1 - eps) if eps is not None else x
    return np.log(x / (1 - x))


def polygamma_samples(dtype):
    return [Sample(n, (rand(3, 4, dtype=dtype, low=0.3, high=5),)) for n in (0, 1, 2, 4)]


OPS = [
    function("exp", np.exp, SMOOTH_COMPLEX),
    function("exp2", np.exp2, SMOOTH_COMPLEX),
    function("expm1", np.expm1, SMOOTH_COMPLEX),
    function("log", np.log, SMOOTH_COMPLEX, 0.3, 4),
    function("log2", np.log2, SMOOTH_COMPLEX, 0.3, 4),
    function("log10", np.log10, SMOOTH_COMPLEX, 0.3, 4),
    function("log1p", np.log1p, SMOOTH_COMPLEX, 0.3, 4),
    function("sqrt", np.sqrt, SMOOTH_COMPLEX, 0.3, 4),
    function("rsqrt", lambda x: 1 / np.sqrt(x), SMOOTH_COMPLEX, 1, 4),
    function("reciprocal", lambda x: 1 / x, SMOOTH_COMPLEX, 1, 4),
    exact("square", squared, ALL),
    function("sin", np.sin, SMOOTH_COMPLEX),
    function("cos", np.cos, SMOOTH_COMPLEX),
    function("tan", np.tan, SMOOTH_COMPLEX, -1, 1),
    function("asin", np.arcsin, SMOOTH_COMPLEX, -0.9, 0.9),
    function("acos", np.arccos, SMOOTH_COMPLEX, -0.9, 0.9),
    function("atan", np.arctan, SMOOTH_COMPLEX, -0.9, 0.9),
    function("sinh", np.sinh, SMOOTH_COMPLEX),
    function("cosh", np.cosh, SMOOTH_COMPLEX),
    function("tanh", np.tanh, SMOOTH_COMPLEX, -1, 1),
    function("asinh", np.arcsinh, SMOOTH_COMPLEX, -0.9, 0.9),
    function("acosh", np.arccosh, SMOOTH_COMPLEX, 1.2, 4),
    function("atanh", np.arctanh, SMOOTH_COMPLEX, -0.9, 0.9),
    function("sinc", np.sinc, SMOOTH_COMPLEX),
    function("deg2rad", np.deg2rad, ANY_REAL),
    function("rad2deg", np.rad2deg, ANY_REAL),
    function("erf", sp.erf),
    function("erfc", sp.erfc),
    function("erfinv", sp.erfinv, ANY_REAL, -0.9, 0.9),
    function("lgamma", sp.gammaln, ANY_REAL, 0.3, 9, tolerance=1e-4),
    Op("digamma", digamma_samples, wide(sp.digamma), ANY_REAL, inplace=True, tolerance=1e-4),
    Op(
        "polygamma",
        polygamma_samples,
        wide(sp.polygamma),
        ANY_REAL,
        method=False,
        noncontiguous=False,
        grad=False,
        tolerance=1e-4,
    ),
    function(
        "sigmoid",
        lambda x: 1 / (1 + np.exp(-x)),
        SMOOTH_COMPLEX,
    ),
    Op(
        "logit",
        lambda d: [Sample(rand(3, 4, dtype=d, low=0.1, high=0.9)), Sample(rand(5, dtype=d, low=-0.5, high=1.5), (0.2,))],
        wide(logit),
        ANY_REAL,
        inplace=True,
    ),  # fmt: skip
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
    ),  # fmt: skip
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
    alias("arcsin", np.arcsin, -0.9, 0.9),
    alias("arccos", np.arccos, -0.9, 0.9),
    alias("arctan", np.arctan),
    alias("arcsinh", np.arcsinh),
    alias("arccosh", np.arccosh, 1.2, 4),
    alias("arctanh", np.arctanh, -0.9, 0.9),
    special("exp2", np.exp2, dtypes=SMOOTH_COMPLEX),
    special("expm1", np.expm1, dtypes=SMOOTH_COMPLEX),
    special("log1p", np.log1p, 0, 3, SMOOTH_COMPLEX),
    special("sinc", np.sinc, dtypes=SMOOTH_COMPLEX),
    special("erf", sp.erf),
    special("erfc", sp.erfc),
    special("erfinv", sp.erfinv, -0.9, 0.9),
    special("gammaln", sp.gammaln, 0.3, 9, tolerance=1e-4),
    special("digamma", sp.digamma, 0.3, 9, tolerance=1e-4),
    special("psi", sp.psi, 0.3, 9, tolerance=1e-4),
    special("expit", lambda x: 1 / (1 + np.exp(-x)), dtypes=SMOOTH_COMPLEX),
    special("logit", logit, 0.1, 0.9),
    special("round", np.round, dtypes=ALL_FLOATS),
    Op(
        "special_polygamma",
        polygamma_samples,
        wide(sp.polygamma),
        ANY_REAL,
        method=False,
        noncontiguous=False,
        grad=False,
        tolerance=1e-4,
        call=torch._C._special.special_polygamma,
    ),  # fmt: skip
]
