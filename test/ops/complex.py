"""Complex numbers: their parts, conjugates, angles."""

import numpy as np

import torch
from ops.common import ALL, COMPLEX, FLOATS, NUMBERS, Op, Sample, internal, rand, unary
from ops.shared.samples import parts


def as_complex(x):
    return x[..., 0] + 1j * x[..., 1]


def conj(x):
    return x if x.dtype.kind == "b" else np.conj(x)


OPS = [
    Op(
        "conj",
        unary(),
        conj,
        ALL,
        out=False,
    ),
    Op("conj_physical", unary(), conj, ALL, inplace=True),
    Op("resolve_conj", unary(), np.copy, ALL, out=False),
    Op(
        "is_conj",
        unary(shapes=((2,),)),
        lambda x: False,
        ALL,
        call=lambda x: torch.tensor(x.is_conj()),
        method=False,
        out=False,
        grad=False,
        meta=False,
    ),
    Op("real", unary(), np.real, ALL, out=False, method=False),
    Op(
        "imag",
        unary(),
        np.imag,
        COMPLEX,
        out=False,
        method=False,
        errors=[(lambda: torch.imag(torch.ones(2)), RuntimeError, "non-complex")],
    ),
    Op("angle", unary(0.3, 3), np.angle, ALL),
    Op("view_as_real", unary(), lambda x: np.stack([x.real, x.imag], -1), COMPLEX, method=False, out=False),
    Op(
        "view_as_complex",
        lambda d: [Sample(rand(3, 2, dtype=d)), Sample(rand(2, dtype=d))],
        as_complex,
        FLOATS,
        takes=(torch.float16,),
        method=False,
        out=False,
        noncontiguous=False,
        errors=[(lambda: torch.view_as_complex(torch.ones(3)), RuntimeError, "last dimension")],
    ),
    Op("complex", parts, lambda re, im: re + 1j * im, FLOATS, method=False, takes=(torch.float16,)),
    Op(
        "polar",
        lambda d: [Sample(s.input.abs() + 0.1, s.args) for s in parts(d)],
        lambda r, phi: r * np.exp(1j * phi),
        FLOATS,
        method=False,
        gradgrad=False,
    ),
    internal("_conj", unary(), conj, COMPLEX, view=True),
    internal("_neg_view", unary(), lambda x: 0 - x, NUMBERS, view=True),
    internal("_conj_physical", unary(), conj, ALL),
    Op("resolve_neg", unary(), np.copy, ALL, out=False),
    Op(
        "is_neg",
        unary(shapes=((2,),)),
        lambda x: False,
        ALL,
        call=lambda x: torch.tensor(x.is_neg()),
        method=False,
        out=False,
        grad=False,
        meta=False,
    ),
]
