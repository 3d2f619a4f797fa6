"""Views of another shape."""

from cases import Case
from cases.shared import in_numpy

import torch


def _view():
    a = torch.ones(2, 6)
    return lambda: a.view(3, 4)


def _reshape(a):
    return lambda: a.reshape(8, 3)


CASES = {"calls": {"view": Case(_view, 0.17), "view, beside NumPy's": Case(_view, 2.5, peer=in_numpy(_reshape))}}
