"""Elementwise functions of two tensors: arithmetic, powers, bits."""

import numpy as np
import scipy.special as sp

import torch
from ops.common import ALL, BOOL, COMPLEX, FLOATS, INTS, NUMBERS, REAL, REDUCED, Op, Sample, binary, rand

ALL_FLOATS = FLOATS + REDUCED
ANY_REAL = REAL + BOOL


def wide(f):
    def ref(*args):
        args = [np.asarray(a) for a in args]
        return f(*(a.astype(np.float64) if a.dtype.kind in "biu" else a for a in args))

    return ref


def arithmetic(name, ref, dtypes=NUMBERS, low=-3.0, high=3.0, **kwargs):
    kwargs = {"inplace": True, "samples": binary(low, high), **kwargs}
    return Op(name, ref=ref, dtypes=dtypes, **kwargs)


def nonzero(low=-3.0, high=3.0):
    """The second operand is at least 1 away from nothing."""

    def samples(dtype):
        return [
            Sample(s.input, (torch.where(s.args[0] == 0, torch.ones_like(s.args[0]), s.args[0]),))
            for s in binary(low, high, 1, 3)(dtype)
        ]

    return samples


def alpha(f):
    return lambda a, b, alpha=1: f(a, alpha * b) if b.dtype.kind != "b" else f(a, b)


def with_alpha(dtype):
    return [*binary()(dtype), Sample(rand(3, 4, dtype=dtype), (rand(4, dtype=dtype, seed=1),), {"alpha": 2})]


def rounded(a, b, rounding_mode=None):
    q = np.asarray(a).astype(np.float64) / b
    return q if rounding_mode is None else {"floor": np.floor, "trunc": np.trunc}[rounding_mode](q).astype(a.dtype)


def modes(dtype):
    return [Sample(s.input, s.args, {"rounding_mode": m}) for s in nonzero()(dtype) for m in (None, "floor", "trunc")]


def alias(name, ref, dtypes=ANY_REAL + COMPLEX, samples=None, **kwargs):
    kwargs = {"inplace": True, **kwargs}
    return Op(name, samples or nonzero(), ref, dtypes, grad=False, **kwargs)


def shifts(dtype):
    return [Sample(rand(3, 4, dtype=dtype), (torch.tensor([0, 1, 2, 3], dtype=dtype),))]


def operator(name, f, dtypes=INTS + BOOL):
    return Op(
        f"__{name}__",
        binary(),
        f,
        dtypes,
        grad=False,
        call=lambda a, b: getattr(a, f"__{name}__")(b),
        out=False,
        covers=(f"__i{name}__",),
    )


def pow_samples(dtype):
    found = [*binary(0.4, 2.5)(dtype)]
    found += [Sample(rand(3, 4, dtype=dtype, low=0.4, high=2.5), (e,)) for e in (0, 1, 2, 3)]
    if dtype.is_floating_point:
        found += [Sample(rand(3, 4, dtype=dtype, low=0.4, high=2.5), (e,)) for e in (0.5, -0.5, -1, -2, 2.3)]
    return found


def same_type(f):
    """NumPy keeps the type of an integer array raised to a Python number."""
    return lambda a, b: f(a, np.asarray(b, a.dtype) if isinstance(b, int) else b)


def heaviside_samples(dtype):
    return [
        Sample(torch.tensor([-1, 0, 2, 0]).to(dtype), (rand(4, dtype=dtype),)),
        Sample(rand(3, 4, dtype=dtype), (rand(4, dtype=dtype),)),
    ]


def heaviside(x, middle):
    return np.heaviside(x.astype(np.float64), middle).astype(x.dtype)


def logaddexp(a, b):
    """Of complex numbers with the angle counted on from that of the larger term."""
    if a.dtype.kind != "c":
        return np.logaddexp(a, b)
    first = a.real >= b.real
    return np.where(first, a, b) + np.log(1 + np.exp(np.where(first, b - a, a - b)))


def xlogy_samples(dtype):
    found = binary(0.3, 3)(dtype)
    x = rand(4, dtype=dtype, low=0.3, high=3)
    x[0] = 0
    return [*found, Sample(x, (rand(4, dtype=dtype, low=0.3, high=3),))]


