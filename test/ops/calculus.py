"""Gradients and integrals of samples."""

import numpy as np

import torch
from ops.common import ALL_FLOATS, COMPLEX, INTS, Op, Sample, rand

FORMS = {"method": False, "out": False}
SIZES = ((5,), (3, 4), (4, 3, 5))


def listed(f):
    """NumPy returns one array or a list of them."""

    def ref(*args, **kwargs):
        found = f(*args, **kwargs)
        return list(found) if isinstance(found, (list, tuple)) else [found]

    return ref


def gradient_samples(dtype):
    for s in SIZES:
        x = rand(*s, dtype=dtype)
        yield from (
            Sample(x, (), k)
            for k in (
                {},
                {"edge_order": 2},
                {"spacing": 0.5},
                {"dim": -1},
                {"spacing": 2.0, "dim": (0,), "edge_order": 2},
                {"dim": [0]},
            )
        )
        steps = [0.5 + d for d in range(len(s))]
        where = [
            torch.tensor(np.cumsum(np.arange(1, n + 1) * 0.5), dtype=torch.float64).to(
                dtype if dtype.is_floating_point else torch.float32
            )
            for n in s
        ]
        dims = tuple(range(len(s)))
        yield from (
            Sample(x, (), {"spacing": p, "edge_order": e, **d})
            for p in (steps, where)
            for e in (1, 2)
            for d in ({}, {"dim": dims})
        )


@listed
def gradient(x, spacing=None, dim=None, edge_order=1):
    dims = tuple(range(x.ndim)) if dim is None else (dim,) if isinstance(dim, int) else tuple(dim)
    steps = [1.0] * len(dims) if spacing is None else [spacing] * len(dims) if np.isscalar(spacing) else spacing
    x = x.astype(np.float32) if x.dtype.kind in "iu" else x
    return [
        np.gradient(x, s.astype(np.float64) if isinstance(s, np.ndarray) else s, axis=d, edge_order=edge_order).astype(x.dtype)
        for d, s in zip(dims, steps)
    ]


def trapezoid_samples(dtype):
    for s in SIZES:
        for dim in (-1, 0):
            y = rand(*s, dtype=dtype)
            yield Sample(y, (), {"dim": dim})
            yield Sample(y, (), {"dx": 0.5, "dim": dim})
            yield Sample(y, (rand(s[dim], dtype=dtype, seed=1),), {"dim": dim})
            yield Sample(y, (rand(*s, dtype=dtype, seed=1),), {"dim": dim})
    yield Sample(rand(0, 2, dtype=dtype), (), {"dim": 0}) if dtype.is_floating_point else Sample(rand(2, 2, dtype=dtype))


def integrated(y, x=None, dx=1.0, dim=-1):
    y = y.astype(np.float32) if y.dtype.kind in "iu" else y
    step = dx if x is None else np.diff(x.astype(np.int64) if x.dtype.kind in "iu" else x, axis=dim if x.ndim > 1 else 0)
    if x is not None and x.ndim == 1:
        shape = [1] * y.ndim
        shape[dim] = -1
        step = step.reshape(shape)
    low, high = (np.take(y, range(a, max(y.shape[dim] - 1 + a, a)), dim) if y.shape[dim] else y for a in (0, 1))
    return ((low + high) * step / 2).astype(y.dtype)


def trapezoid(y, x=None, dx=1.0, dim=-1):
    return integrated(y, x, dx, dim).sum(dim).astype(np.float32 if y.dtype.kind in "iu" else y.dtype)


def cumulative(y, x=None, dx=1.0, dim=-1):
    return np.cumsum(integrated(y, x, dx, dim), dim).astype(np.float32 if y.dtype.kind in "iu" else y.dtype)


X = torch.ones(3, 4)


def trapezoid_errors(name):
    call = getattr(torch, name)
    return (
        (lambda: call(X, torch.ones(3)), RuntimeError, "one `x` value for each"),
        (lambda: call(torch.ones(())), IndexError, "no dimensions"),
        (lambda: call(X > 0), RuntimeError, "bool"),
        (lambda: call(X, dim=2), IndexError, "Dimension out of range"),
    )


OPS = [
    Op("gradient", gradient_samples, gradient, ALL_FLOATS + COMPLEX, takes=INTS[1:], **FORMS, tolerance=1e-4, errors=(
        (lambda: torch.gradient(X, edge_order=3), RuntimeError, "edge_order=1 and edge_order=2"), (lambda: torch.gradient(X[:1]), RuntimeError, "at least edge_order"),
        (lambda: torch.gradient(X, dim=(0, 0)), RuntimeError, "multiple times"), (lambda: torch.gradient(X, spacing=[1.0, 2.0], dim=0), RuntimeError, "length of dim"),
        (lambda: torch.gradient(X.byte()), RuntimeError, "uint8"), (lambda: torch.gradient(X, dim=5), IndexError, "Dimension out of range"),
        (lambda: torch.gradient(X, spacing=[torch.ones(2), torch.ones(4)]), RuntimeError, "vector of length 3"))),
    *(Op(name, trapezoid_samples, ref, ALL_FLOATS + COMPLEX, takes=INTS, **FORMS, errors=trapezoid_errors(name), tolerance=1e-4)
      for name, ref in (("trapezoid", trapezoid), ("trapz", trapezoid), ("cumulative_trapezoid", cumulative))),
]  # fmt: skip
