"""Tensors filled with a number."""

import numpy as np

import torch
from ops.common import ALL, Op, Sample, unary


def inplace(name, ref, make=None):
    """A method that changes its tensor; the test calls it on a copy."""
    return Op(
        name, make or unary(), ref, ALL, call=lambda x, *a: getattr(x.clone(), name)(*a), method=False, out=False, grad=False
    )


def filled(dtype):
    for s in unary()(dtype):
        yield Sample(s.input, (3,))
        yield Sample(s.input, (torch.tensor(3, dtype=dtype),))


OPS = [
    inplace("fill_", lambda x, value: np.full_like(x, value), filled),
    inplace("zero_", np.zeros_like),
]
