"""Bessel functions."""

from cases import Case

import torch


def positive(f):
    """f of a million numbers from 0 to 20."""

    def make():
        torch.manual_seed(0)
        x = torch.rand(1 << 20, dtype=torch.float64) * 20
        return lambda: f(x)

    return Case(make, 1 / 0.95)


CASES = {
    "compute": {
        "i0": positive(torch.special.i0),
        "bessel_j0": positive(torch.special.bessel_j0),
        "modified_bessel_k1": positive(torch.special.modified_bessel_k1),
        "airy_ai": positive(torch.special.airy_ai),
    },
}
