"""Reductions, running sums, softmax."""

import numpy as np
import scipy.special as sp

import torch
from ops.common import ALL, BOOL, COMPLEX, FLOATS, REAL, REDUCED, Op, Sample, axis_aware, rand, reduction

ALL_FLOATS = FLOATS + REDUCED


def reduce(name, f, dtypes, samples=None, **kwargs):
    return Op(name, samples or reduction(), axis_aware(f), dtypes, **kwargs)


def one_dim(low=-3.0, high=3.0, full=True):
    """Everything, or one dimension at a time."""

    def samples(dtype):
        found = []
        for shape in ((5,), (3, 4), (2, 3, 4), (70, 3)):
            x = rand(*shape, dtype=dtype, low=low, high=high)
            found += [Sample(x)] * full + [Sample(x, (0,)), Sample(x, (-1,), {"keepdim": True})]
        return found

    return samples


def truth(f):
    """Of bytes the answer is a byte."""
    return lambda x, **kwargs: np.asarray(f(x, **kwargs)).astype(np.uint8 if x.dtype == np.uint8 else bool)


def integers_wide(f):
    """Sums of integers are of 64 bits."""
    return lambda x, **kwargs: f(x.astype(np.int64) if x.dtype.kind in "bui" else x, **kwargs)


def distinct(dtype):
    """Numbers of which no two are alike, for what picks one of them."""
    x = torch.from_numpy(np.random.RandomState(3).permutation(24).reshape(2, 3, 4)).to(dtype)
    return [Sample(x), Sample(x, (1,)), Sample(x, (-1,), {"keepdim": True})]


def with_place(values, places):
    """torch.max(x, dim): values and indices; torch.max(x): the value alone."""

    def ref(x, dim=None, keepdim=False):
        if dim is None:
            return values(x)
        take = (lambda a: np.expand_dims(a, dim)) if keepdim else (lambda a: a)
        return [take(values(x, axis=dim)), take(places(x, axis=dim))]

    return ref


def moment_samples(dtype):
    x = rand(6, 5, dtype=dtype)
    return [
        Sample(x),
        Sample(x, (0,)),
        Sample(x, (1,), {"keepdim": True}),
        Sample(x, (0,), {"correction": 0}),
        Sample(x, ((0, 1),), {"correction": 2}),
    ]


def moment(f):
    def ref(x, dim=None, keepdim=False, correction=1):
        axis = tuple(dim) if isinstance(dim, tuple) else dim
        return f(x, axis=axis, keepdims=keepdim, ddof=correction)

    return ref


def with_mean(f):
    def ref(x, dim=None, keepdim=False, correction=1):
        axis = tuple(dim) if isinstance(dim, tuple) else dim
        return [f(x, axis=axis, keepdims=keepdim, ddof=correction), x.mean(axis=axis, keepdims=keepdim)]

    return ref


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


def scans(low=-3.0, high=3.0):
    def samples(dtype):
        long = 60 if dtype.is_complex else 1500
        shapes = (((), 0), ((5,), 0), ((3, 4), 0), ((3, 4), 1), ((2, 3, 4), -2), ((2, 0), 1), ((2, long), 1))
        return [Sample(rand(*s, dtype=dtype, low=low, high=high), (d,)) for s, d in shapes]

    return samples


def lines(f):
    """What runs along a dimension: 0-d tensors have one, too."""

    def ref(x, dim):
        found = f(np.atleast_1d(x), dim)
        return found if x.ndim else [r[0] for r in found] if isinstance(found, list) else found[0]

    return ref


def scan(f):
    return lines(lambda x, dim: f(x.astype(np.int64) if x.dtype.kind in "bui" else x, axis=dim))


def running(pick):
    """Values and places of a running extreme; of equal ones the latest."""

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


def softmax_samples(dtype):
    return [Sample(rand(*s, dtype=dtype), (d,)) for s, d in (((5,), 0), ((3, 4), 0), ((3, 4), 1), ((2, 3, 4), 1), ((2, 70), -1))]


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


EMPTY = [(lambda: torch.argmax(torch.zeros(0)), IndexError, "reduction dim to be specified"),
         (lambda: torch.max(torch.zeros(0)), RuntimeError, "numel\\(\\) == 0"),
         (lambda: torch.zeros(2, 0).max(1), IndexError, "non-zero size"),
         (lambda: torch.zeros(2).sum((0, 0)), RuntimeError, "appears multiple times"),
         (lambda: torch.zeros(2).sum(1), IndexError, "out of range")]  # fmt: skip

