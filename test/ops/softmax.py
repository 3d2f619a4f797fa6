"""Softmax and its logarithm."""

import numpy as np
import scipy.special as sp

import torch
from ops.common import ALL_FLOATS, Op, Sample, internal, rand


def softmax_samples(dtype):
    return [Sample(rand(*s, dtype=dtype), (d,)) for s, d in (((5,), 0), ((3, 4), 0), ((3, 4), 1), ((2, 3, 4), 1), ((2, 70), -1))]


def with_flag(dtype):
    """half_to_float: GPUs only."""
    return [Sample(s.input, (*s.args, False)) for s in softmax_samples(dtype)]


def gradients(f):
    def samples(dtype):
        for s in softmax_samples(dtype):
            yield Sample(rand(*s.input.shape, dtype=dtype, seed=1), (f(s.input, *s.args), *s.args, dtype))

    return samples


def softmax_backward(g, y, dim, dtype):
    return (g - (g * y).sum(dim, keepdims=True)) * y


def log_softmax_backward(g, y, dim, dtype):
    return g - np.exp(y) * g.sum(dim, keepdims=True)


OPS = [
    Op("softmax", softmax_samples, sp.softmax, ALL_FLOATS),
    Op("log_softmax", softmax_samples, sp.log_softmax, ALL_FLOATS),
    Op("special_softmax", softmax_samples, sp.softmax, ALL_FLOATS, call=torch.special.softmax, method=False, out=False),
    Op(
        "special_log_softmax",
        softmax_samples,
        sp.log_softmax,
        ALL_FLOATS,
        call=torch.special.log_softmax,
        method=False,
        out=False,
    ),
    internal("_softmax", with_flag, lambda x, dim, flag: sp.softmax(x, dim), ALL_FLOATS),
    internal("_log_softmax", with_flag, lambda x, dim, flag: sp.log_softmax(x, dim), ALL_FLOATS),
    internal("_softmax_backward_data", gradients(torch.softmax), softmax_backward, ALL_FLOATS, grad=False),
    internal("_log_softmax_backward_data", gradients(torch.log_softmax), log_softmax_backward, ALL_FLOATS, grad=False),
]
