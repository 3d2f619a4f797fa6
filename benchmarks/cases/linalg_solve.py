"""Linear equations, inverses and factors: many small matrices, and large ones."""

from cases import Case

import torch


def _made(f, *shape, definite=False):
    """A call of f with matrices, and with right-hand sides."""

    def make():
        torch.manual_seed(0)
        a = torch.randn(*shape, dtype=torch.float64)
        a = a @ a.mT + torch.eye(shape[-1], dtype=torch.float64) if definite else a
        b = torch.randn(*shape[:-1], 4, dtype=torch.float64)
        return lambda: f(a, b)

    return Case(make, 0.95)


CASES = {
    "compute": {
        "solve 1000x8x8": _made(torch.linalg.solve, 1000, 8, 8),
        "solve 512": _made(torch.linalg.solve, 512, 512),
        "inv 1000x8x8": _made(lambda a, b: torch.linalg.inv(a), 1000, 8, 8),
        "inv 512": _made(lambda a, b: torch.linalg.inv(a), 512, 512),
        "det 1000x4x4": _made(lambda a, b: torch.linalg.det(a), 1000, 4, 4),
        "solve_triangular 200x32x32": _made(lambda a, b: torch.linalg.solve_triangular(a, b, upper=True), 200, 32, 32),
        "lstsq 200x32x32": _made(lambda a, b: torch.linalg.lstsq(a, b), 200, 32, 32),
    }
}
