"""Matrix products."""

from cases import Case
from cases.shared import SLOWEST, new_result

import torch
import torch.nn.functional as F


def _small():
    a, b = torch.ones(4, 4), torch.ones(4, 4)
    return lambda: a @ b


def _mm(n, k, m):
    def make():
        torch.manual_seed(0)
        a, b = torch.rand(n, k), torch.rand(k, m)
        return lambda: a @ b

    return Case(make, SLOWEST)


def _bmm():
    a, b = torch.rand(64, 128, 128), torch.rand(64, 128, 128)
    return lambda: torch.bmm(a, b)


def _linear():
    x, w, b = torch.rand(256, 1024), torch.rand(1024, 1024), torch.rand(1024)
    return lambda: F.linear(x, w, b)


def _grouped():
    rows, experts = torch.rand(1024, 256), torch.rand(4, 256, 512)
    ends = torch.tensor([100, 400, 600, 1024], dtype=torch.int32)
    return lambda: torch._grouped_mm(rows, experts, offs=ends)


def _int8():
    x, w, scales = torch.rand(64, 1024), torch.randint(-99, 99, (1024, 1024), dtype=torch.int8), torch.rand(1024)
    return lambda: torch._weight_int8pack_mm(x, w, scales)


CASES = {
    "calls": {"matmul 4x4": Case(_small, 0.5)},
    "fresh": {"matmul": new_result(torch.matmul, 2, (2048, 2048))},
    "compute": {
        "matmul 1024": _mm(1024, 1024, 1024),
        "matmul 256": _mm(256, 256, 256),
        "matmul 64": _mm(64, 64, 64),
        "matmul 1 x 1024 x 1024": _mm(1, 1024, 1024),
        "bmm 64 x 128": Case(_bmm, SLOWEST),
        "linear 256 x 1024": Case(_linear, SLOWEST),
        "_grouped_mm 4 experts": Case(_grouped, SLOWEST),
        "_weight_int8pack_mm": Case(_int8, SLOWEST),
    },
}
