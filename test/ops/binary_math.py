"""Powers, logarithms and other functions of two tensors."""

import numpy as np
import scipy.special as sp

import torch
from ops.common import ALL_FLOATS, ANY_REAL, COMPLEX, FLOATS, INTS, NUMBERS, REDUCED, Op, Sample, binary, rand, wide
from ops.shared.two_operands import alias, arithmetic


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


OPS = [
    arithmetic(
        "pow",
        same_type(np.power),
        NUMBERS,
        make=pow_samples,
        tolerance=1e-4,
        errors=[(lambda: torch.tensor([2]) ** -1, RuntimeError, "negative integer powers")],
    ),
    Op(
        "float_power_",
        lambda d: [Sample(rand(3, 4, dtype=d, low=0.4, high=2.5), (rand(*s, dtype=d),)) for s in ((3, 4), (4,), ())],
        np.float_power,
        (torch.float64, torch.complex128),
        call=lambda x, y: x.clone().float_power_(y),
        method=False,
        out=False,
        grad=False,
        noncontiguous=False,
    ),
    arithmetic("float_power", wide(np.float_power), ANY_REAL + COMPLEX, 0.4, 2.5, inplace=False, grad=False),
    arithmetic("atan2", wide(np.arctan2), ANY_REAL, 0.3, 3),
    arithmetic("maximum", np.maximum, ANY_REAL, inplace=False),
    arithmetic("minimum", np.minimum, ANY_REAL, inplace=False),
    arithmetic("fmax", np.fmax, ANY_REAL, inplace=False),
    arithmetic("fmin", np.fmin, ANY_REAL, inplace=False),
    arithmetic("hypot", np.hypot, ALL_FLOATS, 0.3, 3),
    arithmetic("copysign", wide(np.copysign), ANY_REAL, 0.3, 3),
    arithmetic("nextafter", np.nextafter, FLOATS, grad=False, takes=REDUCED),
    arithmetic("gcd", np.gcd, INTS, -30, 30, grad=False),
    arithmetic("lcm", np.lcm, INTS, -5, 5, grad=False),
    arithmetic("xlogy", wide(sp.xlogy), ANY_REAL, make=xlogy_samples, gradgrad=False),
    arithmetic("logaddexp", logaddexp, ALL_FLOATS + COMPLEX, inplace=False),
    arithmetic("logaddexp2", np.logaddexp2, ALL_FLOATS, inplace=False),
    Op("heaviside", heaviside_samples, heaviside, ANY_REAL, grad=False, inplace=True),
    arithmetic("ldexp", wide(lambda a, b: a * np.exp2(b)), ANY_REAL + COMPLEX),
    alias("arctan2", wide(np.arctan2), ANY_REAL),
]
