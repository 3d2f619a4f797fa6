"""Running sums, products and extremes."""

import numpy as np

import torch
from ops.common import ALL, ALL_FLOATS, BOOL, COMPLEX, FLOATS, LIB, REAL, Op, Sample, internal, rand


def scans(low=-3.0, high=3.0):
    def samples(dtype):
        long = 60 if dtype.is_complex else 1500
        shapes = (((), 0), ((5,), 0), ((3, 4), 0), ((3, 4), 1), ((2, 3, 4), -2), ((2, 0), 1), ((2, long), 1))
        return [Sample(rand(*s, dtype=dtype, low=low, high=high), (d,)) for s, d in shapes]

    return samples


def lines(f):
    """Operators along a dimension; 0-d tensors have one too."""

    def ref(x, dim):
        found = f(np.atleast_1d(x), dim)
        return found if x.ndim else [r[0] for r in found] if isinstance(found, list) else found[0]

    return ref


def scan(f):
    return lines(lambda x, dim: f(x.astype(np.int64) if x.dtype.kind in "bui" else x, axis=dim))


def running(pick):
    """Values and indices of a running extreme; the latest of equal ones."""

    def ref(x, dim):
        lines = np.moveaxis(x, dim, 0)
        values, places = lines.copy(), np.zeros(lines.shape, np.int64)
        for i in range(1, len(lines)):
            newer = pick(lines[i], values[i - 1])
            values[i] = np.where(newer, lines[i], values[i - 1])
            places[i] = np.where(newer, i, places[i - 1])
        return [np.moveaxis(values, 0, dim), np.moveaxis(places, 0, dim)]

    return lines(ref)


def logcumsumexp(x, dim):
    if x.dtype.kind != "c":
        return np.logaddexp.accumulate(x, dim)
    lines = np.moveaxis(x.copy(), dim, 0)
    for i in range(1, len(lines)):  # the angle counts on from that of the larger term
        a, b = lines[i - 1], lines[i]
        first = a.real >= b.real
        lines[i] = np.where(first, a, b) + np.log1p(np.exp(np.where(first, b - a, a - b)))
    return np.moveaxis(lines, 0, dim)


def diff_samples(dtype):
    x = rand(4, 6, dtype=dtype)
    return [
        Sample(x),
        Sample(x, (2,)),
        Sample(x, (1, 0)),
        Sample(x, (1, -1), {"prepend": rand(4, 1, dtype=dtype)}),
        Sample(x, (0,)),
    ]


def diff(x, n=1, dim=-1, prepend=None):
    return np.diff(x, n, dim) if prepend is None else np.diff(x, n, dim, prepend=prepend)


def into(name):
    """The helpers write to tensors that they are given."""

    def call(x, dim):
        values, indices = torch.empty_like(x), torch.empty_like(x, dtype=torch.int64)
        getattr(LIB, f"_{name}_helper")(x, values, indices, dim)
        return values, indices

    return call


def spread(grad, x, indices, dim):
    """Each gradient goes to the element that the index names."""
    out = np.zeros_like(x)
    for row, column in np.ndindex(*grad.shape):
        out[row, indices[row, column]] += grad[row, column]
    return out


def cumprod_grad(grad, x, dim):
    """Each element, over the products that contain it."""
    products = np.flip(np.cumsum(np.flip(grad * np.cumprod(x, dim), dim), dim), dim)
    return products / x


OPS = [
    Op("cumsum", scans(), scan(np.cumsum), ALL, inplace=True, tolerance=1e-4),
    Op("cumprod", scans(0.9, 1.1), scan(np.cumprod), ALL, inplace=True, tolerance=1e-3),
    Op("cummax", scans(), running(np.greater_equal), REAL + BOOL, gradgrad=False, takes=COMPLEX),
    Op("cummin", scans(), running(np.less_equal), REAL + BOOL, gradgrad=False, takes=COMPLEX),
    Op("logcumsumexp", scans(), lines(logcumsumexp), ALL_FLOATS + COMPLEX, tolerance=1e-4, angle=True),
    Op("diff", diff_samples, diff, ALL),
    internal("_logcumsumexp", scans(), lines(logcumsumexp), ALL_FLOATS + COMPLEX, tolerance=1e-4, angle=True),
    *(internal(f"_{name}_helper", lambda dtype: [Sample(rand(3, 4, dtype=dtype), (d,)) for d in (0, -1)], lambda x, d, f=f: running(f)(x, d), REAL + BOOL, call=into(name), meta=False, grad=False)
      for name, f in (("cummax", np.greater_equal), ("cummin", np.less_equal))),
    internal("cummaxmin_backward", lambda dtype: [Sample(rand(3, 4, dtype=dtype), (rand(3, 4, dtype=dtype, seed=1), torch.tensor([[0, 0, 2, 2]]).expand(3, 4), 1))], spread, FLOATS, noncontiguous=False, takes=ALL),
    internal("cumprod_backward", lambda dtype: [Sample(rand(3, 4, dtype=dtype), (rand(3, 4, dtype=dtype, low=0.5, high=1.5, seed=1), d)) for d in (0, 1)], cumprod_grad, FLOATS,
             call=lambda g, x, d: LIB.cumprod_backward(g, x, d, torch.cumprod(x, d)), noncontiguous=False, meta=False, takes=ALL, tolerance=1e-4),
]  # fmt: skip
