"""Operators on lists of tensors. Types and references are those of the operator that each calls for every element."""

import importlib

import numpy as np

import torch
from ops.common import ALL, COMPLEX, FLOATS, LIB, REDUCED, VALUES, Op, Sample, rand

FAMILIES = "activation", "arithmetic", "binary_math", "comparison", "minmax", "special", "ternary", "unary", "unary_math"
ENTRIES = {op.name: op for f in reversed(FAMILIES) for op in reversed(importlib.import_module(f"ops.{f}").OPS)}

SHAPES = (3,), (2, 3), (0,)
ALONE = {"method": False, "out": False, "noncontiguous": False}
P = [torch.ones(3)]


def numbers(dtype, low=0.2, high=0.9, seed=0):
    return [rand(*s, dtype=dtype, low=low, high=high, seed=seed) for s in SHAPES]


def mapped(f):
    """A reference on lists; what is no list goes to every call."""

    def ref(first, *rest, **kwargs):
        return [f(x, *(r[i] if isinstance(r, list) else r for r in rest), **kwargs) for i, x in enumerate(first)]

    return ref


def foreach(name, make, ref=None, base=None, **kwargs):
    entry = ENTRIES[base or name]
    found = {"takes": entry.takes, **ALONE, **kwargs}
    return Op(f"_foreach_{name}", make, mapped(ref or entry.ref), found.pop("dtypes", entry.dtypes), **found)


def unary(name):
    low, high = (1.2, 2) if name == "acosh" else (0.2, 0.9)
    return foreach(name, lambda dtype: [Sample(numbers(dtype, low, high))])


def binary(name, *, number=False, base=None, **kwargs):
    """Two lists, a list and a number, a list and numbers; for some a tensor that holds a number."""

    def make(dtype):
        x, y = numbers(dtype, 1, 3), numbers(dtype, 1, 3, 1)
        found = [Sample(x, (y,)), Sample(x, (2,)), Sample(x, ([1, 2, 3],))]
        return [*found, Sample(x, (rand(dtype=dtype, low=1, high=3),))] if number else found

    return foreach(name, make, base=base, **kwargs)


def ternary(name, ref):
    """Three lists and a number or numbers; in the second entry a tensor that holds the numbers, one for each element."""

    def operands(dtype):
        return numbers(dtype, 1, 3), (numbers(dtype, 1, 3, 1), numbers(dtype, 1, 3, 2))

    def make(dtype):
        x, yz = operands(dtype)
        return [Sample(x, yz), Sample(x, yz, {"value": 2}), Sample(x, (*yz, [1, 2, 3]))]

    def with_tensor(dtype):
        x, yz = operands(dtype)
        return [Sample(x, (*yz, torch.tensor([1, 2, 3])))]

    def on_cpu(xs, ys, zs, values):  # where the numbers are, whatever the device of the tensors
        return getattr(torch, f"_foreach_{name}")(xs, ys, zs, values.cpu() if isinstance(values, torch.Tensor) else values)

    second = foreach(name, with_tensor, meta=False, call=on_cpu)
    second.ref = lambda xs, ys, zs, values: [ref(*args) for args in zip(xs, ys, zs, values)]
    return [foreach(name, make, ref), second]


def lerp(x, y, weight):
    return x + np.asarray(weight, x.dtype) * (y - x)


def lerp_samples(dtype):
    x, y = numbers(dtype, 1, 3), numbers(dtype, 1, 3, 1)
    return [Sample(x, (y, numbers(dtype))), Sample(x, (y, 0.5)), Sample(x, (y, [0.25, 0.5, 2.0]))]


def norms(x, ord=2, dtype=None):
    flat = np.abs(x.ravel()).astype(np.float64)
    if ord == np.inf:
        return flat.max() if flat.size else np.float64(0)
    return (flat**ord).sum() ** (1 / ord)


NAMES = (
    "abs acos asin atan ceil cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2 neg reciprocal round rsqrt "
    "sigmoid sign sin sinh sqrt tan tanh trunc"
).split()

ERRORS = [
    (lambda: torch._foreach_abs([]), RuntimeError, "the list of tensors is empty"),
    (
        lambda: torch._foreach_add(P, [P[0], P[0]]),
        RuntimeError,
        "lists must have one length; the first has 1 elements, another has 2",
    ),
    (lambda: torch._foreach_add(P, [1.0, 2.0]), RuntimeError, "lists must have one length"),
    (lambda: torch._foreach_mul(P, torch.ones(2)), RuntimeError, "0-dimensional"),
    (
        lambda: torch._foreach_addcmul(P, P, P, torch.ones(2)),
        RuntimeError,
        "scalars has 2 elements for 1 tensors|must be on the CPU",
        VALUES,
    ),
]

MATRICES = {"dtypes": FLOATS + COMPLEX, "takes": ALL}

OPS = [
    *map(unary, NAMES),
    *(binary(name, number=True) for name in ("add", "mul", "div")),
    binary("sub"),
    *(binary(name) for name in ("clamp_min", "clamp_max")),
    *(binary(name, base=name) for name in ("maximum", "minimum")),
    binary("pow"),
    Op("_foreach_pow", lambda dtype: [Sample(2, (numbers(dtype, 1, 3),))], lambda x, ys: [np.power(x, y) for y in ys],
       FLOATS, call=torch._foreach_pow, takes=ALL, meta=False, **ALONE),
    *ternary("addcmul", lambda x, y, z, v=1, value=1: x + np.asarray(v * value, x.dtype) * y * z),
    *ternary("addcdiv", lambda x, y, z, v=1, value=1: x + np.asarray(v * value, x.dtype) * y / z),
    foreach("lerp", lerp_samples, lerp, errors=ERRORS),
    Op("_foreach_max", lambda d: [Sample(numbers(d)[:2])], mapped(np.max), FLOATS, takes=ALL, **ALONE,
       errors=((lambda: torch._foreach_max([torch.ones(0)]), RuntimeError, "without elements"),)),
    Op("_foreach_norm", lambda d: [Sample(numbers(d), a) for a in ((), (1,), (3,))], mapped(norms), FLOATS + REDUCED + COMPLEX,
       tolerance=1e-4, grad=False, **ALONE,
       errors=((lambda: torch._foreach_norm([torch.ones(2, dtype=torch.int64)]), RuntimeError, "floating point"),)),
    Op("_foreach_powsum", lambda d: [Sample(numbers(d), a) for a in ((), (3,))],
       mapped(lambda x, ord=2: (np.abs(x) ** ord).sum()), FLOATS, takes=ALL, call=torch._foreach_powsum, **ALONE),
    Op("_foreach_clone", lambda d: [Sample(numbers(d))], mapped(np.copy), ALL, **ALONE),
    Op("_foreach_mm", lambda d: [Sample([rand(2, 3, dtype=d), rand(3, 1, dtype=d)], ([rand(3, 2, dtype=d), rand(1, 2, dtype=d)],))],
       mapped(np.matmul), **MATRICES, **ALONE),
    Op("_foreach_copy", lambda d: [Sample(numbers(d), (numbers(d, seed=1),))], mapped(lambda x, y: y), ALL,
       call=LIB._foreach_copy, **ALONE),
    Op("_foreach_zero", lambda d: [Sample(numbers(d))], mapped(np.zeros_like), ALL, call=LIB._foreach_zero, grad=False, **ALONE),
]  # fmt: skip
