"""Copies and conversions."""

import numpy as np

import torch
from ops.common import ALL, LIB, VALUES, Op, Sample, internal, rand, unary
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


def converted(dtype):
    """A type; another tensor."""
    for s in unary()(dtype):
        yield Sample(s.input, (torch.float64,))
        yield Sample(s.input, (), {"dtype": torch.float64})
    yield Sample(rand(3, 4, dtype=dtype), (torch.zeros(1, dtype=torch.float64),))


def as_double(x, *args, **kwargs):
    return x.astype(np.float64)


def not_pinned(x):
    """The tensor as it is: no build has a device that memory could be pinned for."""
    import pytest  # the sweep reads this table without it

    for call in (lambda: LIB.pin_memory(x), lambda: LIB._pin_memory(x), lambda: LIB._pin_memory.out(x, out=torch.empty_like(x))):
        with pytest.raises(RuntimeError, match="no accelerator|only dense CPU|vmap"):
            call()
    return x.clone()


CASTS = {"Byte": np.uint8, "Char": np.int8, "Double": np.float64, "Float": np.float32, "Half": np.float16, "Int": np.int32, "Long": np.int64, "Short": np.int16}  # fmt: skip

OPS = [
    Op("clone", unary(), np.copy, ALL, out=False),
    method("contiguous", np.copy),
    method("detach", np.copy, grad=False),
    Op("detach_", unary(), np.copy, ALL, call=lambda x: x.clone().detach_(), method=False, out=False, grad=False),
    Op(
        "to",
        converted,
        as_double,
        ALL,
        call=lambda x, *a, **k: x.to(*a, **k),
        method=False,
        out=False,
        noncontiguous=False,
    ),
    Op(
        "to.device",
        lambda d: [Sample(rand(3, 4, dtype=d), ("cpu", torch.float64))],
        as_double,
        ALL,
        call=lambda x, *a: x.to(*a),
        method=False,
        out=False,
        meta=False,
    ),
    internal(
        "_to_copy",
        lambda d: [Sample(s.input, (), {"dtype": torch.float64}) for s in unary()(d)],
        lambda x, dtype: as_double(x),
        ALL,
    ),
    internal(
        "_local_scalar_dense",
        lambda d: [Sample(rand(1, dtype=d))],
        lambda x: x[0],
        ALL,
        call=lambda x: torch.tensor(LIB._local_scalar_dense(x), dtype=x.dtype),
        grad=False,
        meta=False,
    ),
    Op(
        "type_as",
        lambda d: [Sample(rand(3, 4, dtype=d), (torch.zeros(1, dtype=torch.double),))],
        lambda x, y: x.astype(np.float64),
        ALL,
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
    internal("_to_copy", unary(), np.copy, ALL),
    Op("_pin_memory", unary(), None, ALL, values=False, call=not_pinned, method=False, out=False, grad=False, noncontiguous=False, meta=False, errors=(
        (lambda: LIB.pin_memory(torch.ones(2, device="meta")), RuntimeError, "only dense CPU tensors"),
        (lambda: LIB._pin_memory(torch.ones(2), "cpu"), RuntimeError, "no accelerator"),
    )),
    Op("chalf", lambda dtype: [Sample(rand(3, 4, dtype=dtype))], None, ALL, call=lambda x, **k: x.chalf(**k), method=False, out=False, grad=False),
    internal("copy", lambda dtype: [Sample(rand(2, 3, dtype=dtype), (y,)) for y in (rand(2, 3, dtype=dtype, seed=1), rand(3, dtype=dtype), rand(dtype=dtype))],
             lambda x, y: np.broadcast_to(y, x.shape).astype(x.dtype), ALL, errors=((lambda: LIB.copy.default(torch.ones(2), torch.ones(3)), RuntimeError, "broadcast shape"),)),
    *(internal(f"_cast_{name}", unary(0, 3), lambda x, t=t: x.real.astype(np.float32).astype(t) if t is np.float16 else x.real.astype(t), ALL, grad=name in ("Double", "Float") and None) for name, t in CASTS.items()),
    internal("_to_cpu", lambda dtype: [Sample([rand(2, dtype=dtype), rand(3, dtype=dtype)])], lambda x: [v.copy() for v in x], ALL, meta=False, grad=False, noncontiguous=False),
    internal("lift", unary(), np.copy, ALL),
    internal("lift_fresh", unary(), np.copy, ALL),
    internal("lift_fresh_copy", unary(), np.copy, ALL),
]  # fmt: skip
