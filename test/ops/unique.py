"""Distinct values."""

import numpy as np

import torch
from ops.common import BOOL, REAL, Op, Sample, internal, rand


def unique(x, sorted=True, return_inverse=False, return_counts=False):
    values, inverse, counts = np.unique(x, return_inverse=True, return_counts=True)
    empty = np.zeros(0, np.int64)
    return [values, inverse.reshape(x.shape) if return_inverse else empty, counts if return_counts else empty]


def unique_consecutive(x, *args):
    first = np.concatenate([[True], x[1:] != x[:-1]])
    return [x[first], np.cumsum(first) - 1, np.diff(np.append(np.flatnonzero(first), len(x)))]


def repeated(dtype):
    return rand(3, 8, dtype=dtype, low=0, high=4).round() if dtype != torch.bool else rand(3, 8, dtype=dtype)


OPS = [
    Op(
        "_unique2",
        lambda d: [Sample(repeated(d), (True, inverse, counts)) for inverse in (False, True) for counts in (False, True)],
        unique,
        REAL + BOOL,
        method=False,
        out=False,
        grad=False,
        meta=False,
    ),
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
    ),
    Op(
        "unique_consecutive",
        lambda d: [Sample(torch.tensor([1, 1, 2, 0, 0, 1]).to(d), (True, True))],
        unique_consecutive,
        REAL + BOOL,
        out=False,
        grad=False,
        call=torch._C._VariableFunctions.unique_consecutive,
        method=False,
        meta=False,
    ),
    internal(
        "unique_dim_consecutive",
        lambda d: [Sample(torch.tensor([[1, 2], [1, 2], [0, 1], [1, 2]]).to(d), (0, True, True))],
        lambda x, dim, *a: [x[[0, 2, 3]], np.array([0, 0, 1, 2]), np.array([2, 1, 1])],
        REAL + BOOL,
        grad=False,
        meta=False,
    ),
    internal("_unique", lambda d: [Sample(repeated(d), (True, inverse)) for inverse in (False, True)], lambda x, s, i: unique(x, s, i, False)[:2], REAL + BOOL, grad=False, meta=False),
]  # fmt: skip
