"""Samplers."""

from cases import Case
from cases.shared import SLOWEST

import torch


def _of(sample):
    def make():
        torch.manual_seed(0)
        x = torch.rand(1 << 16) * 20 + 0.1
        return lambda: sample(x)

    return make


CASES = {
    "memory": {
        "poisson": Case(_of(torch.poisson), SLOWEST),
        "binomial": Case(_of(lambda x: torch.binomial(x.round(), x / 21)), SLOWEST),
        "_standard_gamma": Case(_of(torch._standard_gamma), SLOWEST),
    }
}
