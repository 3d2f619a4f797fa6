"""Padding."""

import numpy as np

import torch
import torch.nn.functional as F
from ops.common import ALL, BOOL, COMPLEX, FUNCTION_ONLY, NUMBERS, REDUCED, Op, Sample, internal, rand
from ops.shared.gradients import gradient

NN = torch._C._nn

MODES = {"reflect": "reflect", "replicate": "edge"}


def padded(x, pad, mode="constant", value=None):
    """pad: two numbers each for the last dimension, the one before it, ... A negative one cuts."""
    pairs = [(0, 0)] * (x.ndim - len(pad) // 2) + [tuple(pad[i : i + 2]) for i in range(0, len(pad), 2)][::-1]
    if mode in MODES:  # these look at the whole input; the others at what is left after the cuts
        grown = np.pad(x, [(max(a, 0), max(b, 0)) for a, b in pairs], MODES[mode])
        return grown[tuple(slice(max(-a, 0), n - max(-b, 0)) for (a, b), n in zip(pairs, grown.shape))]
    x = x[tuple(slice(max(-a, 0), n - max(-b, 0)) for (a, b), n in zip(pairs, x.shape))]
    if not pairs:
        return x
    widths = [(max(a, 0), max(b, 0)) for a, b in pairs]
    return np.pad(x, widths, "wrap") if mode == "circular" else np.pad(x, widths, constant_values=value or 0)


CASES = {
    1: (((1, 2, 3), (1, 2)), ((2, 4), (0, 3)), ((2, 2, 5), (-1, 2)), ((0, 2, 4), (1, 1))),
    2: (((1, 2, 2, 3), (1, 2, 0, 1)), ((2, 4, 4), (3, 0, 2, 1)), ((2, 2, 5, 4), (-1, 2, 1, -2)), ((0, 2, 4, 4), (1, 1, 1, 1))),
    3: (((1, 1, 2, 2, 3), (1, 2, 0, 1, 1, 0)), ((2, 3, 3, 3), (1, 0, 2, 1, 1, 1)), ((2, 2, 3, 5, 4), (-1, 2, 1, -2, 0, 1)), ((0, 2, 4, 4, 4), (1,) * 6)),
}  # fmt: skip


def edges(n, kind, mode):
    fn = getattr(NN, f"{kind}_pad{n}d")
    x, one = torch.zeros(1, 2, *[4] * n), (1,) * 2 * n
    errors = [(lambda: fn(x[0, 0], one), RuntimeError, "Expected"), (lambda: fn(x, (1,)), RuntimeError, "padding size is expected to be"),
              (lambda: fn(x, (-9,) * 2 * n), RuntimeError, "too small"), (lambda: fn(x[..., :0], one), RuntimeError, "Expected"),
              (lambda: fn(x[:, :0], one), RuntimeError, "Expected")]  # fmt: skip
    if kind == "reflection":
        errors.append((lambda: fn(x, (9,) * 2 * n), RuntimeError, "less than the corresponding input dimension"))
    return Op(f"{kind}_pad{n}d", lambda dtype: [Sample(rand(*s, dtype=dtype), (p,)) for s, p in CASES[n]], lambda x, p: padded(x, p, mode),
              NUMBERS, call=fn, method=False, errors=tuple(errors))  # fmt: skip


def constant_samples(dtype):
    for shape, pad in (((3,), (1, 2)), ((2, 3), (1, 0, 2, 1)), ((2, 3), (-1, 1)), ((2, 0, 3), (1, 1, 2, 0)), ((2, 3), ()), ((), ()),
                       ((2, 3, 4, 5), (1, 1, -2, 3, 0, 0, 1, 0)), ((3, 70), (3, 5))):  # fmt: skip
        yield Sample(rand(*shape, dtype=dtype), (pad,))
        yield Sample(rand(*shape, dtype=dtype), (pad, 2))


def circular_samples(dtype):
    return [Sample(rand(*s, dtype=dtype), (p,)) for s, p in (((2, 3), (1, 3)), ((1, 2, 4), (2, 0)), ((1, 2, 3, 4), (1, 2, 3, 0)),
                                                             ((1, 1, 2, 3, 2), (1, 1, 0, 2, 1, 0)), ((1, 2, 5), (-1, 2)))]  # fmt: skip


def pad_samples(dtype):
    for mode in ("constant", "reflect", "replicate", "circular"):
        for shape, pad in (((1, 2, 3), (1, 2)), ((1, 2, 3, 3), (1, 2, 0, 1)), ((1, 1, 3, 3, 3), (1, 0, 0, 1, 1, 1))):
            yield Sample(rand(*shape, dtype=dtype), (pad, mode))
    yield Sample(rand(2, 3, dtype=dtype), ((1, 0), "constant", 3.0 if dtype != torch.bool else 1.0))


X = torch.zeros(3, 2, 4)

OPS = [
    *(edges(n, kind, mode) for n in (1, 2, 3) for kind, mode in (("reflection", "reflect"), ("replication", "replicate"))),
    Op("constant_pad_nd", constant_samples, lambda x, p, v=0: padded(x, p, value=v), ALL, **FUNCTION_ONLY,
       errors=((lambda: torch.constant_pad_nd(X, (1,)), RuntimeError, "even|divisible by 2"),
               (lambda: torch.constant_pad_nd(X, (1,) * 8), RuntimeError, "two times|twice"),
               (lambda: torch.constant_pad_nd(X, (-3, -2)), RuntimeError, "negative output size|must be non-negative"))),
    Op("_pad_circular", circular_samples, lambda x, p: padded(x, p, "circular"), ALL, call=NN._pad_circular, **FUNCTION_ONLY,
       errors=((lambda: NN._pad_circular(X, (5, 5)), RuntimeError, "wrapping around more than once"),
               (lambda: NN._pad_circular(X, (-5, 0)), RuntimeError, "egative"))),
    Op("pad", pad_samples, padded, NUMBERS, takes=BOOL, call=F.pad, **FUNCTION_ONLY,
       errors=((lambda: F.pad(X, (1, 1), "x"), NotImplementedError, "Unrecognised padding mode"),
               (lambda: F.pad(X, (1, 1), "reflect", 2.0), RuntimeError, "take in value argument"),
               (lambda: F.pad(X, (1,), "reflect"), RuntimeError, "divisible by 2"),
               (lambda: F.pad(X[0], (1, 1, 1, 1), "reflect"), NotImplementedError, "upported"))),
    internal("_pad_enum", lambda dtype: [Sample(rand(2, 3, 4, dtype=dtype), ((1, 2), mode)) for mode in (0, 1, 2, 3)],
             lambda x, p, mode: padded(x, p, ("reflect", "replicate", "circular", "constant")[mode]), NUMBERS),
    *(gradient(f"{kind}_pad1d_backward", (2, 7), (2, 5), [1, 1], takes=REDUCED + COMPLEX) for kind in ("reflection", "replication")),
    *(gradient(f"{kind}_pad2d_backward", (2, 6, 7), (2, 4, 5), [1, 1, 1, 1], takes=REDUCED + COMPLEX) for kind in ("reflection", "replication")),
    *(gradient(f"{kind}_pad3d_backward", (2, 5, 6, 7), (2, 3, 4, 5), [1] * 6, takes=REDUCED + COMPLEX) for kind in ("reflection", "replication")),
]  # fmt: skip
