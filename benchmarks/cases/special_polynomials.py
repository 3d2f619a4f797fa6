"""Orthogonal polynomials."""

from cases.special_bessel import positive

import torch

CASES = {
    "compute": {
        "chebyshev_polynomial_t": positive(lambda x: torch.special.chebyshev_polynomial_t(x / 20, 6)),
        "legendre_polynomial_p": positive(lambda x: torch.special.legendre_polynomial_p(x / 20, 6)),
    },
}
