"""Positions in sorted sequences, and counts."""

import numpy as np

import torch
from ops.common import FLOATS, INTS, REAL, REDUCED, Op, Sample, rand
from ops.shared.samples import distinct


def searched(dtype):
    edges = distinct(9, dtype=dtype).sort().values
    return [Sample(edges, (rand(3, 4, dtype=dtype, low=0, high=9),), {"right": right}) for right in (False, True)]


def isin_samples(dtype):
    """Few values, which are compared one by one, and many, which are searched."""
    x = rand(70, 7, dtype=dtype)
    yield from (Sample(x, (x[0],), k) for k in ({}, {"invert": True}, {"assume_unique": True}))
    yield from (
        Sample(x, (rand(40, dtype=dtype, seed=1).view(8, 5),)),
        Sample(x, (x[:30],)),
        Sample(x, (x[:30],), {"invert": True}),
        Sample(x, (x[:0],)),
    )
    if dtype.is_floating_point:
        special = torch.tensor([float("nan"), 1.0, float("inf"), -0.0], dtype=dtype)
        yield from (Sample(special, (special,)), Sample(special, (special.repeat(10),)))


OPS = [
    Op(
        "searchsorted",
        searched,
        lambda e, v, right: np.searchsorted(e, v, "right" if right else "left"),
        REAL,
        method=False,
        grad=False,
        errors=[(lambda: torch.searchsorted(torch.ones(3), torch.ones(1), side="up"), RuntimeError, "left")],
        meta=False,
    ),
    Op(
        "bucketize",
        lambda d: [Sample(s.args[0], (s.input,), s.kwargs) for s in searched(d)],
        lambda v, e, right: np.digitize(v, e, not right),
        REAL,
        method=False,
        grad=False,
        meta=False,
    ),
    Op(
        "bincount",
        lambda d: [Sample(torch.tensor([0, 3, 1, 3]).to(d)), Sample(torch.tensor([0, 3, 1, 3]).to(d), (None, 7))],
        lambda x, weights=None, minlength=0: np.bincount(x, weights, minlength),
        INTS,
        out=False,
        grad=False,
        errors=[(lambda: torch.bincount(torch.tensor([-1])), RuntimeError, "non-negative")],
        meta=False,
    ),
    Op(
        "histc",
        lambda d: [Sample(rand(50, dtype=d), (7, -2, 2)), Sample(rand(50, dtype=d), (5,))],
        lambda x, bins, lo=None, hi=None: np.histogram(x, bins, None if lo is None else (lo, hi))[0].astype(x.dtype),
        FLOATS + REDUCED,
        grad=False,
        errors=[(lambda: torch.histc(torch.ones(3), 0), RuntimeError, "bins must be > 0")],
        meta=False,
    ),
    Op("isin", isin_samples, np.isin, REAL, method=False, grad=False, errors=(
        (lambda: torch.isin(torch.ones(2) > 0, torch.ones(2)), RuntimeError, "Unsupported input type"), (lambda: torch.isin(torch.ones(2) + 0j, torch.ones(2)), RuntimeError, "Unsupported"))),
    Op("isin", lambda dtype: [Sample(rand(3, 4, dtype=dtype), (1,)), Sample(rand(3, 4, dtype=dtype), (1,), {"invert": True})], np.isin, REAL, method=False, grad=False),
    Op("isin", lambda dtype: [Sample(1, (rand(3, 4, dtype=dtype),))], np.isin, REAL, method=False, grad=False),
]  # fmt: skip
