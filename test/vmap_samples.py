"""Batches made of the operator table's samples, and the loop that vmap is compared with."""

from __future__ import annotations

import warnings

import torch
from torch.utils._pytree import tree_flatten, tree_unflatten

EXAMPLES = 3


def examples_of(t):
    """Tensors like t with other values that an operator takes as well: scaled, or the same elements at other places."""
    if t.is_floating_point() or t.is_complex():
        return [t.detach() * (1 - 0.125 * k) for k in range(EXAMPLES)]
    return [torch.roll(t.reshape(-1), k).reshape(t.shape) for k in range(EXAMPLES)]


def placements(tensors):
    """Which tensors are batched, and along which dimension: all, at both ends and between, and each alone."""
    yield [0] * len(tensors)
    yield [-1] * len(tensors)
    if any(t.dim() > 1 for t in tensors):
        yield [1 if t.dim() > 0 else 0 for t in tensors]
    if len(tensors) > 1:
        for k in range(len(tensors)):
            yield [0 if i == k else None for i in range(len(tensors))]


def comparisons(op, sample):
    """(dims, function of the tensors, batched tensors, one list of tensors per example) for a sample."""
    flat, spec = tree_flatten((sample.input, sample.args, sample.kwargs))
    where = [k for k, x in enumerate(flat) if isinstance(x, torch.Tensor)]
    tensors = [flat[k] for k in where]

    def function(*given):
        filled = list(flat)
        for k, x in zip(where, given):
            filled[k] = x
        first, args, kwargs = tree_unflatten(filled, spec)
        return op.fn(first, *args, **kwargs)

    for dims in placements(tensors) if tensors else ():
        rows = [examples_of(t) if d is not None else [t.detach()] * EXAMPLES for t, d in zip(tensors, dims)]
        batched = [torch.stack(r, d) if d is not None else r[0] for r, d in zip(rows, dims)]
        yield tuple(dims), function, batched, list(zip(*rows))


def tensors_in(result):
    return [x for x in tree_flatten(result)[0] if isinstance(x, torch.Tensor)]


def looped(function, rows):
    """The results of one call for each example, stacked."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [torch.stack(parts) for parts in zip(*[tensors_in(function(*[x.clone() for x in row])) for row in rows])]


def vmapped(function, dims, batched, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return tensors_in(torch.vmap(lambda *xs: tensors_in(function(*xs)), in_dims=dims, **options)(*batched))
