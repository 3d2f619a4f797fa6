"""Tensors cut into pieces."""

import numpy as np

import torch
from ops.common import ALL, ONES, Op, Sample, rand


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

OPS = [
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
    ),
    pieces(
        "tensor_split",
        tensor_split,
        ((7,), torch.tensor(3)),
        ((7,), torch.tensor([2, 5])),
        noncontiguous=False,
        meta=False,
        host=True,
    ),
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
