"""Tensors given another size or storage."""

import numpy as np

import torch
from ops.common import ALL, Op, Sample, rand
from ops.shared.creation import shape_only


def set_from(x):
    y = torch.empty(0, dtype=x.dtype, device=x.device)
    return y.set_(x)


SETS = [(lambda: torch.zeros(2).set_(torch.zeros(3).untyped_storage(), -1, (2,), (1,)), RuntimeError, "invalid storage offset"),
        (lambda: torch.zeros(2).set_(torch.zeros(3, dtype=torch.double)), RuntimeError, "Could not set tensor"),
        (lambda: torch.zeros(2).resize_(-1), RuntimeError, "negative|overflow"),
        (lambda: torch.zeros(2).resize_(2**62), RuntimeError, "overflow")]  # fmt: skip

OPS = [
    shape_only("resize_", lambda size, **options: torch.zeros(1, **options).resize_(size), covers=("resize_as_",)),
    Op(
        "set_",
        lambda d: [Sample(rand(3, 4, dtype=d))],
        np.copy,
        ALL,
        call=set_from,
        method=False,
        out=False,
        grad=False,
        errors=SETS,
    ),
]
