"""Copies and conversions."""

import numpy as np

import torch
from ops.common import ALL, BOOL, REAL, VALUES, Op, Sample, rand, unary
from ops.shared.samples import parts


def method(name, ref, dtypes=ALL, *args, **kwargs):
    kwargs = {"out": False, **kwargs}
    return Op(
        name,
        lambda d: [Sample(s.input, args) for s in unary()(d)],
        ref,
        dtypes,
        call=lambda x, *a: getattr(x, name)(*a),
        **kwargs,
    )


OPS = [
    Op("clone", unary(), np.copy, ALL, out=False),
    method("contiguous", np.copy),
    method("detach", np.copy, grad=False, covers=("detach_",)),
    Op(
        "to",
        unary(),
        lambda x: x.astype(np.float64),
        REAL + BOOL,
        call=lambda x: x.to(torch.float64),
        method=False,
        out=False,
        covers=("_to_copy",),
    ),
    Op(
        "type_as",
        lambda d: [Sample(rand(3, 4, dtype=d), (torch.zeros(1, dtype=torch.double),))],
        lambda x, y: x.astype(np.float64),
        REAL + BOOL,
        call=lambda x, y: x.type_as(y),
        out=False,
        grad=False,
    ),
    Op(
        "copy_",
        parts,
        lambda x, y: y,
        ALL,
        call=lambda x, y: x.clone().copy_(y),
        method=False,
        out=False,
        grad=False,
        errors=[
            (lambda: torch.zeros(2, 3).copy_(torch.zeros(4)), RuntimeError, "must match|doesn't match"),
            (lambda: torch.zeros(2).copy_(torch.zeros(2, device="meta")), NotImplementedError, "meta tensor", VALUES),
        ],
    ),
    Op(
        "_copy_from",
        parts,
        lambda x, y: x,
        ALL,
        call=lambda x, y: torch._copy_from(x, torch.zeros_like(x)),
        method=False,
        out=False,
        grad=False,
        meta=False,
    ),
    Op(
        "item",
        lambda d: [Sample(rand(1, dtype=d))],
        lambda x: x[0],
        ALL,
        call=lambda x: torch.tensor(x.item(), dtype=x.dtype),
        method=False,
        out=False,
        grad=False,
        covers=("_local_scalar_dense",),
        errors=[(lambda: torch.ones(2).item(), RuntimeError, "cannot be converted to Scalar")],
        meta=False,
    ),
    Op(
        "is_nonzero",
        lambda d: [Sample(rand(1, dtype=d))],
        lambda x: bool(x[0]),
        ALL,
        call=lambda x: torch.tensor(torch.is_nonzero(x)),
        method=False,
        out=False,
        grad=False,
        errors=[(lambda: bool(torch.ones(2)), RuntimeError, "ambiguous")],
        meta=False,
    ),
]
