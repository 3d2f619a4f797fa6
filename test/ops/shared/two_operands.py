"""Makes entries for functions of two tensors."""

from ops.common import ANY_REAL, COMPLEX, NUMBERS, Op, Sample, binary

import torch


def arithmetic(name, ref, dtypes=NUMBERS, low=-3.0, high=3.0, **kwargs):
    kwargs = {"inplace": True, "make": binary(low, high), **kwargs}
    return Op(name, ref=ref, dtypes=dtypes, **kwargs)


def nonzero(low=-3.0, high=3.0):
    """The second operand is at least 1 away from zero."""

    def samples(dtype):
        return [
            Sample(s.input, (torch.where(s.args[0] == 0, torch.ones_like(s.args[0]), s.args[0]),))
            for s in binary(low, high, 1, 3)(dtype)
        ]

    return samples


def alias(name, ref, dtypes=ANY_REAL + COMPLEX, samples=None, **kwargs):
    kwargs = {"inplace": True, **kwargs}
    return Op(name, samples or nonzero(), ref, dtypes, grad=False, **kwargs)
