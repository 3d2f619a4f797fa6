"""Tensors cut, repeated, turned, and put on diagonals."""

import numpy as np

import torch
from ops.common import ALL, INTS, NUMBERS, Op, Sample, rand

LIB = torch.ops.aten
ONES = torch.ones(2, 3)


# --- cutting ---------------------------------------------------------------------------------------------


def pieces(name, ref, *cases, **kwargs):
    """cases: (shape, arguments...)."""
    kwargs = {"view": True, "out": False, **kwargs}
    return Op(name, lambda d: [Sample(rand(*s, dtype=d), tuple(a)) for s, *a in cases], ref, ALL, **kwargs)


def split(x, size, dim=0):
    edges = np.cumsum(size)[:-1] if isinstance(size, (tuple, list)) else range(size, x.shape[dim], size)
    return np.split(x, edges, dim)


def chunk(x, n, dim=0):
    return split(x, -(-x.shape[dim] // n), dim)


def whole(x):
    return x.tolist() if isinstance(x, np.ndarray) else x


def tensor_split(x, where, dim=0):
    return np.array_split(x, whole(where), dim)


def unbind(x, dim=0):
    return [np.take(x, i, dim) for i in range(x.shape[dim])]


SIZES = ((7,), 3), ((4, 6), 2, 1), ((4, 6), 5, -1), ((3, 2), 9)
LISTS = ((7,), [3, 4]), ((4, 6), [1, 0, 5], 1)
CHUNKS = ((7,), 3), ((4, 6), 4, -1), ((2,), 5), ((3, 4), 1)
SPLIT = [(lambda: torch.split(ONES, 0), RuntimeError, "split_size"),
         (lambda: torch.split(ONES, [1, 2]), RuntimeError, "sum exactly|sum to exactly"),
         (lambda: torch.split(ONES, -1), RuntimeError, "non-negative"),
         (lambda: torch.chunk(ONES, 0), RuntimeError, "greater than 0"),
         (lambda: torch.chunk(torch.tensor(1.0), 2), RuntimeError, "at least a 1-dimensional"),
         (lambda: torch.unbind(torch.tensor(1.0)), IndexError, "dim"), (lambda: torch.unbind(ONES, True), TypeError, "int"),
         (lambda: torch.rot90(ONES, 1, (0, 100)), IndexError, "out of range")]  # fmt: skip

CUTTING = [
    pieces("split", split, *SIZES, *LISTS, errors=SPLIT),
    pieces("split_with_sizes", split, *LISTS, errors=[(lambda: torch.split_with_sizes(ONES, [-1, 3]), RuntimeError, "negative")]),
    pieces("chunk", chunk, *CHUNKS),
    pieces("unsafe_split", split, *SIZES, view=False),
    pieces("unsafe_split_with_sizes", split, *LISTS, view=False),
    pieces("unsafe_chunk", chunk, *CHUNKS, view=False),
    pieces(
        "tensor_split",
        tensor_split,
        ((7,), 3),
        ((7,), [2, 5]),
        ((2, 6), 4, 1),
        ((5,), [4, 2]),
        ((2, 6), (1, 3), -1),
        errors=[(lambda: torch.tensor_split(ONES, 0), RuntimeError, "larger than 0")],
    ),  # fmt: skip
    pieces("tensor_split", tensor_split, ((7,), torch.tensor(3)), ((7,), torch.tensor([2, 5])), meta=False, noncontiguous=False),
    pieces(
        "hsplit",
        np.hsplit,
        ((6,), 3),
        ((2, 6), 2),
        ((2, 6), [1, 4]),
        errors=[(lambda: torch.hsplit(ONES, 2), RuntimeError, "divi")],
    ),
    pieces(
        "vsplit",
        np.vsplit,
        ((6, 2), 3),
        ((6, 2), [1, 4]),
        errors=[(lambda: torch.vsplit(torch.ones(4), 2), RuntimeError, "2 or more|2 dim")],
    ),
    pieces(
        "dsplit",
        np.dsplit,
        ((1, 2, 6), 3),
        ((1, 2, 6), [1, 4]),
        errors=[(lambda: torch.dsplit(ONES, 1), RuntimeError, "3 or more|3 dim")],
    ),
    pieces("unbind", unbind, ((3,),), ((2, 3), 1), ((2, 3, 2), -1), ((0, 3),)),
]


# --- repeating and turning -------------------------------------------------------------------------------


def moved(name, ref, *cases, **kwargs):
    kwargs = {"out": False, **kwargs}
    return Op(name, lambda d: [Sample(rand(*s, dtype=d), tuple(a)) for s, *a in cases], ref, ALL, **kwargs)


def repeat(x, *sizes):
    sizes = sizes[0] if isinstance(sizes[0], (tuple, list)) else sizes
    return np.tile(x, sizes)


def interleaved(dtype):
    x = rand(2, 3, dtype=dtype)
    counts = torch.tensor([2, 0, 1])
    return [Sample(x, (2,)), Sample(x, (3, 1)), Sample(x, (counts, 1)), Sample(x, (torch.tensor([2]), 0)), Sample(rand(3, dtype=dtype), (counts.int(),)),
            Sample(x, (counts, 1), {"output_size": 3}), Sample(rand(dtype=dtype), (2,)), Sample(rand(0, dtype=dtype), (2,))]  # fmt: skip


def roll(x, shifts, dims=None):
    return np.roll(x, shifts, dims)


TURNED = ((3,), (0,)), ((2, 3), (0, 1)), ((2, 3, 2), (-1,)), ((0, 2), (0,)), ((2, 3), ())
MOVING = [
    moved(
        "repeat",
        repeat,
        ((3,), 2),
        ((2, 3), (2, 1, 2)),
        ((), (2, 2)),
        ((2, 3), (0, 1)),
        call=lambda x, *a: x.repeat(*a),
        errors=[(lambda: ONES.repeat(2), RuntimeError, "number of dimensions|dimensions of repeat")],
    ),  # fmt: skip
    moved("tile", np.tile, ((3,), (2,)), ((2, 3), (2,)), ((2, 3), (2, 1, 2)), ((), (2,)), ((2, 3), ())),
    Op(
        "repeat_interleave",
        interleaved,
        lambda x, n, dim=None, output_size=None: np.repeat(x, n, dim),
        ALL,
        out=False,
        meta=False,
        errors=[
            (lambda: torch.repeat_interleave(ONES, torch.tensor([1, 2]), 1), RuntimeError, "same size"),
            (lambda: torch.repeat_interleave(torch.tensor([-1])), RuntimeError, "negative"),
            (lambda: torch.repeat_interleave(ONES, torch.tensor([1.0, 2.0]), 0), NotImplementedError, "not implemented"),
        ],
    ),  # fmt: skip
    Op(
        "repeat_interleave",
        lambda d: [Sample(torch.tensor([2, 0, 1]).to(d))],
        lambda n: np.repeat(np.arange(len(n)), n),
        INTS[3:],
        method=False,
        out=False,
        meta=False,
    ),
    moved(
        "roll",
        roll,
        ((5,), 2),
        ((2, 3), -1, 1),
        ((2, 3), (1, 2), (0, 1)),
        ((2, 3), 4),
        ((0, 2), 1, 0),
        errors=[(lambda: torch.roll(ONES, (1, 2), 0), RuntimeError, "align|same number")],
    ),  # fmt: skip
    moved("flip", np.flip, *TURNED, errors=[(lambda: torch.flip(ONES, (0, 0)), RuntimeError, "multiple times")]),
    moved("fliplr", np.fliplr, ((2, 3),), ((2, 3, 2),), errors=[(lambda: torch.fliplr(torch.ones(2)), RuntimeError, "2-d")]),
    moved("flipud", np.flipud, ((3,),), ((2, 3),)),
    moved(
        "rot90",
        lambda x, k=1, dims=(0, 1): np.rot90(x, k, dims),
        ((2, 3),),
        ((2, 3), 2),
        ((2, 3), -1, (1, 0)),
        ((2, 3, 2), 3, (1, 2)),
        errors=[
            (lambda: torch.rot90(ONES, 1, (0, 0)), RuntimeError, "different"),
            (lambda: torch.rot90(torch.ones(2)), RuntimeError, "dim"),
        ],
    ),  # fmt: skip
]


# --- diagonals, and parts replaced -----------------------------------------------------------------------


def diag_embed(x, offset=0, dim1=-2, dim2=-1):
    n = x.shape[-1] + abs(offset)
    result = np.zeros((*x.shape[:-1], n, n), x.dtype)
    places = np.arange(x.shape[-1])
    result[..., places + max(-offset, 0), places + max(offset, 0)] = x
    return np.moveaxis(result, (-2, -1), (dim1, dim2))


def replaced(take):
    def ref(x, src, *args):
        x = x.copy()
        part = take(x, *args)
        part.flags.writeable = True
        part[...] = src
        return x

    return ref


def scattered(name, take, *cases):
    """cases: (shape, shape of the part, arguments...)."""
    samples = lambda d: [Sample(rand(*s, dtype=d), (rand(*p, dtype=d, seed=1), *a)) for s, p, *a in cases]  # noqa: E731
    return Op(name, samples, replaced(take), ALL, out=False,
              errors=[(lambda: getattr(torch, name)(ONES, torch.ones(5), 0, 0), RuntimeError, "size|shape")])  # fmt: skip


def cut(x, dim=0, start=None, end=None, step=1):
    return x[(slice(None),) * dim + (slice(start, end, step),)]


def triangle(name, ref):
    cases = ((3, 4), (3, 4, -1), (2, 5, 2), (0, 2), (4, 2, 9))
    return Op(name, lambda d: [Sample(a[0], a[1:], {"dtype": d}) for a in cases], lambda n, m, k=0, dtype=None: np.stack(ref(n, k, m)), INTS[3:],
              method=False, out=False, grad=False, meta=False, noncontiguous=False,
              errors=[(lambda: getattr(torch, name)(-1, 2), RuntimeError, "non-negative")])  # fmt: skip


DIAGONALS = [
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
    ),  # fmt: skip
    moved("diagflat", np.diagflat, ((3,),), ((2, 2), -1), ((),)),
    moved("diag_embed", diag_embed, ((3,),), ((2, 3), 1), ((2, 3), -1, 0, 2), ((2, 0),)),
    moved("diagonal_copy", np.diagonal, ((2, 3),), ((3, 3), 1), ((2, 3, 4), 0, 1, 2), method=False),
    Op(
        "trace",
        lambda d: [Sample(rand(*s, dtype=d)) for s in ((3, 3), (2, 4), (0, 2))],
        np.trace,
        NUMBERS,
        out=False,
        errors=[(lambda: torch.trace(torch.ones(2)), RuntimeError, "matrix")],
    ),  # fmt: skip
    scattered("select_scatter", lambda x, d, i: x[(slice(None),) * d + (i,)], ((3, 4), (3,), 1, 2), ((3, 4), (4,), 0, -1)),
    scattered("slice_scatter", cut, ((3, 4), (3, 2), 1, 0, 4, 2), ((3, 4), (1, 4), 0, 2), ((5,), (5,))),
    scattered("diagonal_scatter", np.diagonal, ((3, 4), (3,)), ((3, 4), (3,), 1), ((2, 3, 4), (2, 3), 0, 1, 2)),
    triangle("tril_indices", np.tril_indices),
    triangle("triu_indices", np.triu_indices),
]


OPS = [*CUTTING, *MOVING, *DIAGONALS]
