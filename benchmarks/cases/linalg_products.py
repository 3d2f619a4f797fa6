"""Exponentials and powers of matrices."""

from cases.linalg_solve import _made

import torch

CASES = {
    "compute": {
        "matrix_exp 1000x4x4": _made(lambda a, b: torch.linalg.matrix_exp(a), 1000, 4, 4),
        "matrix_exp 256": _made(lambda a, b: torch.linalg.matrix_exp(a * 0.1), 256, 256),
    }
}
