"""Tensors filled with a number."""

import numpy as np

from ops.common import ALL, Op, unary


def inplace(name, call, ref, dtypes=ALL, **kwargs):
    """A method that changes its tensor: tried on a copy."""
    return Op(name, unary(), ref, dtypes, call=lambda x, *a: call(x.clone(), *a), method=False, out=False, **kwargs)


OPS = [
    inplace("fill_", lambda x: x.fill_(3), lambda x: np.full_like(x, 3), grad=False),
    inplace("zero_", lambda x: x.zero_(), np.zeros_like, grad=False),
]
