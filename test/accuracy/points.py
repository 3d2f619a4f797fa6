"""Points over the whole range of a floating-point type."""

import random

import torch

BITS = {torch.float16: torch.int16, torch.bfloat16: torch.int16, torch.float32: torch.int32, torch.float64: torch.int64}


def from_bits(values, dtype):
    signed = [v - (1 << (8 * dtype.itemsize)) if v >> (8 * dtype.itemsize - 1) else v for v in values]
    return torch.tensor(signed, dtype=BITS[dtype]).view(dtype)


def everywhere(dtype, count, seed):
    """Random bits: all exponents alike, subnormal numbers among them. No infinities, no NaN."""
    rng = random.Random(seed)
    x = from_bits([rng.getrandbits(8 * dtype.itemsize) for _ in range(count + count // 4)], dtype)
    return x[x.isfinite()][:count]


def steps(values, dtype, reach=(1, 2, 7)):
    """The numbers, and those a few steps below and above each."""
    x = torch.tensor(values, dtype=torch.float64).to(dtype)
    bits = x.view(BITS[dtype])
    return torch.cat([x] + [(bits + s * k).view(dtype) for k in reach for s in (1, -1)])


def line(dtype, low, high, count, seed):
    rng = random.Random(seed)
    return torch.tensor([rng.uniform(low, high) for _ in range(count)], dtype=torch.float64).to(dtype)


def points(dtype, special=()):
    """Some 400 of them: every exponent, the middle of the range, the neighbours of whole and of special numbers."""
    info = torch.finfo(dtype)
    edges = [info.tiny, info.max, info.smallest_normal * 0.5, info.eps, 1.0, 2.0, 0.5, 3.141592653589793, 0.5 * 3.141592653589793]
    x = torch.cat([
        everywhere(dtype, 150, 1),
        line(dtype, -1, 1, 60, 2),
        line(dtype, -12, 12, 80, 3),
        line(dtype, -120, 120, 40, 4),
        steps(edges, dtype),
        -steps(edges[:-1], dtype),
        steps(list(special) or [1.0], dtype),
        torch.tensor([0.0, -0.0, 3, 5, 10, -3, 20, 88, 100], dtype=dtype),
    ])  # fmt: skip
    return x[x.isfinite()]