DIVISION_BY_ZERO = [(lambda: torch.tensor([1]) // torch.tensor([0]), RuntimeError, "ZeroDivisionError"),
                    (lambda: torch.tensor([1]) % torch.tensor([0]), RuntimeError, "ZeroDivisionError")]  # fmt: skip
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
    arithmetic("add", alpha(np.add), ALL, samples=with_alpha, errors=MISMATCH),
    arithmetic(
        "sub",
        alpha(np.subtract),
        samples=with_alpha,
        errors=[(lambda: torch.tensor([True]) - torch.tensor([True]), RuntimeError, "bool")],
    ),  # fmt: skip
    arithmetic("rsub", lambda a, b, alpha=1: b - alpha * a, samples=with_alpha, method=False, inplace=False, out=False),
    arithmetic("mul", np.multiply, ALL),
    arithmetic("div", wide(np.divide), ANY_REAL + COMPLEX, samples=nonzero()),
    Op(
        "div.mode",
        modes,
        rounded,
        REAL,
        call=torch.div,
        method=False,
        grad=False,
        errors=[(lambda: torch.div(torch.ones(2), 2, rounding_mode="up"), RuntimeError, "rounding_mode")],
    ),  # fmt: skip
    arithmetic("floor_divide", np.floor_divide, REAL, samples=nonzero(), grad=False, errors=DIVISION_BY_ZERO),
    arithmetic("remainder", np.remainder, REAL, samples=nonzero()),
    arithmetic("fmod", np.fmod, REAL, samples=nonzero()),
    arithmetic(
        "pow",
        same_type(np.power),
        NUMBERS,
        samples=pow_samples,
        tolerance=1e-4,
        errors=[(lambda: torch.tensor([2]) ** -1, RuntimeError, "negative integer powers")],
    ),  # fmt: skip
    arithmetic("float_power", wide(np.float_power), ANY_REAL + COMPLEX, 0.4, 2.5, inplace=False, grad=False),
    arithmetic("atan2", wide(np.arctan2), ANY_REAL, 0.3, 3),
    arithmetic("maximum", np.maximum, ANY_REAL, inplace=False),
    arithmetic("minimum", np.minimum, ANY_REAL, inplace=False),
    arithmetic("fmax", np.fmax, ANY_REAL, inplace=False),
    arithmetic("fmin", np.fmin, ANY_REAL, inplace=False),
    arithmetic("hypot", np.hypot, ALL_FLOATS, 0.3, 3),
    arithmetic("copysign", wide(np.copysign), ANY_REAL, 0.3, 3),
    arithmetic("nextafter", np.nextafter, FLOATS, grad=False),
    arithmetic("gcd", np.gcd, INTS, -30, 30, grad=False),
    arithmetic("lcm", np.lcm, INTS, -5, 5, grad=False),
    arithmetic("xlogy", wide(sp.xlogy), ANY_REAL, samples=xlogy_samples, gradgrad=False),
    arithmetic("logaddexp", logaddexp, ALL_FLOATS + COMPLEX, inplace=False),
    arithmetic("logaddexp2", np.logaddexp2, ALL_FLOATS, inplace=False),
    Op("heaviside", heaviside_samples, heaviside, ANY_REAL, grad=False, inplace=True),
    arithmetic("ldexp", wide(lambda a, b: a * np.exp2(b)), ANY_REAL + COMPLEX),
    arithmetic(
        "bitwise_and",
        np.bitwise_and,
        INTS + BOOL,
        grad=False,
        errors=[(lambda: torch.ones(2) & torch.ones(2), NotImplementedError, "not implemented for 'Float'")],
    ),  # fmt: skip
    arithmetic("bitwise_or", np.bitwise_or, INTS + BOOL, grad=False),
    arithmetic("bitwise_xor", np.bitwise_xor, INTS + BOOL, grad=False),
    arithmetic("bitwise_left_shift", np.left_shift, INTS, samples=shifts, grad=False),
    arithmetic("bitwise_right_shift", np.right_shift, INTS, samples=shifts, grad=False),
    operator("and", np.bitwise_and),
    operator("or", np.bitwise_or),
    operator("xor", np.bitwise_xor),
    Op("__lshift__", shifts, np.left_shift, INTS, grad=False, call=lambda a, b: a << b, out=False),
    Op("__rshift__", shifts, np.right_shift, INTS, grad=False, call=lambda a, b: a >> b, out=False),
    alias("subtract", np.subtract, NUMBERS),
    alias("multiply", np.multiply),
    alias("divide", wide(np.divide)),
    alias("true_divide", wide(np.true_divide)),
    alias("arctan2", wide(np.arctan2), ANY_REAL),
]
