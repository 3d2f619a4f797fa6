"""Masks: what they select, fill and find."""

import numpy as np

import torch
from ops.common import ALL, ON_CPU, ONES, VALUES, Op, Sample, rand
from ops.shared.samples import nonzero_samples


def masked(*more):
    def samples(dtype):
        for shape, mask in (((3, 4), (3, 4)), ((3, 4), (4,)), ((3, 4), (3, 1)), ((), ()), ((0, 2), (2,)), ((2, 3), ())):
            yield Sample(rand(*shape, dtype=dtype), (rand(*mask, dtype=torch.bool, seed=2), *more))

    return samples


def fills(dtype):
    yield from masked(1)(dtype)
    yield from masked(torch.tensor(1, dtype=dtype))(dtype)


def masked_fill(x, mask, value):
    return np.where(mask, np.asarray(value, x.dtype), x)


def masked_select(x, mask):
    x, mask = np.broadcast_arrays(x, mask)
    return x[mask]


def masked_scatter(x, mask, source):
    x, mask = x.copy(), np.broadcast_to(mask, x.shape)
    x[mask] = source.ravel()[: mask.sum()]
    return x


def sources(dtype):
    return [Sample(s.input, (*s.args, rand(3, 5, dtype=dtype, seed=1))) for s in masked()(dtype)]


def argwhere(x):
    return np.argwhere(x)


MASKS = [(lambda: torch.zeros(2).masked_fill_(torch.tensor([1, 0]), 1), RuntimeError, "bool"),
         (lambda: torch.zeros(2).masked_fill_(torch.ones(3, dtype=torch.bool), 1), RuntimeError, "size|broadcast"),
         (lambda: torch.zeros(2).masked_fill_(torch.ones(2, dtype=torch.bool), torch.ones(2)), RuntimeError, "0-dim")]  # fmt: skip


def static_nonzero(x, size, fill_value=-1):
    found = np.argwhere(x)[:size]
    return np.concatenate([found, np.full((size - len(found), x.ndim), fill_value)]).astype(np.int64)


OPS = [
    Op("masked_fill", fills, masked_fill, ALL, inplace=True, out=False, errors=MASKS),
    Op(
        "masked_select",
        masked(),
        masked_select,
        ALL,
        errors=[(lambda: torch.masked_select(ONES, torch.ones(3, dtype=torch.int)), RuntimeError, "[Bb]ool")],
        meta=False,
    ),
    Op(
        "masked_scatter",
        sources,
        masked_scatter,
        ALL,
        inplace=True,
        out=False,
        errors=[
            (
                lambda: torch.zeros(3).masked_scatter_(torch.ones(3, dtype=torch.bool), torch.ones(2)),
                RuntimeError,
                "number of ones|elements",
                VALUES,
                ON_CPU,
            ),
            (
                lambda: torch.zeros(3).masked_scatter_(torch.ones(3, dtype=torch.bool), torch.ones(3).double()),
                RuntimeError,
                "dtype",
            ),
        ],
    ),
    Op("nonzero", nonzero_samples, argwhere, ALL, grad=False, meta=False),
    Op("argwhere", nonzero_samples, argwhere, ALL, grad=False, out=False, meta=False),
    Op(
        "nonzero_numpy",
        lambda d: nonzero_samples(d)[:3],
        lambda x: list(np.nonzero(x)),
        ALL,
        call=lambda x: torch.nonzero(x, as_tuple=True),
        method=False,
        out=False,
        grad=False,
        meta=False,
    ),
    Op("nonzero_static", lambda dtype: [Sample(s.input, (), {"size": n, **k}) for s in nonzero_samples(dtype) for n in (0, 3, 9) for k in ({}, {"fill_value": 7})], static_nonzero, ALL, grad=False,
       errors=((lambda: torch.nonzero_static(ONES, size=-1), RuntimeError, "non-negative"),)),
]  # fmt: skip
