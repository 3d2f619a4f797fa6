"""Integers of few values, images of bytes, rows of few elements, small complex matrices, Python's data.

Like the layers, these are cases that programs have and the sweep's samples do not.
"""

from __future__ import annotations

import io

import numpy as np

import torch
import torch.nn.functional as F


def over(operator, *operands):
    """A case: the operator of what the functions in `operands` make."""

    def make(dtype, _):
        made = [operand(dtype) for operand in operands]
        return lambda: operator(*made)

    return make


def labels(dtype):
    return torch.randint(0, 100, (100_000,)).to(dtype)


def counts(dtype):
    return torch.randint(1, 5, (100_000,)).to(dtype)


LABELS = {
    "labels, sort": over(lambda x: x.sort(), labels),
    "labels, median": over(lambda x: x.median(), labels),
    "labels, mode": over(lambda x: x.mode(), labels),
    "labels, kthvalue": over(lambda x: x.kthvalue(1000), labels),
    "labels, unique": over(lambda x: x.unique(return_inverse=True, return_counts=True), labels),
    "labels, unique_consecutive": over(lambda x: x.unique_consecutive(), labels),
    "labels, bincount": over(torch.bincount, labels),
    "labels, to float32": over(lambda x: x.float(), labels),
    "labels, to float64": over(lambda x: x.double(), labels),
    "labels, shift by a number": over(lambda x: x << 2, labels),
    "labels, shift back by a number": over(lambda x: x >> 2, labels),
    "labels, shift": over(lambda x, y: x << y, labels, counts),
    "labels, floor_divide": over(lambda x, y: x // y, labels, counts),
    "labels, remainder by a number": over(lambda x: x % 7, labels),
    "labels, cumsum": over(lambda x: x.cumsum(0), labels),
    "labels, cummax": over(lambda x: x.cummax(0), labels),
}


def images(size, channels, layout=torch.contiguous_format):
    return lambda _: torch.randint(0, 256, (1, channels, size, size), dtype=torch.uint8).contiguous(memory_format=layout)


def resize(size, mode, antialias):
    return lambda x: F.interpolate(x, size=(size, size), mode=mode, antialias=antialias)


IMAGES = {
    f"bytes, {mode} {before} to {after}{', antialiased' if antialias else ''}, {channels} channels{where}": over(
        resize(after, mode, antialias), images(before, channels, layout)
    )
    for mode in ("bilinear", "bicubic")
    for before, after in ((512, 224), (256, 384))
    for antialias in (False, True)
    for channels in (1, 3)
    for where, layout in (("", torch.contiguous_format), (", channels last", torch.channels_last))
}


def rows(n, columns):
    return lambda dtype: torch.randn(n, columns).to(dtype)


def places(n, columns, end):
    return lambda _: torch.randint(0, end, (n, columns))


FEW = {
    "rows of four, gather": over(lambda x, i: x.gather(1, i), rows(50_000, 4), places(50_000, 4, 4)),
    "rows of four, scatter_add": over(
        lambda x, i, y: x.scatter_add(1, i, y), rows(50_000, 4), places(50_000, 4, 4), rows(50_000, 4)
    ),
    "rows of four, index_select": over(lambda x: x[:, [3, 0, 1]], rows(50_000, 4)),
    "rows of four, roll": over(lambda x: x.roll(1, 1), rows(50_000, 4)),
    "rows of four, softmax": over(lambda x: x.softmax(0), rows(50_000, 4)),
    "rows of four, fill a column": over(lambda x: x[:, 1].fill_(2), rows(50_000, 4)),
    "rows of four, cummax": over(lambda x: x.cummax(0), rows(50_000, 4)),
    "rows of 100, times a row": over(lambda x, y: x * y, rows(1000, 100), rows(1, 100)),
    "rows of 100, a column": over(lambda x: x.expand(1000, 100).contiguous(), rows(1000, 1)),
    "rows of 100, index_select": over(lambda x, i: x.index_select(1, i), rows(1000, 100), lambda _: torch.randint(0, 100, (50,))),
    "rows of 10, flip": over(lambda x: x.flip(1), rows(10_000, 10)),
    "rows of 10, diff": over(lambda x: x.diff(dim=1), rows(10_000, 10)),
    "rows of 10, sum": over(lambda x: x.sum(1), rows(10_000, 10)),
    "rows of 10, prod": over(lambda x: x.prod(1), rows(10_000, 10)),
    "rows of 10, argmax": over(lambda x: x.argmax(1), rows(10_000, 10)),
    "rows of 10, roll": over(lambda x: x.roll(1, 1), rows(10_000, 10)),
    "rows of 10, gather": over(lambda x, i: x.gather(1, i), rows(10_000, 10), places(10_000, 10, 10)),
    "rows of 10, pad": over(lambda x: F.pad(x, (1, 1)), rows(10_000, 10)),
    "rows of 10, products of two": over(lambda x, y: torch.einsum("bi,bi->b", x, y), rows(10_000, 10), rows(10_000, 10)),
    "rows of 10, by a vector": over(lambda x, y: x @ y[0], rows(10_000, 10), rows(1, 10)),
    "rows of 20, times a column": over(lambda x, y: x * y, rows(10_000, 20), rows(10_000, 1)),
    "parts of rows of 18, neg": over(lambda x: x[:, 1:].neg(), rows(10_000, 18)),
    "columns of bfloat16, sum": over(lambda x: x.sum(0), lambda _: torch.randn(64, 1000).bfloat16()),
    "large numbers, gelu": over(lambda x: F.gelu(x * 10), rows(1000, 100)),
    "outer products, 3 x 3": over(lambda x, y: x[:, :, None] * y[:, None, :], rows(1000, 3), rows(1000, 3)),
    "median of rows": over(lambda x: x.median(1), rows(200, 1000)),
    "median of columns": over(lambda x: x.median(0), rows(1000, 200)),
    "kthvalue of rows": over(lambda x: x.kthvalue(100, 1), rows(200, 1000)),
    "kron": over(torch.kron, rows(100, 4), rows(100, 4)),
    "tril of a wide matrix": over(lambda x: x.tril(), rows(4, 50_000)),
}


def small(n, columns=None):
    return lambda dtype: torch.randn(1000, n, columns or n, dtype=dtype)


COMPLEX = {
    **{f"small matrices, {n} x {n}, bmm": over(torch.bmm, small(n), small(n)) for n in (2, 3, 4, 8, 16, 24)},
    **{f"small matrices, {n} x {n}, by a vector": over(torch.matmul, small(n), small(n, 1)) for n in (2, 4, 8, 16)},
    "small matrices, 8 x 8, bmm of a transposed": over(lambda x, y: x.mT @ y, small(8), small(8)),
    "small matrices, 8 x 8, bmm with a transposed": over(lambda x, y: x @ y.mT, small(8), small(8)),
}


def array(_):
    return np.random.default_rng(0).random((100, 50))


def matrix(_):
    return torch.rand(100, 50)


def parameters(_):
    return torch.nn.Sequential(*[torch.nn.Linear(64, 64) for _ in range(50)]).state_dict()


def saved(_):
    file = io.BytesIO()
    torch.save(parameters(_), file)
    return file.getvalue()


PYTHON = {
    "Python, save 100 parameters": over(lambda x: torch.save(x, io.BytesIO()), parameters),
    "Python, load 100 parameters": over(lambda x: torch.load(io.BytesIO(x)), saved),
    "Python, from_numpy": over(torch.from_numpy, array),
    "Python, tensor of an array": over(torch.tensor, array),
    "Python, numpy": over(lambda x: x.numpy(), matrix),
    "Python, asarray": over(np.asarray, matrix),
    "Python, tolist": over(lambda x: x.tolist(), matrix),
    "Python, tensor of lists": over(torch.tensor, lambda _: matrix(_).tolist()),
    "Python, nonzero": over(lambda x: x.nonzero(), lambda _: torch.rand(100) > 0.5),
}


def cases():
    """Name -> (function that makes the function to time, its type, False)."""
    found = {}
    for dtype in ("uint8", "int16", "int32", "int64"):
        for name, make in LABELS.items():
            found[f"{name}, {dtype}"] = make, getattr(torch, dtype), False
    for dtype in ("float32", "float64"):
        for name, make in FEW.items():
            found[f"{name}, {dtype}"] = make, getattr(torch, dtype), False
    for dtype in ("complex64", "complex128"):
        for name, make in COMPLEX.items():
            found[f"{name}, {dtype}"] = make, getattr(torch, dtype), False
    for name, make in {**IMAGES, **PYTHON}.items():
        found[name] = make, None, False
    return found
