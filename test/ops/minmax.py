"""Extremes over dimensions, and their indices."""

import numpy as np

import torch
from ops.common import BOOL, REAL, Op, Sample, axis_aware, binary, internal, rand
from ops.shared.reductions import reduce


def distinct(dtype):
    """Distinct numbers, for operators that select one of them."""
    x = torch.from_numpy(np.random.RandomState(3).permutation(24).reshape(2, 3, 4)).to(dtype)
    return [Sample(x), Sample(x, (1,)), Sample(x, (-1,), {"keepdim": True})]


def with_place(values, places):
    """torch.max(x, dim): values and indices; torch.max(x): only the value."""

    def ref(x, dim=None, keepdim=False):
        if dim is None:
            return values(x)
        take = (lambda a: np.expand_dims(a, dim)) if keepdim else (lambda a: a)
        return [take(values(x, axis=dim)), take(places(x, axis=dim))]

    return ref


OPS = [
    reduce("amax", np.max, REAL + BOOL, gradgrad=False),
    reduce("amin", np.min, REAL + BOOL, gradgrad=False),
    Op(
        "aminmax",
        lambda d: [Sample(s.input, (), {"dim": s.args[0], **s.kwargs} if s.args else {}) for s in distinct(d)],
        lambda x, **k: [axis_aware(np.min)(x, **k), axis_aware(np.max)(x, **k)],
        REAL + BOOL,
        gradgrad=False,
        out=False,
    ),
    Op(
        "max",
        distinct,
        with_place(np.max, np.argmax),
        REAL + BOOL,
        gradgrad=False,
        out=False,
    ),
    Op("min", distinct, with_place(np.min, np.argmin), REAL + BOOL, gradgrad=False, out=False),
    Op("argmax", distinct, axis_aware(np.argmax), REAL, grad=False),
    Op("argmin", distinct, axis_aware(np.argmin), REAL, grad=False),
    *(
        Op(name, binary(), ref, REAL + BOOL, call=getattr(torch, name[:3]), method=False, gradgrad=False)
        for name, ref in (("max.other", np.maximum), ("min.other", np.minimum))
    ),
    internal("_aminmax", lambda dtype: [Sample(rand(3, 4, dtype=dtype))], lambda x: [x.min(), x.max()], REAL + BOOL),
    internal("_aminmax", lambda dtype: [Sample(rand(3, 4, dtype=dtype), (d, k)) for d in (0, -1) for k in (False, True)],
             lambda x, d, k: [x.min(d, keepdims=k), x.max(d, keepdims=k)], REAL + BOOL),
]  # fmt: skip
