"""Tensors repeated."""

import numpy as np

import torch
from ops.common import ALL, INTS, ONES, Op, Sample, rand
from ops.shared.views import moved


def repeat(x, *sizes):
    sizes = sizes[0] if isinstance(sizes[0], (tuple, list)) else sizes
    return np.tile(x, sizes)


def interleaved(dtype):
    x = rand(2, 3, dtype=dtype)
    counts = torch.tensor([2, 0, 1])
    return [Sample(x, (2,)), Sample(x, (3, 1)), Sample(x, (counts, 1)), Sample(x, (torch.tensor([2]), 0)), Sample(rand(3, dtype=dtype), (counts.int(),)),
            Sample(x, (counts, 1), {"output_size": 3}), Sample(rand(dtype=dtype), (2,)), Sample(rand(0, dtype=dtype), (2,))]  # fmt: skip


OPS = [
    moved(
        "repeat",
        repeat,
        ((3,), 2),
        ((2, 3), (2, 1, 2)),
        ((), (2, 2)),
        ((2, 3), (0, 1)),
        call=lambda x, *a: x.repeat(*a),
        errors=[(lambda: ONES.repeat(2), RuntimeError, "number of dimensions|dimensions of repeat")],
    ),
    moved("tile", np.tile, ((3,), (2,)), ((2, 3), (2,)), ((2, 3), (2, 1, 2)), ((), (2,)), ((2, 3), ())),
    Op(
        "repeat_interleave",
        interleaved,
        lambda x, n, dim=None, output_size=None: np.repeat(x, n, dim),
        ALL,
        out=False,
        errors=[
            (lambda: torch.repeat_interleave(ONES, torch.tensor([1, 2]), 1), RuntimeError, "same size"),
            (lambda: torch.repeat_interleave(torch.tensor([-1])), RuntimeError, "negative"),
            (lambda: torch.repeat_interleave(ONES, torch.tensor([1.0, 2.0]), 0), NotImplementedError, "not implemented"),
        ],
        meta=False,
    ),
    Op(
        "repeat_interleave",
        lambda d: [Sample(torch.tensor([2, 0, 1]).to(d))],
        lambda n: np.repeat(np.arange(len(n)), n),
        INTS[3:],
        method=False,
        out=False,
        meta=False,
    ),
]
