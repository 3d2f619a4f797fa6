"""Norms and distances."""

import numpy as np

import torch
from ops.common import ALL_FLOATS, COMPLEX, FLOATS, Op, Sample, internal, rand


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


def renorm_samples(dtype):
    return [
        Sample(rand(*s, dtype=dtype), (p, d, 2.5)) for s in ((3, 4), (2, 3, 4)) for p in (1, 2, float("inf")) for d in (0, -1)
    ]


def except_dim(v, order, dim):
    axes = tuple(d for d in range(v.ndim) if d != dim or dim == -1)
    return (np.abs(v) ** order).sum(axes, keepdims=dim != -1) ** (1 / order)


def renorm(x, p, dim, maxnorm):
    dim %= x.ndim
    axes = tuple(d for d in range(x.ndim) if d != dim)
    norms = np.abs(x).max(axes, keepdims=True) if p == float("inf") else except_dim(x, p, dim)
    return (x * np.where(norms > maxnorm, maxnorm / (norms + 1e-7), 1)).astype(x.dtype)


def weights(dtype):
    v = rand(3, 2, 4, dtype=dtype)
    return [Sample(v, (rand(3, 1, 1, dtype=dtype, seed=1), 0)), Sample(v, (rand(1, 1, 4, dtype=dtype, seed=1), 2))]


def weight_norm(v, g, dim=0):
    return (v * g / except_dim(v, 2, dim)).astype(v.dtype)


def weight_gradients(dtype):
    return [Sample(rand(3, 2, 4, dtype=dtype, seed=2), (s.input, s.args[0], s.args[0], s.args[1])) for s in weights(dtype)]


def weight_gradient(dw, v, g, norms, dim):
    norms, axes = except_dim(v, 2, dim), tuple(d for d in range(v.ndim) if d != dim)
    product = (dw * v).sum(axes, keepdims=True)
    return [g / norms * (dw - v * product / norms**2), product / norms]


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
    Op("renorm", renorm_samples, renorm, ALL_FLOATS + COMPLEX, inplace=True, errors=(
        (lambda: torch.renorm(torch.ones(3), 2, 0, 1), RuntimeError, "at least 2 dimensions"), (lambda: torch.renorm(torch.ones(3, 3), -1, 0, 1), RuntimeError, "non-positive-norm"),
        (lambda: torch.renorm(torch.ones(3, 3), 2, 0, -1), RuntimeError, "maxnorm to be >= 0"), (lambda: torch.renorm(torch.ones(3, 3), 2, 5, 1), IndexError, "Dimension out of range"),
        (lambda: torch.renorm(torch.ones(3, 3), 1j, 0, 1), RuntimeError, "real-valued"), (lambda: torch.renorm(torch.ones(3, 3).int(), 2, 0, 1), RuntimeError, "floating point or complex"))),
    Op("norm_except_dim", lambda dtype: [Sample(rand(2, 3, 4, dtype=dtype), (2, d)) for d in (-1, 0, 1, 2)], except_dim, ALL_FLOATS + COMPLEX, method=False, out=False, tolerance=1e-4,
       errors=((lambda: torch.norm_except_dim(torch.ones(2), 2, 3), IndexError, "from -1 to 0"),)),
    Op("_weight_norm", lambda dtype: [*weights(dtype), Sample(rand(2, 3, 4, dtype=dtype), (rand(1, 3, 1, dtype=dtype, seed=1), 1))], weight_norm, ALL_FLOATS, method=False, out=False, gradgrad=True,
       takes=COMPLEX),
    internal("_weight_norm_interface", weights, lambda v, g, d: [weight_norm(v, g, d), except_dim(v, 2, d)], ALL_FLOATS,
             errors=((lambda: torch._weight_norm_interface(torch.ones(2, 3, 4), torch.ones(1, 3, 1), 1), RuntimeError, "first or the last"),)),
    *(internal(name, weight_gradients, weight_gradient, FLOATS, takes=ALL_FLOATS[2:] + COMPLEX, grad=False, tolerance=1e-4)
      for name in ("_weight_norm_interface_backward", "_weight_norm_differentiable_backward")),
]  # fmt: skip
