"""Masks."""

from cases import Case
from cases.shared import N

import torch


def _select():
    x = torch.rand(N)
    m = x > 0.5
    return lambda: torch.masked_select(x, m)


CASES = {"memory": {"masked_select": Case(_select, 1.0)}}
