"""Factors of matrices: many small ones, and large ones."""

from cases.linalg_solve import _made

import torch

CASES = {
    "compute": {
        "cholesky 1000x8x8": _made(lambda a, b: torch.linalg.cholesky(a), 1000, 8, 8, definite=True),
        "cholesky 512": _made(lambda a, b: torch.linalg.cholesky(a), 512, 512, definite=True),
        "lu_factor 1000x8x8": _made(lambda a, b: torch.linalg.lu_factor(a), 1000, 8, 8),
        "lu_factor 512": _made(lambda a, b: torch.linalg.lu_factor(a), 512, 512),
        "qr 1000x8x8": _made(lambda a, b: torch.linalg.qr(a), 1000, 8, 8),
        "qr 512": _made(lambda a, b: torch.linalg.qr(a), 512, 512),
    }
}
