"""Makes entries for operators that create tensors without values."""

import numpy as np
from ops.common import ALL, Op, Sample

import torch


def of_numpy(dtype):
    return torch.empty(0, dtype=dtype, device="cpu").numpy().dtype if dtype not in (torch.bfloat16, torch.float16) else np.float32


def shape_only(name, call):
    """Operators that create tensors without values; only the shape is checked."""
    return Op(name, lambda d: [Sample((3, 2), (), {"dtype": d})], lambda size, dtype=None: np.zeros(size, of_numpy(dtype)), ALL,
              call=lambda size, **options: call(size, **options).fill_(0), method=False, out=False, grad=False, noncontiguous=False, factory=True, values=False)  # fmt: skip
