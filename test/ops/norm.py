"""Norms and distances."""

import numpy as np

import torch
from ops.common import ALL_FLOATS, COMPLEX, Op, Sample, internal, rand


def norm_samples(dtype):
    x = rand(4, 6, dtype=dtype, low=0.3, high=3)
    return [
        Sample(x, (p,), k)
        for p in (2, 1, 3, 0.5, float("inf"), -float("inf"))
        for k in ({}, {"dim": 0}, {"dim": (0, 1), "keepdim": True})
    ]


def vector_norm(x, ord=2, dim=None, keepdim=False):
    axis = tuple(range(x.ndim)) if dim is None else dim
    a = np.abs(x)
    if ord == np.inf:
        return a.max(axis, keepdims=keepdim)
    if ord == -np.inf:
        return a.min(axis, keepdims=keepdim)
    return (a**ord).sum(axis, keepdims=keepdim) ** (1 / ord)


OPS = [
    Op(
        "linalg_vector_norm",
        norm_samples,
        vector_norm,
        ALL_FLOATS + COMPLEX,
        call=torch._C._linalg.linalg_vector_norm,
        method=False,
        gradgrad=False,
        tolerance=1e-4,
    ),
    Op(
        "norm",
        lambda d: [Sample(rand(3, 4, dtype=d), (p, k)) for p in (2, 1, 3) for k in (0, (0, 1))],
        lambda x, p, dim: vector_norm(x, p, dim),
        ALL_FLOATS + COMPLEX,
        gradgrad=False,
    ),
    Op(
        "dist",
        lambda d: [Sample(rand(3, 4, dtype=d), (rand(4, dtype=d, seed=1), p)) for p in (2, 1, 3)],
        lambda x, y, p: vector_norm(x - y, p),
        ALL_FLOATS + COMPLEX,
        gradgrad=False,
        out=False,
    ),
    Op(
        "norm.all",
        lambda d: [Sample(rand(3, 4, dtype=d), a) for a in ((), (1,), (3,))],
        lambda x, p=2: vector_norm(x, p),
        ALL_FLOATS + COMPLEX,
        call=torch.ops.aten.norm,
        method=False,
        out=False,
        gradgrad=False,
    ),
    Op(
        "norm.dtype",
        lambda d: [Sample(rand(3, 4, dtype=d), a, {"dtype": torch.float64}) for a in ((2,), (1, [0], True))],
        lambda x, p, dim=None, keepdim=False, dtype=None: vector_norm(x.astype(np.float64), p, dim and tuple(dim), keepdim),
        (torch.float32,),
        takes=ALL_FLOATS,
        call=torch.ops.aten.norm,
        method=False,
        out=False,
    ),
    internal(
        "frobenius_norm",
        lambda d: [Sample(rand(3, 4, dtype=d), a) for a in ((0,), ([0, 1],), ([1], True))],
        lambda x, dim, keepdim=False: vector_norm(x, 2, tuple(dim) if isinstance(dim, list) else dim, keepdim),
        ALL_FLOATS + COMPLEX,
        gradgrad=False,
    ),
]
