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


def _sobol():
    state = torch._sobol_engine_initialize_state_(torch.zeros(64, 30, dtype=torch.int64), 64)
    first = torch.zeros(64, dtype=torch.int64)
    return lambda: torch._sobol_engine_draw(first, 4096, state, 64, 0, None)


CASES = {
    "memory": {
        "poisson": Case(_of(torch.poisson), SLOWEST),
        "binomial": Case(_of(lambda x: torch.binomial(x.round(), x / 21)), SLOWEST),
        "_standard_gamma": Case(_of(torch._standard_gamma), SLOWEST),
        "_standard_gamma_grad": Case(_of(lambda x: torch._standard_gamma_grad(x, x * 1.1)), SLOWEST),
        "_dirichlet_grad": Case(_of(lambda x: torch._dirichlet_grad(x / 21, x, x + 3)), SLOWEST),
        "_sobol_engine_draw": Case(_sobol, SLOWEST),
    }
}
