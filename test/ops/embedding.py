"""Embedding tables."""

import numpy as np

import torch
import torch.nn.functional as F
from ops.common import ALL, ALL_FLOATS, BOOL, COMPLEX, FLOATS, INTS, VALUES, Op, Sample, rand

INDICES = torch.tensor([[1, 2, 2], [0, 6, 1]])


def tables(dtype):
    table = rand(7, 4, dtype=dtype)
    yield from (Sample(table, (i,)) for i in (INDICES, INDICES.int(), torch.tensor(3), torch.zeros(0, 2, dtype=torch.long)))


def padded_tables(dtype):
    """Rows of padding_idx are read but get no gradient, so gradcheck does not apply."""
    return [Sample(rand(7, 4, dtype=dtype), (INDICES, p, f)) for p in (-1, 2) for f in (False, True)]


def dense_backward(grad, indices, rows, padding_idx, by_freq):
    result = np.zeros((rows, grad.shape[-1]), grad.dtype)
    flat, count = indices.reshape(-1), np.bincount(indices.reshape(-1), minlength=rows)
    for i, g in zip(flat, grad.reshape(len(flat), -1)):
        if i != padding_idx:
            result[i] += g / count[i] if by_freq else g
    return result


def backward_samples(dtype):
    return [Sample(rand(2, 3, 4, dtype=dtype), (INDICES, 7, p, f)) for p in (-1, 2) for f in (False, True)]


def renormed(table, indices, max_norm, norm_type):
    table = table.copy()
    for i in np.unique(indices):
        norm = (np.abs(table[i]) ** norm_type).sum() ** (1 / norm_type)
        if norm > max_norm:
            table[i] *= max_norm / (norm + 1e-7)
    return table


OPS = [
    Op("embedding", tables, lambda w, i, padding_idx=-1: w[i], ALL, method=False,
       errors=((lambda: F.embedding(torch.tensor([9]), rand(3, 2)), IndexError, "index out of range in self", VALUES),
               (lambda: F.embedding(torch.tensor([-1]), rand(3, 2)), IndexError, "index out of range in self", VALUES),
               (lambda: F.embedding(torch.tensor([0.0]), rand(3, 2)), RuntimeError, "Long, Int"),
               (lambda: F.embedding(INDICES, rand(3)), RuntimeError, "'weight' must be 2-D"))),
    Op("embedding", padded_tables, lambda w, i, padding_idx, by_freq: w[i], method=False, grad=False, dtypes=FLOATS + INTS + COMPLEX + BOOL),
    Op("embedding_dense_backward", backward_samples, dense_backward, takes=INTS + BOOL, call=torch.ops.aten.embedding_dense_backward, method=False, out=False,
       grad=False, dtypes=ALL_FLOATS + COMPLEX),
    Op("embedding_renorm", lambda dtype: [Sample(rand(7, 4, dtype=dtype), (INDICES, 1.0, p)) for p in (1.0, 2.0)], renormed,
       call=lambda w, *args: torch.embedding_renorm_(w.clone(), *args), method=False, out=False, grad=False, meta=False, dtypes=ALL_FLOATS + COMPLEX),
]  # fmt: skip
