"""Makes entries for functions of one tensor."""

from ops.common import ANY_REAL, COMPLEX, SHAPES, Op, unary, wide

import torch

SMOOTH_COMPLEX = ANY_REAL + COMPLEX


def function(name, ref, dtypes=ANY_REAL, low=-3.0, high=3.0, **kwargs):
    return Op(name, unary(low, high), wide(ref), dtypes, inplace=True, **kwargs)


def special(name, ref, low=-3.0, high=3.0, dtypes=ANY_REAL, **kwargs):
    return Op(f"special_{name}", unary(low, high, SHAPES[2:4]), wide(ref), dtypes, grad=False, method=False,
              call=getattr(torch._C._special, f"special_{name}"), **kwargs)  # fmt: skip
