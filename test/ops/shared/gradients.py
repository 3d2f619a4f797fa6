"""Entries of operators that compute gradients. The formulas of their operators' derivatives check their values."""

from ops.common import FLOATS, LIB, REDUCED, Op, Sample, rand

import torch


def gradient(name, *args, dtypes=FLOATS, takes=REDUCED, **kwargs):
    """args: shapes as tuples, index tensors, and other arguments as they are."""

    def make(dtype):
        values = [rand(*a, dtype=dtype, seed=i) if type(a) is tuple else a for i, a in enumerate(args)]
        yield Sample(values[0], tuple(values[1:]))

    forms = {"grad": False, "method": False, "out": False, "noncontiguous": False}
    return Op(name, make, None, dtypes, call=getattr(LIB, name), takes=takes, **{**forms, **kwargs})


def index(*shape):
    """Zeros, which are valid indices everywhere."""
    return torch.zeros(shape, dtype=torch.int64)
