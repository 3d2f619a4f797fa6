"""Sums, products, quotients and remainders."""

import numpy as np

import torch
from ops.common import ALL, ANY_REAL, BOOL, COMPLEX, FLOATS, NUMBERS, ON_CPU, REAL, VALUES, Op, Sample, binary, rand, wide
from ops.shared.two_operands import alias, arithmetic, nonzero


def alpha(f):
    return lambda a, b, alpha=1: f(a, alpha * b) if b.dtype.kind != "b" else f(a, b)


def with_alpha(dtype):
    return [*binary()(dtype), Sample(rand(3, 4, dtype=dtype), (rand(4, dtype=dtype, seed=1),), {"alpha": 2})]


def rounded(a, b, rounding_mode=None):
    q = np.asarray(a).astype(np.float64) / b
    return q if rounding_mode is None else {"floor": np.floor, "trunc": np.trunc}[rounding_mode](q).astype(a.dtype)


def modes(dtype):
    return [Sample(s.input, s.args, {"rounding_mode": m}) for s in nonzero()(dtype) for m in (None, "floor", "trunc")]


DIVISION_BY_ZERO = [(lambda: torch.tensor([1]) // torch.tensor([0]), RuntimeError, "ZeroDivisionError", VALUES, ON_CPU),
                    (lambda: torch.tensor([1]) % torch.tensor([0]), RuntimeError, "ZeroDivisionError", VALUES, ON_CPU)]  # fmt: skip

MISMATCH = [(lambda: torch.ones(3) + torch.ones(4), RuntimeError, "must match the size"),
            (lambda: torch.ones(3, dtype=torch.int).add_(torch.ones(3)), RuntimeError, "can't be cast"),
            (lambda: torch.ones(3).add_(torch.ones(2, 3)), RuntimeError, "doesn't match the broadcast shape"),
            (lambda: torch.add(torch.tensor([1]), torch.tensor([1]), alpha=0.5), RuntimeError, "alpha must not be")]  # fmt: skip


def number_first(name, ref):
    """torch.NAME(2, x)."""
    return Op(name, lambda d: [Sample(2, (s.args[0],)) for s in nonzero()(d)], ref, FLOATS, method=False, noncontiguous=False)


OPS = [
    number_first("add", np.add),
    number_first("sub", np.subtract),
    number_first("mul", np.multiply),
    number_first("div", np.divide),
    number_first("true_divide", np.divide),
    arithmetic("add", alpha(np.add), ALL, make=with_alpha, errors=MISMATCH),
    arithmetic(
        "sub",
        alpha(np.subtract),
        make=with_alpha,
        errors=[(lambda: torch.tensor([True]) - torch.tensor([True]), RuntimeError, "bool")],
    ),
    arithmetic("rsub", lambda a, b, alpha=1: b - alpha * a, make=with_alpha, method=False, inplace=False, out=False),
    arithmetic("mul", np.multiply, ALL),
    arithmetic("div", wide(np.divide), ANY_REAL + COMPLEX, make=nonzero()),
    Op(
        "div.mode",
        modes,
        rounded,
        REAL,
        takes=BOOL + COMPLEX,  # without rounding
        call=torch.div,
        method=False,
        grad=False,
        errors=[(lambda: torch.div(torch.ones(2), 2, rounding_mode="up"), RuntimeError, "rounding_mode")],
    ),
    Op("divide.mode", modes, rounded, REAL, takes=BOOL + COMPLEX, call=torch.divide, method=False, grad=False),
    arithmetic("floor_divide", np.floor_divide, REAL, make=nonzero(), grad=False, errors=DIVISION_BY_ZERO),
    arithmetic("remainder", np.remainder, REAL, make=nonzero()),
    arithmetic("fmod", np.fmod, REAL, make=nonzero()),
    alias("subtract", np.subtract, NUMBERS),
    alias("multiply", np.multiply),
    alias("divide", wide(np.divide)),
    alias("true_divide", wide(np.true_divide)),
    Op("_add_relu", with_alpha, lambda a, b, alpha=1: np.maximum(a + alpha * b, 0), REAL, call=torch._add_relu, method=False, inplace=False, takes=BOOL),
    Op("_add_relu", lambda dtype: [Sample(rand(3, 4, dtype=dtype), (2, 3))], lambda a, b, alpha: np.maximum(a + alpha * b, 0), REAL, call=torch._add_relu, method=False, out=False, takes=BOOL),
]  # fmt: skip
