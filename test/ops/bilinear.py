"""Products of two inputs with a weight between them."""

import numpy as np

import torch
from ops.common import COMPLEX, FLOATS, INTS, REDUCED, Op, Sample, rand


def bilinear(x, y, w, b=None):
    out = np.einsum("...i,oij,...j->...o", x, w, y)
    return out if b is None else out + b


def samples(dtype):
    for lead, i, j, o, bias in (
        ((2,), 2, 3, 1, True),
        ((), 2, 3, 2, False),
        ((2, 3), 4, 2, 3, True),
        ((0,), 2, 2, 2, True),
        ((5,), 1, 1, 1, False),
    ):
        most = 1 if dtype in REDUCED else 3  # products of three, summed in the type
        weight = rand(o, i, j, dtype=dtype, seed=2, low=-most, high=most)
        yield Sample(
            rand(*lead, i, dtype=dtype),
            (rand(*lead, j, dtype=dtype, seed=1), weight, rand(o, dtype=dtype, seed=3) if bias else None),
        )


X, W = torch.zeros(2, 4), torch.zeros(1, 4, 4)
OPS = [
    Op("bilinear", samples, bilinear, FLOATS + REDUCED + INTS + COMPLEX, method=False, out=False, tolerance=1e-4,
       errors=((lambda: torch.bilinear(X, X, W[:, :, :3]), RuntimeError, "input2 size does not match weight size"),
               (lambda: torch.bilinear(X, X, W[:, :3]), RuntimeError, "input1 size does not match weight size"),
               (lambda: torch.bilinear(X, X[:1], W), RuntimeError, "batch dimensions do not match"),
               (lambda: torch.bilinear(X, X[0], W), RuntimeError, "input dimensions do not match"),
               (lambda: torch.bilinear(X, X, W, torch.ones(2)), RuntimeError, "bias size does not match weight size"))),
]  # fmt: skip
