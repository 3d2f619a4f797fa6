"""Variances and standard deviations."""

import numpy as np

from ops.common import ALL_FLOATS, COMPLEX, Op, Sample, rand


def moment_samples(dtype):
    x = rand(6, 5, dtype=dtype)
    return [
        Sample(x),
        Sample(x, (0,)),
        Sample(x, (1,), {"keepdim": True}),
        Sample(x, (0,), {"correction": 0}),
        Sample(x, ((0, 1),), {"correction": 2}),
    ]


def moment(f):
    def ref(x, dim=None, keepdim=False, correction=1):
        axis = tuple(dim) if isinstance(dim, tuple) else dim
        return f(x, axis=axis, keepdims=keepdim, ddof=correction)

    return ref


def with_mean(f):
    def ref(x, dim=None, keepdim=False, correction=1):
        axis = tuple(dim) if isinstance(dim, tuple) else dim
        return [f(x, axis=axis, keepdims=keepdim, ddof=correction), x.mean(axis=axis, keepdims=keepdim)]

    return ref


OPS = [
    Op("var", moment_samples, moment(np.var), ALL_FLOATS + COMPLEX, tolerance=1e-4, out=False),
    Op("std", moment_samples, moment(np.std), ALL_FLOATS + COMPLEX, tolerance=1e-4, out=False),
    Op("var_mean", moment_samples, with_mean(np.var), ALL_FLOATS + COMPLEX, tolerance=1e-4, method=False, out=False),
    Op("std_mean", moment_samples, with_mean(np.std), ALL_FLOATS + COMPLEX, tolerance=1e-4, method=False, out=False),
]
