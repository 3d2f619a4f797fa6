"""Distances between all rows of matrices."""

import numpy as np

import torch
import torch.nn.functional as F
from ops.common import FLOATS, LIB, REDUCED, Op, Sample, internal, rand

ONES = torch.ones(2, 3)
ORDERS = (0.0, 1.0, 1.5, 2.0, 3.0, float("inf"))


def lengths(d, p):
    a = np.abs(d)
    if p == 0:
        return (a != 0).sum(-1).astype(d.dtype)
    if p == np.inf:
        return a.max(-1, initial=0)
    return (a**p).sum(-1) ** (1 / p)


def cdist(x, y, p=2.0, compute_mode=None):
    return lengths(x[..., :, None, :] - y[..., None, :, :], p)


def pairs_of_rows(dtype):
    for a, b in (
        ((3, 4), (2, 4)),
        ((2, 3, 2), (2, 1, 2)),
        ((2, 3, 2), (4, 2)),
        ((0, 2), (3, 2)),
        ((3, 0), (2, 0)),
        ((30, 20), (4, 20)),
    ):
        yield rand(*a, dtype=dtype), rand(*b, dtype=dtype, seed=1)


def cdist_samples(dtype):
    return [Sample(x, (y, p)) for x, y in pairs_of_rows(dtype) for p in ORDERS]


def forward_samples(dtype):
    return [Sample(x, (y, p, mode)) for x, y in pairs_of_rows(dtype) for p in ORDERS for mode in (None, 1, 2)]


def slopes(d, norm, p):
    """The derivatives of the norm of d."""
    a, sign, norm = np.abs(d), np.sign(d), norm[..., None]
    with np.errstate(all="ignore"):
        if p == 0:
            return np.zeros_like(d)
        if p == np.inf:
            return sign * (a == norm)
        return np.where((norm == 0) | (a == 0), 0, sign * (a / norm) ** (p - 1))


def cdist_backward(g, x, y, p, distances):
    return (g[..., None] * slopes(x[..., :, None, :] - y[..., None, :, :], distances, p)).sum(-2)


def cdist_backward_samples(dtype):
    for x, y in list(pairs_of_rows(dtype))[:2]:
        for p in ORDERS:
            distances = torch.from_numpy(cdist(x.numpy(), y.numpy(), p))
            yield Sample(rand(*distances.shape, dtype=dtype, seed=2), (x, y, p, distances))


def pdist(x, p=2.0):
    i, j = np.triu_indices(len(x), 1)
    return lengths(x[i] - x[j], p)


def pdist_samples(dtype):
    return [Sample(rand(*s, dtype=dtype), (p,)) for s in ((4, 3), (1, 2), (0, 2), (3, 0), (20, 20)) for p in ORDERS]


def pdist_backward(g, x, p, distances):
    i, j = np.triu_indices(len(x), 1)
    own = g[:, None] * slopes(x[i] - x[j], distances, p)
    result = np.zeros_like(x)
    np.add.at(result, i, own)
    np.subtract.at(result, j, own)
    return result


def pdist_backward_samples(dtype):
    for p in ORDERS:
        x = rand(5, 3, dtype=dtype)
        distances = torch.from_numpy(pdist(x.numpy(), p))
        yield Sample(rand(10, dtype=dtype, seed=2), (x, p, distances))


def with_smooth(samples):
    """Where second derivatives exist."""
    return lambda dtype: [s for s in samples(dtype) if s.args[-1] in (1.5, 2.0, 3.0) and s.input.numel()]


CDIST = [(lambda: torch.cdist(ONES, ONES[0]), RuntimeError, "at least 2D"), (lambda: torch.cdist(ONES, ONES.mT), RuntimeError, "number of columns"),
         (lambda: torch.cdist(ONES, ONES, -1), RuntimeError, "non-negative"), (lambda: torch.cdist(ONES, ONES, compute_mode="x"), ValueError, "compute_mode")]  # fmt: skip
PDIST = [(lambda: F.pdist(ONES[0]), RuntimeError, "2D"), (lambda: F.pdist(ONES, -1), RuntimeError, "non-negative")]

OPS = [
    Op("cdist", cdist_samples, cdist, FLOATS, method=False, out=False, gradgrad=False, tolerance=2e-3, errors=CDIST),
    Op("cdist.smooth", with_smooth(cdist_samples), cdist, FLOATS, call=torch.cdist, method=False, out=False, tolerance=2e-3),
    internal("_cdist_forward", forward_samples, cdist, gradgrad=False, tolerance=2e-3),
    internal("_cdist_backward", cdist_backward_samples, cdist_backward, grad=False, tolerance=1e-4),
    Op("_euclidean_dist", lambda d: [Sample(*p[:1], p[1:]) for p in list(pairs_of_rows(d))[:3]], cdist, FLOATS, takes=REDUCED, call=LIB._euclidean_dist, method=False, out=False, tolerance=2e-3),
    Op("pdist", pdist_samples, pdist, FLOATS, call=F.pdist, method=False, out=False, gradgrad=False, tolerance=1e-4, errors=PDIST),
    Op("pdist.smooth", with_smooth(pdist_samples), pdist, FLOATS, call=F.pdist, method=False, out=False, tolerance=1e-4),
    internal("_pdist_forward", pdist_samples, pdist, gradgrad=False, tolerance=1e-4),
    internal("_pdist_backward", pdist_backward_samples, pdist_backward, grad=False, tolerance=1e-4),
]  # fmt: skip
