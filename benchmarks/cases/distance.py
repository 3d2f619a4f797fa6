"""Distances between rows."""

from cases import Case

import torch
import torch.nn.functional as F


def _cdist(p):
    def make():
        torch.manual_seed(0)
        x, y = torch.randn(500, 64), torch.randn(500, 64)
        return lambda: torch.cdist(x, y, p)

    return Case(make, 0.95)


def _pdist():
    x = torch.randn(500, 64)
    return lambda: F.pdist(x)


CASES = {
    "compute": {
        "cdist p=1": _cdist(1.0),
        "cdist p=2": _cdist(2.0),
        "cdist p=inf": _cdist(float("inf")),
        "pdist": Case(_pdist, 0.95),
    }
}
