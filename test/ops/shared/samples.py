"""Sample tensors that several families use."""

import numpy as np
from ops.common import Sample, rand

import torch


def parts(dtype):
    return [Sample(rand(*s, dtype=dtype), (rand(*s, dtype=dtype, seed=1),)) for s in ((), (5,), (3, 4), (0,))]


def nonzero_samples(dtype):
    return [
        Sample(rand(*s, dtype=dtype).masked_fill(rand(*s, dtype=torch.bool), 0))
        for s in ((5,), (3, 4), (2, 3, 2), (), (0, 3), (2, 0))
    ]


def distinct(*shape, dtype=torch.float32):
    n = int(np.prod(shape))
    values = np.random.RandomState(5).permutation(n) % 120
    return torch.from_numpy(values.reshape(shape)).to(dtype)
