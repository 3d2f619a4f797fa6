"""Softmax and its logarithm."""

import numpy as np
import scipy.special as sp

import torch
from ops.common import ALL_FLOATS, BOOL, COMPLEX, INTS, Op, Sample, internal, rand


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


MASK = torch.arange(15).view(3, 5) % 4 == 0


def masked_samples(dtype):
    x = rand(2, 3, 4, 5, dtype=dtype)
    yield from (Sample(rand(3, 5, dtype=dtype), (MASK, 1, 2)), Sample(rand(3, 5, dtype=dtype), (MASK, 0, 2)))
    yield from (
        Sample(x, (torch.arange(20).view(4, 5) % 3 == 0, 3, 0)),
        Sample(x, (torch.arange(10).view(2, 5) % 3 == 0, None, 1)),
    )


def masked_softmax(x, mask, dim, kind):
    mask = mask.reshape(mask.shape[0], 1, 1, -1) if kind == 1 else mask
    e = np.where(mask, 0, np.exp(x))
    return e / e.sum(-1 if dim is None else dim, keepdims=True)


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
    internal("_masked_softmax", masked_samples, masked_softmax, ALL_FLOATS, errors=(
        (lambda: torch._masked_softmax(torch.ones(2, 3), torch.ones(2, 3), 1, 2), RuntimeError, "boolean"), (lambda: torch._masked_softmax(torch.ones(2, 3), torch.ones(2, 3) > 0), RuntimeError, "mask_type"),
        (lambda: torch._masked_softmax(torch.ones(2, 3), torch.ones(2, 3) > 0, 1, 1), RuntimeError, "padding mask"), (lambda: torch._masked_softmax(torch.ones(2, 3), torch.ones(5) > 0, 1, 2), RuntimeError, "does not fit"))),
    internal("_masked_softmax_backward", lambda dtype: [Sample(rand(3, 5, dtype=dtype), (rand(3, 5, dtype=dtype, seed=1), MASK, 1))],
             lambda g, y, mask, dim: np.where(mask, 0, y * (g - (np.where(mask, 0, y) * g).sum(dim, keepdims=True))), ALL_FLOATS, takes=COMPLEX + INTS + BOOL),
]  # fmt: skip
