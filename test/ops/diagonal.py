"""Diagonals and triangles."""

import numpy as np

import torch
from ops.common import ALL, INTS, NUMBERS, ONES, Op, Sample, rand
from ops.shared.views import backward, moved, placed, scattered, view


def triangles(dtype):
    return [Sample(rand(*s, dtype=dtype), (k,)) for s in ((3, 4), (2, 4, 3)) for k in (-1, 0, 2)]


def diag_embed(x, offset=0, dim1=-2, dim2=-1):
    n = x.shape[-1] + abs(offset)
    result = np.zeros((*x.shape[:-1], n, n), x.dtype)
    places = np.arange(x.shape[-1])
    result[..., places + max(-offset, 0), places + max(offset, 0)] = x
    return np.moveaxis(result, (-2, -1), (dim1, dim2))


def triangle(name, ref):
    cases = ((3, 4), (3, 4, -1), (2, 5, 2), (0, 2), (4, 2, 9))
    return Op(name, lambda d: [Sample(a[0], a[1:], {"dtype": d}) for a in cases], lambda n, m, k=0, dtype=None: np.stack(ref(n, k, m)), INTS[3:],
              method=False, out=False, grad=False, noncontiguous=False, factory=True,
              errors=[(lambda: getattr(torch, name)(-1, 2), RuntimeError, "non-negative")])  # fmt: skip


def diagonal(x, offset=0, dim1=0, dim2=1):
    return np.diagonal(x, offset, dim1, dim2)


def written_diagonal(x, *args):
    d = np.diagonal(x, *args)
    d.flags.writeable = True
    return d


def fill_samples(dtype):
    yield from (
        Sample(rand(*s, dtype=dtype), (1,), k) for s in ((3, 3), (2, 5), (9, 3), (8, 3), (0, 2)) for k in ({}, {"wrap": True})
    )
    yield Sample(rand(3, 3, 3, dtype=dtype), (1,))


def filled_diagonal(x, value, wrap=False):
    x = x.copy()
    if x.size:
        np.fill_diagonal(x, value, wrap)
    return x


OPS = [
    Op(
        "tril",
        triangles,
        np.tril,
        ALL,
        inplace=True,
        errors=[(lambda: torch.tril(torch.ones(3)), RuntimeError, "at least 2 dimensions")],
    ),
    Op("triu", triangles, np.triu, ALL, inplace=True),
    moved(
        "diag",
        np.diag,
        ((3,),),
        ((3,), 1),
        ((2, 3),),
        ((3, 2), -1),
        ((0,),),
        out=True,
        errors=[(lambda: torch.diag(torch.ones(1, 1, 1)), RuntimeError, "1D or 2D|1-D or 2-D|1- or 2-|1D, 2D")],
    ),
    moved("diagflat", np.diagflat, ((3,),), ((2, 2), -1), ((),)),
    moved("diag_embed", diag_embed, ((3,),), ((2, 3), 1), ((2, 3), -1, 0, 2), ((2, 0),)),
    Op(
        "trace",
        lambda d: [Sample(rand(*s, dtype=d)) for s in ((3, 3), (2, 4), (0, 2))],
        np.trace,
        NUMBERS,
        out=False,
        errors=[(lambda: torch.trace(torch.ones(2)), RuntimeError, "matrix")],
    ),
    scattered("diagonal_scatter", np.diagonal, ((3, 4), (3,)), ((3, 4), (3,), 1), ((2, 3, 4), (2, 3), 0, 1, 2)),
    triangle("tril_indices", np.tril_indices),
    triangle("triu_indices", np.triu_indices),
    view("diagonal", diagonal, ((3, 4),), ((3, 4), 1), ((3, 4), -2), ((2, 3, 4), 0, -1, 0), ((3, 0),),
         errors=[(lambda: ONES.diagonal(0, 0, 0), RuntimeError, "identical")]),
    Op("linalg_diagonal", lambda d: [Sample(rand(2, 3, 4, dtype=d), (), {"offset": k}) for k in (0, 1)], lambda x, offset: diagonal(x, offset, -2, -1), ALL,
       call=torch._C._linalg.linalg_diagonal, method=False, out=False, view=True),
    backward("diagonal_backward", placed(written_diagonal), ((3,), (3, 4), 0, 0, 1), ((2, 3), (2, 3, 4), 1, 1, 2)),
    Op("fill_diagonal_", fill_samples, filled_diagonal, ALL, call=lambda x, *a, **k: x.clone().fill_diagonal_(*a, **k), method=False, out=False, errors=(
        (lambda: torch.ones(3).fill_diagonal_(1), RuntimeError, "larger than 1"), (lambda: torch.ones(2, 3, 2).fill_diagonal_(1), RuntimeError, "equal length"))),
    Op("trace_backward", lambda dtype: [Sample(rand(dtype=dtype), (s,)) for s in ([3, 3], [2, 4], [4, 2])], lambda g, s: g * np.eye(*s, dtype=g.dtype), ALL, method=False, out=False,
       errors=((lambda: torch.trace_backward(torch.tensor(1.0), [2]), RuntimeError, "expected matrix"),)),
]  # fmt: skip
