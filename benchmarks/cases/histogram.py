"""Histograms."""

from cases import Case
from cases.shared import SLOWEST

import torch


def _values(bins):
    def make():
        torch.manual_seed(0)
        x = torch.rand(1 << 20)
        edges = torch.linspace(0, 1, bins + 1)
        return lambda: (torch.histogram(x, bins), torch.histogram(x, edges))

    return make


CASES = {"memory": {"histogram": Case(_values(100), SLOWEST)}}
