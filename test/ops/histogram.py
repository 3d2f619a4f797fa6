"""Histograms."""

import numpy as np

import torch
from ops.common import REDUCED, VALUES, Op, Sample, internal, rand

EDGES = (-3.0, -1.0, 0.5, 3.0)


def histogram_samples(dtype):
    x, weight = rand(40, dtype=dtype), rand(40, dtype=dtype, low=0.1, seed=1)
    for density in (False, True):
        yield Sample(x, (7,), {"density": density})
        yield Sample(x, (4,), {"range": (-1.0, 2.0), "weight": weight, "density": density})
        yield Sample(x, (torch.tensor(EDGES, dtype=dtype),), {"density": density, "weight": weight})
    yield Sample(x.view(5, 8), ())
    yield Sample(x[:0], (3,))
    yield Sample(x * 0 + 2, (3,))
    yield Sample(torch.tensor([0.0, 1.0, 2.0, 2.0, 3.0, float("nan")], dtype=dtype), (2,), {"range": (0.0, 2.0)})


def histogram(x, bins=100, range=None, weight=None, density=False):
    low, high = range or ((x.min(), x.max()) if x.size else (0, 1))
    if not isinstance(bins, np.ndarray):
        bins = np.linspace(low, high, bins + 1) if high > low else np.linspace(low - 0.5, high + 0.5, bins + 1)
    found, edges = np.histogram(x.ravel(), bins=bins.astype(x.dtype), weights=weight, density=density)
    return [found.astype(x.dtype), edges.astype(x.dtype)]


def grids(dtype):
    x, weight = rand(60, 2, dtype=dtype), rand(60, dtype=dtype, low=0.1, seed=1)
    edges = [torch.tensor(EDGES, dtype=dtype), torch.tensor(EDGES[1:], dtype=dtype)]
    for density in (False, True):
        yield Sample(x, ([3, 4],), {"density": density})
        yield Sample(x, (3,), {"range": (-1.0, 2.0, -2.0, 1.0), "weight": weight, "density": density})
        yield Sample(x, (edges,), {"weight": weight, "density": density})
    yield Sample(rand(4, 3, 3, dtype=dtype), (2,))


def histogramdd(x, bins, range=None, weight=None, density=False):
    points = x.reshape(-1, x.shape[-1])
    ends = list(zip(range[::2], range[1::2])) if range else None
    found, edges = np.histogramdd(
        points, bins=bins, range=ends, weights=None if weight is None else weight.ravel(), density=density
    )
    return [found.astype(x.dtype), *(e.astype(x.dtype) for e in edges)]


def flat(f):
    def call(*args, **kwargs):
        hist, edges = f(*args, **kwargs)
        return (hist, *edges)

    return call


def only(kind):
    return lambda dtype: [s for s in grids(dtype) if isinstance(s.args[0], list) and isinstance(s.args[0][0], kind)]


X, P = torch.ones(4), torch.ones(4, 2)
PLAIN = {"method": False, "out": False, "grad": False, "meta": False, "tolerance": 1e-4}

OPS = [
    Op("histogram", histogram_samples, histogram, grad=False, meta=False, tolerance=1e-4, noncontiguous=False, errors=(
        (lambda: torch.histogram(X, 0), RuntimeError, "bins must be > 0"), (lambda: torch.histogram(X, 2, range=(1.0, 0.0)), RuntimeError, "min should not exceed max"),
        (lambda: torch.histogram(X * float("nan"), 2), RuntimeError, "is not finite", VALUES), (lambda: torch.histogram(X, X[None]), RuntimeError, "one dimension"),
        (lambda: torch.histogram(X, X[:1]), RuntimeError, "bins must be > 0"), (lambda: torch.histogram(X, X.double()), RuntimeError, "same dtype"),
        (lambda: torch.histogram(X, 2, weight=X[:1]), RuntimeError, "shape of the input"), (lambda: torch.histogram(X, 2, weight=X.double()), RuntimeError, "same dtype"),
        (lambda: torch.histogram(X.half(), 2), NotImplementedError, "not implemented for 'Half'"), (lambda: torch.histogram(X, 2, range=(1.0,)), RuntimeError, "2 elements"))),
    Op("histogramdd", grids, histogramdd, call=flat(torch.histogramdd), noncontiguous=False, **PLAIN, errors=(
        (lambda: torch.histogramdd(X, 2), RuntimeError, "at least 2 dimensions"), (lambda: torch.histogramdd(P, [2]), RuntimeError, "size of bins"),
        (lambda: torch.histogramdd(P, [2, 2], range=(0.0, 1.0)), RuntimeError, "4 elements"), (lambda: torch.histogramdd(P, [2, 2], weight=P), RuntimeError, "shape of the input"))),
    internal("_histogramdd_bin_edges", only(int), lambda *a, **k: histogramdd(*a, **k)[1:], grad=False, meta=False, tolerance=1e-4),
    internal("_histogramdd_from_bin_cts", only(int), lambda *a, **k: histogramdd(*a, **k)[0], grad=False, meta=False, tolerance=1e-4),
    internal("_histogramdd_from_bin_tensors", only(torch.Tensor), lambda *a, **k: histogramdd(*a, **k)[0], takes=REDUCED, grad=False, meta=False, noncontiguous=False, tolerance=1e-4),
]  # fmt: skip
