"""Flipped, rotated and rolled tensors."""

import numpy as np

import torch
from ops.common import ONES
from ops.shared.views import moved


def roll(x, shifts, dims=None):
    return np.roll(x, shifts, dims)


FLIPPED = ((3,), (0,)), ((2, 3), (0, 1)), ((2, 3, 2), (-1,)), ((0, 2), (0,)), ((2, 3), ())

OPS = [
    moved(
        "roll",
        roll,
        ((5,), 2),
        ((2, 3), -1, 1),
        ((2, 3), (1, 2), (0, 1)),
        ((3, 2, 4), (1, 1, -1), (0, 2, 0)),
        ((3, 2, 4), (2, -1), (-1, 0)),
        ((2,) * 9, (1,) * 9, tuple(range(9))),
        ((2, 3), 4),
        ((0, 2), 1, 0),
        errors=[(lambda: torch.roll(ONES, (1, 2), 0), RuntimeError, "align|same number")],
    ),
    moved("flip", np.flip, *FLIPPED, errors=[(lambda: torch.flip(ONES, (0, 0)), RuntimeError, "multiple times")]),
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
    ),
]
