"""Tensors filled with a number."""

import numpy as np

import torch
from ops.common import ALL, COMPLEX, FLOATS, Op, Sample, internal, rand, unary


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
    Op("fill", filled, lambda x, value: np.full_like(x, value), ALL, grad=False, method=False, out=False),
    Op("fill", lambda dtype: [Sample(rand(2, 3, dtype=dtype), (rand(dtype=dtype),))], lambda x, value: np.full_like(x, value), FLOATS + COMPLEX, method=False, out=False, errors=(
        (lambda: torch.fill(torch.ones(2), torch.ones(1)), RuntimeError, "0-dimension"),)),
    internal("zero", unary(), np.zeros_like, ALL),
]  # fmt: skip
