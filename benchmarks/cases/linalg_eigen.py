"""Eigenvalues and singular values: many small matrices, and large ones."""

from cases.linalg_solve import _made

import torch

CASES = {
    "compute": {
        "eigh 1000x4x4": _made(lambda a, b: torch.linalg.eigh(a), 1000, 4, 4),
        "eigh 256": _made(lambda a, b: torch.linalg.eigh(a), 256, 256),
        "eig 128": _made(lambda a, b: torch.linalg.eig(a), 128, 128),
        "svd 1000x4x4": _made(lambda a, b: torch.linalg.svd(a), 1000, 4, 4),
        "svd 256": _made(lambda a, b: torch.linalg.svd(a), 256, 256),
    }
}
