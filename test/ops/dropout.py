"""Dropout: the reference draws from the words of the generator."""

import numpy as np

import torch
from ops.common import ALL_FLOATS, BOOL, COMPLEX, FLOATS, INTS, REDUCED, Op, Sample, rand
from ops.shared.seeded import LOOSE, Words, seeded


def kept(x, p):
    """Of each element whether it stays."""
    words = Words()
    return np.array([words.uniform() < 1 - p for _ in range(int(np.prod(x)))], dtype=float).reshape(x)


def by_channel(x):
    return (*x.shape[:2], *[1] * (x.ndim - 2))


def dropout(x, p, train):
    return x * kept(x.shape, p) / (1 - p) if train and p < 1 else x * (not train or p < 1)


def feature_dropout(x, p, train):
    return x * kept(by_channel(x), p) / (1 - p) if train else x


def alpha(x, stay, p):
    """Constants that preserve mean and variance after selu."""
    saturation = 1.7580993408473766
    a = 1 / np.sqrt((saturation**2 * p + 1) * (1 - p))
    return x * stay * a + (stay - 1) * saturation * a + saturation * a * p


def alpha_dropout(x, p, train):
    return alpha(x, kept(x.shape, p), p) if train else x


def feature_alpha_dropout(x, p, train):
    return alpha(x, kept(by_channel(x), p), p) if train else x


def native_dropout(x, p, train):
    stay = kept(x.shape, p) if train is not False else np.ones(x.shape)
    return x * stay / (1 - p if train is not False else 1), stay.astype(bool)


def drop(name, ref, dtypes=FLOATS + REDUCED):
    fn = getattr(torch, name)

    def samples(dtype):
        for shape in ((2, 3), (1, 2, 4), (2, 3, 4, 2), (0, 2)):
            for args in ((0.5, True), (0.2, True), (0.5, False), *(((1.0, True),) if name == "dropout" else ())):
                yield Sample(rand(*shape, dtype=dtype), args)

    x, errors = torch.ones(2, 3), []
    errors = [(lambda: fn(x, p, True), RuntimeError, "between 0 and 1") for p in (-0.1, 1.5, float("nan"))]
    if name.startswith("feature"):
        errors.append((lambda: fn(x[0], 0.5, True), RuntimeError, "at least 2 dimensions"))

    @seeded
    def in_place(x, *args):
        y = x.clone()
        assert getattr(torch, name + "_")(y, *args) is y
        return y

    same = {"method": False, "out": False, "noncontiguous": False, "tolerance": 1e-5}
    return (Op(name, samples, ref, dtypes, call=seeded(fn), errors=tuple(errors), **same),
            Op(name + "_", samples, ref, dtypes, call=in_place, **same))  # fmt: skip


X, NAN = torch.zeros(3), float("nan")

OPS = [
    *drop("dropout", dropout),
    *drop("feature_dropout", feature_dropout),
    *drop("alpha_dropout", alpha_dropout),
    *drop("feature_alpha_dropout", feature_alpha_dropout),
    Op("native_dropout", lambda dtype: [Sample(rand(2, 5, dtype=dtype), (p, t)) for p, t in ((0.5, True), (0.0, True), (0.5, False), (0.3, None))],
       native_dropout, ALL_FLOATS + COMPLEX, call=seeded(torch.native_dropout), out=False, **LOOSE,
       errors=((lambda: torch.native_dropout(X, 1.5, True), RuntimeError, "p"),), meta=False),
    Op("native_dropout_backward", lambda dtype: [Sample(rand(3, 4, dtype=dtype), (torch.arange(12).view(3, 4) % 3 > 0, 1.5))], lambda g, mask, scale: g * mask * scale, ALL_FLOATS + COMPLEX,
       takes=INTS + BOOL, method=False, out=False),
]  # fmt: skip
