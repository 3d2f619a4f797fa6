"""Samples of matrices for the families of linear algebra, and references that NumPy lacks."""

import numpy as np
from ops.common import ALL, COMPLEX, FLOATS, Op, Sample, rand

import torch

LAPACK = FLOATS + COMPLEX
SQUARE = ((3, 3), (2, 3, 3), (1, 1), (0, 0), (0, 2, 2), (2, 1, 2, 2), (40, 40))
RECTANGULAR = ((3, 3), (4, 3), (3, 4), (2, 4, 3), (2, 3, 4), (0, 3), (3, 0), (2, 0, 3), (40, 35))


def regular(*shape, dtype, seed=0):
    """Square matrices that are well conditioned."""
    a = rand(*shape, dtype=dtype, low=-1, high=1, seed=seed)
    return a + (3 * torch.eye(shape[-1]) * (1 + shape[-1] / 10)).to(dtype)


def definite(*shape, dtype, seed=0):
    """Hermitian matrices with positive eigenvalues."""
    a = rand(*shape, dtype=dtype, low=-1, high=1, seed=seed)
    return (a @ a.mH).to(dtype) + torch.eye(shape[-1]).to(dtype)


def factor(*shape, dtype, seed=0):
    """Cholesky factors."""
    a = rand(*shape, dtype=dtype, low=-0.5, high=0.5, seed=seed).tril(-1)
    return a + (2 * torch.eye(shape[-1])).to(dtype)


def each(make, shapes, *variants):
    """A function of a dtype that gives a sample for every shape and every (args, kwargs)."""
    variants = variants or (((), {}),)
    return lambda dtype: [Sample(make(*s, dtype=dtype), *v) for s in shapes for v in variants]


def dense(*shape, dtype, seed=0):
    return rand(*shape, dtype=dtype, low=-1, high=1, seed=seed)


def ct(a):
    """The conjugate transpose."""
    return np.conj(np.swapaxes(a, -1, -2))


def matrix(a):
    """Batches of vectors as matrices of one column."""
    return a[..., None]


def op(name, make, ref, dtypes=LAPACK, **kwargs):
    """An entry whose results come from LAPACK, with its rounding."""
    return Op(name, make, ref, dtypes, **{"tolerance": 2e-4, **kwargs})


def linalg(name, make, ref, dtypes=LAPACK, **kwargs):
    """An operator of torch.linalg, which is no method."""
    call = getattr(torch.linalg, name)
    return op(f"linalg_{name}", make, ref, dtypes, **{"call": call, "method": False, **kwargs})


def gradient(name, fn, make, **kwargs):
    """Derivatives of a function of matrices that makes the operator's input symmetric, or its result unique."""
    only = {"method": False, "out": False, "noncontiguous": False, "values": False, "meta": False}
    return Op(name, make, None, (torch.float64, torch.complex128), **{"call": fn, "takes": ALL, **only, **kwargs})


def through(name, fn, make, ref, **kwargs):
    """A function of an operator's results, where these themselves are not unique."""
    return op(name, make, ref, **{"call": fn, "method": False, "out": False, "grad": False, "values": False, **kwargs})
