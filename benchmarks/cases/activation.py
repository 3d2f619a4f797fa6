"""Activations."""

from cases import Case
from cases.shared import one

import torch


def _relu():
    a = torch.ones(4)
    return lambda: torch.relu(a)


CASES = {"calls": {"relu, 4 elements": Case(_relu, 0.4)}, "memory": {"relu": one(torch.relu)}}
