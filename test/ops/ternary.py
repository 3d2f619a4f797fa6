"""Functions of three operands: where, clamp, lerp, addcmul."""

import numpy as np

import torch
from ops.common import ALL, ALL_FLOATS, ANY_REAL, COMPLEX, FLOATS, INTS, NUMBERS, Op, Sample, rand
from ops.shared.samples import nonzero_samples


def three(dtype):
    found = []
    for a, b, c in (((3, 4), (3, 4), (3, 4)), ((4,), (3, 4), ()), ((3, 1), (4,), (3, 4)), ((0,), (0,), (0,)), ((), (), ())):
        found.append(Sample(rand(*a, dtype=torch.bool, seed=2), (rand(*b, dtype=dtype), rand(*c, dtype=dtype, seed=1))))
    return found


def clamp_samples(dtype):
    x = rand(3, 4, dtype=dtype)
    found = [Sample(x, (0, 2)), Sample(x, (), {"min": 1}), Sample(x, (), {"max": 1}), Sample(x, (2, 1))]
    if dtype.is_floating_point:
        found += [Sample(x, (-0.5, 0.7)), Sample(x, (rand(4, dtype=dtype, seed=1) - 1, rand(3, 1, dtype=dtype, seed=2) + 1))]
    return found


def clamp(x, min=None, max=None):
    return np.minimum(np.maximum(x, -np.inf if min is None else min), np.inf if max is None else max).astype(
        np.int64 if x.dtype.kind == "b" else x.dtype
    )


def one_bound(dtype):
    x = rand(3, 4, dtype=dtype)
    return [Sample(x, (1,)), Sample(x, (rand(4, dtype=dtype, seed=1),))]


def lerp_samples(dtype):
    a, b = rand(3, 4, dtype=dtype), rand(3, 4, dtype=dtype, seed=1)
    return [Sample(a, (b, 0.3)), Sample(a, (b, 0.8)), Sample(a, (b, rand(3, 4, dtype=dtype, low=0, high=1)))]


def three_tensors(low=-3.0, high=3.0):
    def samples(dtype):
        a, b, c = rand(3, 4, dtype=dtype), rand(4, dtype=dtype, seed=1), rand(3, 1, dtype=dtype, low=low, high=high, seed=2)
        return [Sample(a, (b, c)), Sample(a, (b, c), {"value": 2})]

    return samples


OPS = [
    Op("where", three, np.where, ALL, method=False, gradgrad=True),
    Op(
        "where.numbers",
        lambda d: [
            Sample(rand(3, 4, dtype=torch.bool), (rand(3, 4, dtype=d), -2)),
            Sample(rand(4, dtype=torch.bool), (-3, rand(4, dtype=d))),
        ],
        np.where,
        FLOATS + INTS[1:],
        takes=ALL,
        call=torch.where,
        method=False,
        out=False,
    ),
    Op(
        "clamp",
        clamp_samples,
        clamp,
        ANY_REAL,
        inplace=True,
        errors=[(lambda: torch.clamp(torch.ones(2)), RuntimeError, "must not be None")],
    ),
    Op("clip", clamp_samples, clamp, ANY_REAL, inplace=True, grad=False),
    Op("clamp_min", one_bound, np.maximum, ANY_REAL, inplace=True),
    Op("clamp_max", one_bound, np.minimum, ANY_REAL, inplace=True),
    Op(
        "lerp",
        lerp_samples,
        lambda a, b, w: a + w * (b - a),
        ALL_FLOATS + COMPLEX,
        inplace=True,
        errors=[(lambda: torch.lerp(torch.ones(2), torch.ones(2, dtype=torch.double), 0.5), RuntimeError, "expected dtype")],
    ),
    Op("addcmul", three_tensors(), lambda a, b, c, value=1: a + value * b * c, NUMBERS, inplace=True),
    Op(
        "addcdiv",
        three_tensors(1, 3),
        lambda a, b, c, value=1: a + value * b / c,
        ALL_FLOATS + COMPLEX,
        inplace=True,
        errors=[
            (lambda: torch.addcdiv(torch.tensor([1]), torch.tensor([1]), torch.tensor([1])), RuntimeError, "Integer division")
        ],
    ),
    Op(
        "where",
        lambda d: nonzero_samples(d)[:3],
        lambda x: list(np.nonzero(x)),
        ALL,
        method=False,
        out=False,
        grad=False,
        meta=False,
    ),
]
