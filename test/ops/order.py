"""Sorting, selection, uniqueness, buckets."""

import numpy as np

import torch
from ops.common import BOOL, FLOATS, INTS, REAL, REDUCED, Op, Sample, rand

ALL_FLOATS = FLOATS + REDUCED


def distinct(*shape, dtype=torch.float32):
    n = int(np.prod(shape))
    values = np.random.RandomState(5).permutation(n) % 120
    return torch.from_numpy(values.reshape(shape)).to(dtype)


def lines(*extra):
    def samples(dtype):
        return [Sample(distinct(*s, dtype=dtype), (*extra, d)) for s, d in (((7,), 0), ((3, 5), 1), ((3, 5), 0), ((2, 3, 4), -2))]

    return samples


def sort_samples(dtype):
    found = [
        Sample(s.input, (), {"stable": True, "dim": s.args[0], "descending": down})
        for s in lines()(dtype)
        for down in (False, True)
    ]
    return [*found, Sample(rand(2, 1000, dtype=dtype), (), {"stable": True}), Sample(rand(0, dtype=dtype), (), {"stable": True})]


def order_of(x, dim, descending):
    # NumPy sorts upwards only: a stable descending order is that of the negated ranks.
    ranks = np.unique(x, return_inverse=True)[1].reshape(x.shape)
    return np.argsort(-ranks if descending else ranks, dim, kind="stable")


def sort(x, stable=True, dim=-1, descending=False):
    places = order_of(x, dim, descending)
    return [np.take_along_axis(x, places, dim), places]


def topk(x, k, dim=-1, largest=True):
    places = np.take(order_of(x, dim, largest), range(k), dim)
    return [np.take_along_axis(x, places, dim), places]


def picked(rank):
    """Value and place of the element of a rank that may depend on the length."""

    def ref(x, *args, keepdim=False):
        dim = args[-1]
        r = rank(x.shape[dim], *args[:-1])
        places = np.take(np.argsort(x, dim, kind="stable"), [r], dim)
        found = [np.take_along_axis(x, places, dim), places]
        return found if keepdim else [f.squeeze(dim) for f in found]

    return ref


def mode_samples(dtype):
    return [
        Sample(torch.tensor([[1, 2, 2, 3], [3, 1, 3, 0]]).to(dtype)),
        Sample(torch.tensor([[1, 2], [3, 2], [1, 2]]).to(dtype), (0,)),
    ]


def mode(x, dim=-1):
    def one(line):
        values, counts = np.unique(line, return_counts=True)
        best = values[np.argmax(counts)]
        return best, np.flatnonzero(line == best)[-1]

    found = np.apply_along_axis(lambda line: np.array(one(line), dtype=np.float64), dim, x)
    return [np.take(found, 0, dim).astype(x.dtype), np.take(found, 1, dim).astype(np.int64)]


def unique(x, sorted=True, return_inverse=False, return_counts=False):
    values, inverse, counts = np.unique(x, return_inverse=True, return_counts=True)
    empty = np.zeros(0, np.int64)
    return [values, inverse.reshape(x.shape) if return_inverse else empty, counts if return_counts else empty]


def unique_consecutive(x, *args):
    first = np.concatenate([[True], x[1:] != x[:-1]])
    return [x[first], np.cumsum(first) - 1, np.diff(np.append(np.flatnonzero(first), len(x)))]


def repeated(dtype):
    return rand(3, 8, dtype=dtype, low=0, high=4).round() if dtype != torch.bool else rand(3, 8, dtype=dtype)


def searched(dtype):
    edges = distinct(9, dtype=dtype).sort().values
    return [Sample(edges, (rand(3, 4, dtype=dtype, low=0, high=9),), {"right": right}) for right in (False, True)]


def quantiles(dtype):
    x = rand(4, 7, dtype=dtype)
    q = torch.tensor([0.1, 0.45, 0.9], dtype=dtype)
    return [Sample(x, (0.3,)), Sample(x, (q, 0)), Sample(x, (q, 1), {"interpolation": "nearest"}), Sample(x, (0.4, 1, True))]


def quantile(x, q, dim=None, keepdim=False, interpolation="linear"):
    return np.quantile(x, np.asarray(q, np.float64), axis=dim, keepdims=keepdim, method=interpolation)


RANGE = [(lambda: torch.topk(torch.ones(3), 4), RuntimeError, "out of range"),
         (lambda: torch.topk(torch.ones(3), -1), RuntimeError, "out of range"),
         (lambda: torch.sort(torch.tensor([1j])), RuntimeError, "complex")]  # fmt: skip


