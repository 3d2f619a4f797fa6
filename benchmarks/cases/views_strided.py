"""Views of parts, and transposed."""

from cases import Case
from cases.shared import in_numpy

import torch


def _t():
    a = torch.ones(2, 6)
    return lambda: a.t()


def _index():
    a = torch.ones(4, 6)
    return lambda: a[1]


CASES = {
    "calls": {
        "t()": Case(_t, 0.17),
        "x[1]": Case(_index, 0.17),
        "t(), beside NumPy's": Case(_t, 2.5, peer=in_numpy(lambda a: lambda: a.T)),
        "x[1], beside NumPy's": Case(_index, 2.5, peer=in_numpy(lambda a: lambda: a[1])),
    }
}
