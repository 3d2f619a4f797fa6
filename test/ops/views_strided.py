"""Views of parts of a tensor: select, slice, diagonals, windows."""

import numpy as np

import torch
from ops.common import ALL, LIB, ONES, Op, Sample, internal, rand, unary
from ops.shared.views import backward, placed, scattered, view, with_shape


def attribute(name, ref, *shapes, **kwargs):
    samples = lambda d: [Sample(rand(*s, dtype=d)) for s in shapes]  # noqa: E731
    kwargs = {"call": lambda x: getattr(x, name), **kwargs}
    return Op(name, samples, ref, ALL, method=False, out=False, **kwargs)


def conj(x):
    return x if x.dtype.kind == "b" else np.conj(x)


def strided(x, size, stride, offset=0):
    steps = [s * x.itemsize for s in stride]
    return np.lib.stride_tricks.as_strided(x.ravel()[offset:], size, steps)


def narrow(x, dim, start, length):
    return np.take(x, range(int(start), int(start) + length), dim)


def cut(x, dim=0, start=None, end=None, step=1):
    return x[(slice(None),) * (dim % x.ndim) + (slice(start, end, step),)]


def unfold(x, dim, size, step):
    if x.ndim == 0:
        return x[None][:size]
    windows = np.lib.stride_tricks.sliding_window_view(x, size, dim)
    return cut(windows, dim % x.ndim, None, None, step)


def unfold_backward(grad, sizes, dim, size, step):
    result = np.zeros(sizes, np.int64 if grad.dtype.kind in "iub" else grad.dtype)
    lines = np.moveaxis(result, dim, 0)
    for i, window in enumerate(np.moveaxis(grad, dim, 0)):
        lines[i * step : i * step + size] += np.moveaxis(window, -1, 0)
    return result.astype(grad.dtype)


DIMS = [
    (lambda: ONES.transpose(0, 2), IndexError, "out of range"),
    (lambda: torch.ones(2, 3, 4).t(), RuntimeError, "2"),
]

SWAPS = [((), 0, -1), ((4,), 0, 0), ((2, 3), 0, 1), ((2, 3, 4), -1, 0), ((2, 0, 3), 1, 2)]

PERMUTED = [((), ()), ((2, 3), (1, 0)), ((2, 3, 4), (2, 0, 1)), ((2, 0, 4), (-1, 0, 1))]

STRIDED = [
    ((12,), (3, 2), (4, 1)),
    ((3, 4), (2, 2), (1, 2), 1),
    ((12,), (3, 3), (1, 1), 2),
    ((5,), (), (), 3),
    ((5,), (0, 2), (1, 1)),
]


def strided_scatter(x, src, size, stride, offset):
    x = x.copy()
    for index in np.ndindex(*size):
        x.ravel()[offset + sum(i * s for i, s in zip(index, stride))] = src[index]
    return x


