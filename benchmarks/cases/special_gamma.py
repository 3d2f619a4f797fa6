"""Incomplete gamma functions and the zeta function."""

from cases.special_bessel import positive

import torch

CASES = {
    "compute": {
        "igamma": positive(lambda x: torch.igamma(x, x.flip(0))),
        "igammac": positive(lambda x: torch.igammac(x, x.flip(0))),
        "zeta": positive(lambda x: torch.special.zeta(x + 1.5, 2.0)),
    },
}
