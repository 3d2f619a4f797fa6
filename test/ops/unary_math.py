"""Exponentials, logarithms, roots and angles."""

import numpy as np

import torch
from ops.common import ALL_FLOATS, SHAPES, Op, unary, wide
from ops.shared.one_operand import SMOOTH_COMPLEX, function, special


def alias(name, ref, low=-3.0, high=3.0, dtypes=SMOOTH_COMPLEX, **kwargs):
    kwargs = {"inplace": True, **kwargs}
    return Op(name, unary(low, high, SHAPES[2:4]), wide(ref), dtypes, grad=False, **kwargs)


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
    function(
        "sigmoid",
        lambda x: 1 / (1 + np.exp(-x)),
        SMOOTH_COMPLEX,
    ),
    alias("arcsin", np.arcsin, -0.9, 0.9),
    alias("arccos", np.arccos, -0.9, 0.9),
    alias("arctan", np.arctan),
    alias("arcsinh", np.arcsinh),
    alias("arccosh", np.arccosh, 1.2, 4),
    alias("arctanh", np.arctanh, -0.9, 0.9),
    special("exp2", np.exp2, dtypes=SMOOTH_COMPLEX),
    special("expm1", np.expm1, dtypes=SMOOTH_COMPLEX),
    special("log1p", np.log1p, 0, 3, SMOOTH_COMPLEX),
    special("expit", lambda x: 1 / (1 + np.exp(-x)), dtypes=SMOOTH_COMPLEX),
    Op("frexp", unary(), lambda x: list(np.frexp(x)), ALL_FLOATS, gradgrad=False, errors=((lambda: torch.frexp(torch.ones(2, dtype=torch.int)), RuntimeError, "floating-point"),)),
]  # fmt: skip
