"""Sums."""

from cases import Case
from cases.shared import matrix, one

import torch


def _sum():
    a = torch.ones(4)
    return lambda: a.sum()


CASES = {
    "calls": {"sum, 4 elements": Case(_sum, 0.5)},
    "memory": {"sum": one(torch.sum), "sum(0)": matrix(lambda x: x.sum(0)), "sum(1)": matrix(lambda x: x.sum(1))},
}
