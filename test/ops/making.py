"""New tensors, copies and conversions, complex numbers."""

import numpy as np

import torch
from ops.common import ALL, BOOL, COMPLEX, FLOATS, INTS, NUMBERS, REAL, Op, Sample, rand, unary


def sized(name, ref, *extra, **kwargs):
    """torch.NAME(size, ..., dtype=)."""

    def samples(dtype):
        return [Sample(s, extra, {"dtype": dtype}) for s in ((), (3,), (2, 0), (2, 3, 4))]

    return Op(name, samples, ref, ALL, method=False, out=False, grad=False, noncontiguous=False, meta=False, **kwargs)


def of_numpy(dtype):
    return torch.empty(0, dtype=dtype).numpy().dtype if dtype not in (torch.bfloat16, torch.float16) else np.float32


def made(f):
    return lambda *args, dtype=None: f(*args).astype(of_numpy(dtype))


def number(name, ref, *samples, dtypes=FLOATS + INTS, **kwargs):
    """torch.NAME(numbers..., dtype=)."""
    return Op(name, lambda d: [Sample(s[0], s[1:], {"dtype": d}) for s in samples], made(ref), dtypes, method=False, out=False, grad=False,
              noncontiguous=False, meta=False, **kwargs)  # fmt: skip


def like(name, value, *extra, **kwargs):
    return Op(name, lambda d: [Sample(s.input, extra) for s in unary()(d)], lambda x, *a: np.full_like(x, value), ALL, method=False, out=False,
              grad=False, **kwargs)  # fmt: skip


def new(name, value, *extra):
    return Op(name, lambda d: [Sample(rand(2, dtype=d), ((3, 2), *extra))], lambda x, size, *a: np.full(size, value, x.dtype), ALL,
              call=lambda x, *a: getattr(x, name)(*a), out=False, grad=False)  # fmt: skip


def shape_only(name, call, covers=()):
    """What makes tensors without values: only their shape is looked at."""
    return Op(name, lambda d: [Sample((3, 2), (), {"dtype": d})], lambda size, dtype=None: np.zeros(size, of_numpy(dtype)), ALL,
              call=lambda size, dtype: call(size, dtype).fill_(0), method=False, out=False, grad=False, noncontiguous=False, meta=False,
              covers=covers)  # fmt: skip


def triangles(dtype):
    return [Sample(rand(*s, dtype=dtype), (k,)) for s in ((3, 4), (2, 4, 3)) for k in (-1, 0, 2)]


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


def inplace(name, call, ref, dtypes=ALL, **kwargs):
    """A method that changes its tensor: tried on a copy."""
    return Op(name, unary(), ref, dtypes, call=lambda x, *a: call(x.clone(), *a), method=False, out=False, **kwargs)


def parts(dtype):
    return [Sample(rand(*s, dtype=dtype), (rand(*s, dtype=dtype, seed=1),)) for s in ((), (5,), (3, 4), (0,))]


def as_complex(x):
    return x[..., 0] + 1j * x[..., 1]


def conj(x):
    return x if x.dtype.kind == "b" else np.conj(x)


def set_from(x):
    y = torch.empty(0, dtype=x.dtype)
    return y.set_(x)


SIZES = [(lambda: torch.zeros(-1), RuntimeError, "negative"),
         (lambda: torch.zeros(2**40, 2**40), RuntimeError, "overflow"),
         (lambda: torch.full((2,), 300, dtype=torch.uint8), RuntimeError, "without overflow"),
         (lambda: torch.zeros(2, pin_memory=True), RuntimeError, "pin_memory")]  # fmt: skip
RANGES = [(lambda: torch.arange(0, 5, 0), RuntimeError, "step must be nonzero"),
          (lambda: torch.arange(5, 0), RuntimeError, "inconsistent with step sign"),
          (lambda: torch.arange(0, float("inf")), RuntimeError, "unsupported range")]  # fmt: skip
SETS = [(lambda: torch.zeros(2).set_(torch.zeros(3).untyped_storage(), -1, (2,), (1,)), RuntimeError, "invalid storage offset"),
        (lambda: torch.zeros(2).set_(torch.zeros(3, dtype=torch.double)), RuntimeError, "Could not set tensor"),
        (lambda: torch.zeros(2).resize_(-1), RuntimeError, "negative|overflow"),
        (lambda: torch.zeros(2).resize_(2**62), RuntimeError, "overflow")]  # fmt: skip

