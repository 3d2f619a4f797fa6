"""Attention."""

from cases import Case
from cases.shared import SLOWEST

import torch
import torch.nn.functional as F


def _attention(causal, t):
    def make():
        torch.manual_seed(0)
        q, k, v = (torch.randn(2, 8, t, 64) for _ in range(3))
        return lambda: F.scaled_dot_product_attention(q, k, v, is_causal=causal)

    return make


CASES = {
    "compute": {
        "attention 512": Case(_attention(False, 512), SLOWEST),
        "attention 1024, causal": Case(_attention(True, 1024), 1 / 1.6),
    }
}