OPS = [
    Op("alias", unary(), np.copy, ALL, call=torch.ops.aten.alias, method=False, out=False, grad=False),
    scattered("select_scatter", lambda x, d, i: x[(slice(None),) * d + (i,)], ((3, 4), (3,), 1, 2), ((3, 4), (4,), 0, -1)),
    scattered("slice_scatter", cut, ((3, 4), (3, 2), 1, 0, 4, 2), ((3, 4), (1, 4), 0, 2), ((5,), (5,))),
    view("as_strided", strided, *STRIDED, noncontiguous=False, inplace=True,
         errors=[(lambda: torch.as_strided(ONES, (4, 4), (4, 1)), RuntimeError, "out of bounds"),
                 (lambda: torch.as_strided(ONES, (2,), (-1,)), RuntimeError, "[Nn]egative stride"),
                 (lambda: torch.as_strided(ONES, (2,), (1, 1)), RuntimeError, "mismatch")]),
    view("t", lambda x: x.T, ((),), ((3,),), ((2, 3),), ((0, 3),), inplace=True, errors=DIMS),
    view("transpose", np.swapaxes, *SWAPS[1:], inplace=True),
    view("swapaxes", np.swapaxes, *SWAPS[1:], inplace=True),
    view("swapdims", np.swapaxes, *SWAPS[1:], inplace=True),
    view("movedim", np.moveaxis, ((2, 3, 4), 0, 2), ((2, 3, 4), (0, 1), (1, 2)), ((4,), 0, -1),
         errors=[(lambda: torch.movedim(ONES, (0, 0), (0, 1)), RuntimeError, "repeated dim")]),
    view("moveaxis", np.moveaxis, ((2, 3, 4), 0, 2), ((2, 3, 4), (0, 1), (1, 2))),
    view("permute", np.transpose, *PERMUTED,
         errors=[(lambda: ONES.permute(0), RuntimeError, "does not match|number of dim"),
                 (lambda: ONES.permute(0, 0), RuntimeError, "[dD]uplicate|repeated")]),
    attribute("mT", lambda x: np.swapaxes(x, -1, -2), (2, 3), (2, 3, 4), (2, 0)),
    attribute("mH", lambda x: conj(np.swapaxes(x, -1, -2)), (2, 3), (2, 3, 4)),
    attribute("matrix_H", lambda x: conj(x.T), (2, 3), call=lambda x: x.H, errors=[(lambda: torch.ones(1, 2, 3).H, RuntimeError, "2-D tensors")]),
    attribute("numpy_T", np.transpose, (2, 3), (3, 2), call=lambda x: x.T),
    view("adjoint", lambda x: conj(np.swapaxes(x, -1, -2)), ((2, 3),), ((2, 3, 4),), view=False),
    view("select", lambda x, d, i: np.take(x, i, d), ((5,), 0, 3), ((3, 4), 1, -1), ((2, 3, 4), -2, 1),
         errors=[(lambda: ONES.select(0, 2), IndexError, "out of range"), (lambda: torch.tensor(1).select(0, 0), IndexError, "0-dim")]),
    view("narrow", narrow, ((5,), 0, 1, 3), ((3, 4), 1, 0, 2), ((3, 4), -2, 1, 2), ((3, 4), 0, 3, 0),
         errors=[(lambda: ONES.narrow(0, 1, 2), RuntimeError, "exceeds dimension size"), (lambda: ONES.narrow(0, 0, -1), RuntimeError, "non-negative")]),
    Op("narrow", lambda d: [Sample(rand(3, 4, dtype=d), (1, torch.tensor(1), 2))], narrow, out=False, meta=False),
    view("slice", cut, ((5,), 0, 1, 4), ((3, 4), 1, -3, None, 2), ((3, 4), 0, 2, 1), ((2, 7), 1, None, 100, 3), call=LIB.slice, method=False,
         errors=[(lambda: LIB.slice(ONES, 0, 0, 2, 0), RuntimeError, "must be positive|must be greater than zero")]),
    view("expand", lambda x, *s: np.broadcast_to(x, s[0] if isinstance(s[0], tuple) else s), ((3, 1), (3, 4)), ((4,), (2, 3, 4)), ((), 2, 2), ((1, 0), (3, 0)),
         only_method=True,
         errors=[(lambda: ONES.expand(4, 3), RuntimeError, "must match the existing size"), (lambda: ONES.expand(3), RuntimeError, "greater|fewer")]),
    with_shape("expand_as", ((3, 1), (3, 4)), ((), (2,))),
    view("broadcast_to", np.broadcast_to, ((3, 1), (3, 4)), ((4,), (2, 3, 4)), ((), (2,))),
    Op("broadcast_tensors", lambda d: [Sample([rand(3, 1, dtype=d), rand(4, dtype=d, seed=1), rand(dtype=d)])], lambda x: np.broadcast_arrays(*x), ALL,
       call=lambda x: torch.broadcast_tensors(*x), method=False, out=False),
    view("unfold", unfold, ((7,), 0, 3, 2), ((7,), 0, 3, 1), ((3, 6), 1, 2, 3), ((3, 6), 0, 3, 1), ((), 0, 1, 1), only_method=True,
         errors=[(lambda: torch.ones(3).unfold(0, 4, 1), RuntimeError, "maximum size"), (lambda: torch.ones(3).unfold(0, 2, 0), RuntimeError, "step")]),
    backward("select_backward", placed(lambda x, d, i: x[(slice(None),) * d + (i,)]), ((3,), (3, 4), 1, 2), ((4,), (3, 4), 0, -1)),
    backward("slice_backward", placed(cut), ((3, 2), (3, 4), 1, 0, 4, 2), ((1, 4), (3, 4), 0, 2, 3, 1)),
    backward("unfold_backward", unfold_backward, ((3, 3), (7,), 0, 3, 2), ((3, 2, 3), (3, 6), 1, 3, 3)),
    Op("as_strided_scatter", lambda dtype: [Sample(rand(3, 4, dtype=dtype), (rand(2, 2, dtype=dtype, seed=1), (2, 2), (5, 2), k)) for k in (0, 1)], strided_scatter, ALL, out=False, noncontiguous=False, errors=(
        (lambda: torch.as_strided_scatter(ONES, torch.ones(3), (2,), (1,)), RuntimeError, "size|shape"), (lambda: torch.as_strided_scatter(ONES, torch.ones(9), (9,), (1,)), RuntimeError, "out of bounds"))),
    Op("slice_inverse", lambda dtype: [Sample(rand(4, dtype=dtype))], np.copy, ALL, call=lambda x: x[1:3].slice_inverse(x, 0, 1, 3), view=True, method=False, out=False, noncontiguous=False, grad=False, errors=(
        (lambda: torch.slice_inverse(torch.ones(2), torch.ones(3)), RuntimeError, "out of bounds"),)),
    internal("_reshape_copy", lambda dtype: [Sample(rand(3, 4, dtype=dtype), (s,)) for s in ((4, 3), (2, -1))], np.reshape, ALL),
]  # fmt: skip