OPS = [
    sized("zeros", made(np.zeros), errors=SIZES),
    sized("ones", made(np.ones)),
    sized("full", made(np.full), 3),
    shape_only("empty", lambda size, dtype: torch.empty(size, dtype=dtype)),
    shape_only("empty_strided", lambda size, dtype: torch.empty_strided(size, (1, 3), dtype=dtype)),
    shape_only("empty_permuted", lambda size, dtype: torch.empty_permuted(size, (1, 0), dtype=dtype)),
    shape_only("empty_like", lambda size, dtype: torch.empty_like(torch.zeros(size, dtype=dtype))),
    shape_only("new_empty", lambda size, dtype: torch.zeros(1, dtype=dtype).new_empty(size)),
    shape_only("new_empty_strided", lambda size, dtype: torch.zeros(1, dtype=dtype).new_empty_strided(size, (1, 3))),
    shape_only("resize_", lambda size, dtype: torch.zeros(1, dtype=dtype).resize_(size), covers=("resize_as_",)),
    like("zeros_like", 0),
    like("ones_like", 1),
    like("full_like", 2, 2),
    new("new_zeros", 0),
    new("new_ones", 1),
    new("new_full", 2, 2),
    number("arange", np.arange, (5,), (1, 9, 2), (9, 0, -3), (0,), dtypes=REAL, errors=RANGES),
    number("range", lambda a, b, s=1: np.arange(a, b + s, s), (1, 4), (1, 9, 2), dtypes=REAL),
    number("linspace", np.linspace, (0, 9, 10), (1, 5, 5), (2, 3, 1), dtypes=NUMBERS),
    number("logspace", np.logspace, (0, 2, 3), (0, 1, 5), dtypes=NUMBERS, tolerance=1e-4),
    number("eye", np.eye, (3,), (2, 4), (0,), dtypes=ALL),
    number("scalar_tensor", np.array, (3,), dtypes=ALL),
    Op(
        "tril",
        triangles,
        np.tril,
        ALL,
        inplace=True,
        errors=[(lambda: torch.tril(torch.ones(3)), RuntimeError, "at least 2 dimensions")],
    ),
    Op("triu", triangles, np.triu, ALL, inplace=True),
    Op("clone", unary(), np.copy, ALL, out=False),
    method("contiguous", np.copy),
    method("detach", np.copy, grad=False, covers=("detach_",)),
    Op("alias", unary(), np.copy, ALL, call=torch.ops.aten.alias, method=False, out=False, grad=False),
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
    ),  # fmt: skip
    inplace("fill_", lambda x: x.fill_(3), lambda x: np.full_like(x, 3), grad=False),
    inplace("zero_", lambda x: x.zero_(), np.zeros_like, grad=False),
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
            (lambda: torch.zeros(2).copy_(torch.zeros(2, device="meta")), NotImplementedError, "meta tensor"),
        ],
    ),  # fmt: skip
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
        "set_",
        lambda d: [Sample(rand(3, 4, dtype=d))],
        np.copy,
        ALL,
        call=set_from,
        method=False,
        out=False,
        grad=False,
        meta=False,
        errors=SETS,
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
        meta=False,
        covers=("_local_scalar_dense",),
        errors=[(lambda: torch.ones(2).item(), RuntimeError, "cannot be converted to Scalar")],
    ),  # fmt: skip
    Op(
        "is_nonzero",
        lambda d: [Sample(rand(1, dtype=d))],
        lambda x: bool(x[0]),
        ALL,
        call=lambda x: torch.tensor(torch.is_nonzero(x)),
        method=False,
        out=False,
        grad=False,
        meta=False,
        errors=[(lambda: bool(torch.ones(2)), RuntimeError, "ambiguous")],
    ),  # fmt: skip
    Op("conj", unary(), conj, ALL, out=False, covers=("_conj",)),
    Op("conj_physical", unary(), conj, ALL, inplace=True, covers=("_conj_physical",)),
    Op("resolve_conj", unary(), np.copy, ALL, out=False, covers=("resolve_neg",)),
    Op(
        "is_conj",
        unary(shapes=((2,),)),
        lambda x: False,
        ALL,
        call=lambda x: torch.tensor(x.is_conj() or x.is_neg()),
        method=False,
        out=False,
        grad=False,
        meta=False,
        covers=("is_neg",),
    ),  # fmt: skip
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
        method=False,
        out=False,
        noncontiguous=False,
        errors=[(lambda: torch.view_as_complex(torch.ones(3)), RuntimeError, "last dimension")],
    ),  # fmt: skip
    Op("complex", parts, lambda re, im: re + 1j * im, FLOATS, method=False),
    Op(
        "polar",
        lambda d: [Sample(s.input.abs() + 0.1, s.args) for s in parts(d)],
        lambda r, phi: r * np.exp(1j * phi),
        FLOATS,
        method=False,
        gradgrad=False,
    ),
]