OPS = [
    reduce("sum", integers_wide(np.sum), ALL, reduction(empty=True), out=False, errors=EMPTY),
    reduce("sum", integers_wide(np.sum), FLOATS, samples=reduction(full=False)),
    reduce("nansum", integers_wide(np.nansum), REAL + BOOL, reduction(empty=True)),
    reduce(
        "mean",
        np.mean,
        ALL_FLOATS + COMPLEX,
        reduction(empty=True),
        errors=[(lambda: torch.mean(torch.tensor([1])), RuntimeError, "floating point or complex")],
    ),
    reduce("nanmean", np.nanmean, ALL_FLOATS),
    reduce("prod", integers_wide(np.prod), ALL, one_dim(0.5, 1.5), out=False, tolerance=1e-4),
    reduce("prod", integers_wide(np.prod), FLOATS, one_dim(0.5, 1.5, full=False), tolerance=1e-4),
    reduce("amax", np.max, REAL + BOOL, gradgrad=False),
    reduce("amin", np.min, REAL + BOOL, gradgrad=False),
    Op(
        "aminmax",
        lambda d: [Sample(s.input, (), {"dim": s.args[0], **s.kwargs} if s.args else {}) for s in distinct(d)],
        lambda x, **k: [axis_aware(np.min)(x, **k), axis_aware(np.max)(x, **k)],
        REAL + BOOL,
        gradgrad=False,
        out=False,
    ),  # fmt: skip
    Op(
        "max",
        distinct,
        with_place(np.max, np.argmax),
        REAL + BOOL,
        gradgrad=False,
        covers=("value_selecting_reduction_backward",),
        out=False,
    ),
    Op("min", distinct, with_place(np.min, np.argmin), REAL + BOOL, gradgrad=False, out=False),
    Op("argmax", distinct, axis_aware(np.argmax), REAL, grad=False),
    Op("argmin", distinct, axis_aware(np.argmin), REAL, grad=False),
    reduce("all", truth(np.all), ALL, reduction(empty=True), grad=False),
    reduce("any", truth(np.any), ALL, reduction(empty=True), grad=False),
    Op(
        "count_nonzero",
        lambda d: [Sample(rand(3, 4, dtype=d)), Sample(rand(3, 4, dtype=d), (0,)), Sample(rand(3, 4, dtype=d), ((0, 1),))],
        lambda x, dim=None: np.count_nonzero(x, dim),
        ALL,
        grad=False,
        out=False,
    ),  # fmt: skip
    Op(
        "logsumexp",
        lambda d: [Sample(s.input, s.args or (tuple(range(s.input.dim())),), s.kwargs) for s in one_dim()(d)],
        axis_aware(lambda x, **k: sp.logsumexp(x * 1.0 if x.dtype == bool else x, **k)),
        ALL,
        covers=("special_logsumexp",),
    ),  # fmt: skip
    Op("var", moment_samples, moment(np.var), ALL_FLOATS + COMPLEX, tolerance=1e-4, out=False),
    Op("std", moment_samples, moment(np.std), ALL_FLOATS + COMPLEX, tolerance=1e-4, out=False),
    Op("var_mean", moment_samples, with_mean(np.var), ALL_FLOATS + COMPLEX, tolerance=1e-4, method=False, out=False),
    Op("std_mean", moment_samples, with_mean(np.std), ALL_FLOATS + COMPLEX, tolerance=1e-4, method=False, out=False),
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
        covers=("frobenius_norm",),
        gradgrad=False,
    ),  # fmt: skip
    Op(
        "dist",
        lambda d: [Sample(rand(3, 4, dtype=d), (rand(4, dtype=d, seed=1), p)) for p in (2, 1, 3)],
        lambda x, y, p: vector_norm(x - y, p),
        ALL_FLOATS + COMPLEX,
        gradgrad=False,
        out=False,
    ),  # fmt: skip
    Op("cumsum", scans(), scan(np.cumsum), ALL, inplace=True, tolerance=1e-4),
    Op("cumprod", scans(0.9, 1.1), scan(np.cumprod), ALL, inplace=True, tolerance=1e-3),
    Op("cummax", scans(), running(np.greater_equal), REAL + BOOL, gradgrad=False),
    Op("cummin", scans(), running(np.less_equal), REAL + BOOL, gradgrad=False),
    Op("logcumsumexp", scans(), lines(logcumsumexp), ALL_FLOATS + COMPLEX, tolerance=1e-4),
    Op("softmax", softmax_samples, sp.softmax, ALL_FLOATS, covers=("_softmax", "_softmax_backward_data", "special_softmax")),
    Op(
        "log_softmax",
        softmax_samples,
        sp.log_softmax,
        ALL_FLOATS,
        covers=("_log_softmax", "_log_softmax_backward_data", "special_log_softmax"),
    ),
    Op("diff", diff_samples, diff, ALL),
]