def lower_middle(n):
    return (n - 1) // 2


OPS = [
    Op("sort", sort_samples, sort, REAL + BOOL, gradgrad=False, errors=RANGE),
    Op("argsort", sort_samples, lambda x, **k: sort(x, **k)[1], REAL + BOOL, grad=False, out=False),
    Op("msort", lambda d: [Sample(distinct(5, 3, dtype=d))], lambda x: np.sort(x, 0), REAL + BOOL, gradgrad=False),
    Op("topk", lines(2), topk, REAL, gradgrad=False),
    Op(
        "kthvalue",
        lines(2),
        picked(lambda n, k: k - 1),
        REAL,
        gradgrad=False,
        errors=[
            (lambda: torch.kthvalue(torch.ones(3), 0), RuntimeError, "out of range"),
            (lambda: torch.kthvalue(torch.ones(0), 1), IndexError, "non-zero size"),
        ],
    ),  # fmt: skip
    Op("median", lines(), picked(lower_middle), REAL, gradgrad=False),
    Op("nanmedian", lines(), picked(lower_middle), REAL, gradgrad=False, out=True),
    Op("mode", mode_samples, mode, REAL + BOOL, grad=False),
    Op(
        "quantile",
        quantiles,
        quantile,
        FLOATS,
        gradgrad=False,
        meta=False,
        errors=[
            (lambda: torch.quantile(torch.ones(3), 1.5), RuntimeError, "range \\[0, 1\\]"),
            (lambda: torch.quantile(torch.ones(3), 0.5, interpolation="x"), RuntimeError, "interpolation"),
        ],
    ),  # fmt: skip
    Op("nanquantile", quantiles, quantile, FLOATS, gradgrad=False, meta=False),
    Op(
        "_unique2",
        lambda d: [Sample(repeated(d), (True, inverse, counts)) for inverse in (False, True) for counts in (False, True)],
        unique,
        REAL + BOOL,
        method=False,
        out=False,
        grad=False,
        meta=False,
    ),  # fmt: skip
    Op(
        "unique_dim",
        lambda d: [Sample(repeated(d)[:, :2], (0, True, True, True))],
        lambda x, dim, *a: [
            r.reshape(-1) if i else r for i, r in enumerate(np.unique(x, axis=dim, return_inverse=True, return_counts=True))
        ],
        REAL + BOOL,
        call=torch.ops.aten.unique_dim,
        method=False,
        out=False,
        grad=False,
        meta=False,
    ),  # fmt: skip
    Op(
        "unique_consecutive",
        lambda d: [Sample(torch.tensor([1, 1, 2, 0, 0, 1]).to(d), (True, True))],
        unique_consecutive,
        REAL + BOOL,
        out=False,
        grad=False,
        meta=False,
        covers=("unique_dim_consecutive",),
        call=torch._C._VariableFunctions.unique_consecutive,
        method=False,
    ),  # fmt: skip
    Op(
        "searchsorted",
        searched,
        lambda e, v, right: np.searchsorted(e, v, "right" if right else "left"),
        REAL,
        method=False,
        grad=False,
        meta=False,
        errors=[(lambda: torch.searchsorted(torch.ones(3), torch.ones(1), side="up"), RuntimeError, "left")],
    ),  # fmt: skip
    Op(
        "bucketize",
        lambda d: [Sample(s.args[0], (s.input,), s.kwargs) for s in searched(d)],
        lambda v, e, right: np.digitize(v, e, not right),
        REAL,
        method=False,
        grad=False,
        meta=False,
    ),  # fmt: skip
    Op(
        "bincount",
        lambda d: [Sample(torch.tensor([0, 3, 1, 3]).to(d)), Sample(torch.tensor([0, 3, 1, 3]).to(d), (None, 7))],
        lambda x, weights=None, minlength=0: np.bincount(x, weights, minlength),
        INTS,
        out=False,
        grad=False,
        meta=False,
        errors=[(lambda: torch.bincount(torch.tensor([-1])), RuntimeError, "non-negative")],
    ),  # fmt: skip
    Op(
        "histc",
        lambda d: [Sample(rand(50, dtype=d), (7, -2, 2)), Sample(rand(50, dtype=d), (5,))],
        lambda x, bins, lo=None, hi=None: np.histogram(x, bins, None if lo is None else (lo, hi))[0].astype(x.dtype),
        FLOATS + REDUCED,
        grad=False,
        meta=False,
        errors=[(lambda: torch.histc(torch.ones(3), 0), RuntimeError, "bins must be > 0")],
    ),  # fmt: skip
]
