"""Makes entries for operators of torch.special."""

import numpy as np
from ops.common import ANY_REAL, SHAPES, Op, Sample, rand, unary

import torch

FULL_TYPES = tuple(d for d in ANY_REAL if d not in (torch.float16, torch.bfloat16))


def in_double(f):
    """A reference computed in float64, since SciPy's float32 versions are less accurate."""

    def ref(*args):
        found = np.asarray(f(*(a.astype("float64") if hasattr(a, "astype") else a for a in args)))
        narrow = any(getattr(a, "dtype", None) not in (None, np.float64) for a in args)
        return found.astype("float32") if narrow else found

    return ref


def one_number(name, ref, low, high, dtypes=FULL_TYPES, grad=False, **kwargs):
    """A function of one tensor. Most have no derivative in PyTorch."""
    return Op(f"special_{name}", unary(low, high, (*SHAPES[:5], (33, 17))), in_double(ref), dtypes, grad=grad, method=False,
              call=getattr(torch._C._special, f"special_{name}"), **kwargs)  # fmt: skip


def pairs(x_range, y_range):
    def samples(dtype):
        for x, y in (((), ()), ((5,), (5,)), ((3, 4), (4,)), ((3, 1), (1, 4)), ((0,), (0,)), ((65, 3), (65, 3))):
            yield Sample(
                rand(*x, dtype=dtype, low=x_range[0], high=x_range[1]),
                (rand(*y, dtype=dtype, low=y_range[0], high=y_range[1], seed=1),),
            )

    return samples


def number_first(x, y_range):
    return lambda dtype: [Sample(v, (rand(3, 4, dtype=dtype, low=y_range[0], high=y_range[1]),)) for v in x]


def number_second(x_range, y):
    return lambda dtype: [Sample(rand(3, 4, dtype=dtype, low=x_range[0], high=x_range[1]), (v,)) for v in y]


def two_numbers(name, ref, x_range, y_range, x, y, dtypes=FULL_TYPES, **kwargs):
    """A function of two tensors, and its overloads with a number in either place."""
    call = getattr(torch._C._special, f"special_{name}")
    common = {"method": False, "grad": False, "call": call, **kwargs}
    f = in_double(ref)
    return [Op(f"special_{name}", pairs(x_range, y_range), f, dtypes, **common),
            Op(f"special_{name}", number_first(x, y_range), f, dtypes, noncontiguous=False, **common),
            Op(f"special_{name}", number_second(x_range, y), f, dtypes, **common)]  # fmt: skip
