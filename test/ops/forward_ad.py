"""Dual tensors. test_forward_ad.py checks what operators do with them."""

import numpy as np

import torch
import torch.autograd.forward_ad as fwAD
from ops.common import ALL, FLOATS, LIB, REDUCED, Op, Sample, rand

COMPLEX = (torch.complex64, torch.complex128)
ALONE = {"method": False, "out": False, "inplace": False, "grad": False, "noncontiguous": False}


def inside(f):
    """A function called inside of a level, or outside of levels without a tangent."""

    def call(*args):
        with fwAD.dual_level():
            return f(*args)

    return call


def primal(x, tangent, level):
    return x


def pairs(dtype):
    return [Sample(rand(2, 3, dtype=dtype), (rand(2, 3, dtype=dtype, seed=1), 0))]


def ones(dtype):
    return [Sample(rand(2, 3, dtype=dtype), (0,))]


FOUND = {"takes": REDUCED + COMPLEX, **ALONE}

OPS = [
    Op("_make_dual", pairs, primal, FLOATS, call=inside(LIB._make_dual), view=True, **FOUND),
    Op("_make_dual_copy", pairs, primal, FLOATS, call=inside(LIB._make_dual_copy), **FOUND),
    Op("_unpack_dual", ones, None, ALL, call=lambda x, level: LIB._unpack_dual(x, level)[0], view=True, **ALONE),
    Op("_fw_primal", ones, lambda x, level: np.copy(x), ALL, call=LIB._fw_primal, view=True, **ALONE),
]
