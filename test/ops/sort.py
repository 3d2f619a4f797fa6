"""Order: sort, topk, medians."""

import numpy as np

import torch
from ops.common import BOOL, FLOATS, REAL, Op, Sample, rand
from ops.shared.samples import distinct


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


def by_dim(dtype):
    """Without `stable`: distinct numbers."""
    return [Sample(distinct(3, 5, dtype=dtype), a) for a in ((), (0,), (1, True))]


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
    """Value and index of the element of a rank, which may depend on the length."""

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


def middle(x):
    return np.sort(x, None)[lower_middle(x.size)]


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
    ),
    Op("median", lines(), picked(lower_middle), REAL, gradgrad=False),
    Op("nanmedian", lines(), picked(lower_middle), REAL, gradgrad=False, out=True),
    Op("mode", mode_samples, mode, REAL + BOOL, grad=False),
    Op(
        "quantile",
        quantiles,
        quantile,
        FLOATS,
        gradgrad=False,
        errors=[
            (lambda: torch.quantile(torch.ones(3), 1.5), RuntimeError, "range \\[0, 1\\]"),
            (lambda: torch.quantile(torch.ones(3), 0.5, interpolation="x"), RuntimeError, "interpolation"),
        ],
        meta=False,
    ),
    Op("nanquantile", quantiles, quantile, FLOATS, gradgrad=False, meta=False),
    *(
        Op(
            name,
            lambda d: [Sample(distinct(*s, dtype=d)) for s in ((7,), (2, 4))],
            middle,
            REAL,
            method=False,
            out=False,
            gradgrad=False,
        )
        for name in ("median", "nanmedian")
    ),
    Op("sort", by_dim, lambda x, dim=-1, descending=False: sort(x, True, dim, descending), REAL, gradgrad=False),
    Op("argsort", by_dim, lambda x, dim=-1, descending=False: order_of(x, dim, descending), REAL, grad=False, out=False),
]
