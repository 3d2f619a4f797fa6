"""Compute-bound operators: matrix products, convolutions, attention."""

from cases import Case

import torch
import torch.nn.functional as F

SLOWEST = 1 / 0.95  # none slower than 0.95 of the peer's speed


def _mm(n, k, m):
    def make():
        torch.manual_seed(0)
        a, b = torch.rand(n, k), torch.rand(k, m)
        return lambda: a @ b

    return make


def _bmm():
    a, b = torch.rand(64, 128, 128), torch.rand(64, 128, 128)
    return lambda: torch.bmm(a, b)


def _linear():
    x, w, b = torch.rand(256, 1024), torch.rand(1024, 1024), torch.rand(1024)
    return lambda: F.linear(x, w, b)


def _conv(n, c, size, out, kernel, **kwargs):
    def make():
        x, w = torch.rand(n, c, size, size), torch.rand(out, c // kwargs.get("groups", 1), kernel, kernel)
        return lambda: F.conv2d(x, w, **kwargs)

    return make


def _attention(causal, t):
    def make():
        torch.manual_seed(0)
        q, k, v = (torch.randn(2, 8, t, 64) for _ in range(3))
        return lambda: F.scaled_dot_product_attention(q, k, v, is_causal=causal)

    return make


CASES = {
    "matmul 1024": Case(_mm(1024, 1024, 1024), SLOWEST),
    "matmul 256": Case(_mm(256, 256, 256), SLOWEST),
    "matmul 64": Case(_mm(64, 64, 64), SLOWEST),
    "matmul 1 x 1024 x 1024": Case(_mm(1, 1024, 1024), SLOWEST),
    "bmm 64 x 128": Case(_bmm, SLOWEST),
    "linear 256 x 1024": Case(_linear, SLOWEST),
    "conv 3x3, 64 channels": Case(_conv(8, 64, 56, 64, 3, padding=1), SLOWEST),
    "conv 7x7, stride 2": Case(_conv(8, 3, 224, 64, 7, stride=2, padding=3), SLOWEST),
    "conv 1x1": Case(_conv(8, 256, 28, 64, 1), SLOWEST),
    "conv depthwise": Case(_conv(8, 64, 56, 64, 3, padding=1, groups=64), SLOWEST),
    "attention 512": Case(_attention(False, 512), SLOWEST),
    "attention 1024, causal": Case(_attention(True, 1024), 1 / 1.6),
}
