"""Embeddings: batches, columns, or rows, of which each process looks up its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch.distributed.tensor._dtensor_spec import DTensorSpec, local_shape_and_offset
from torch.distributed.tensor._rules import WHOLE, Call, Strategy, rule
from torch.distributed.tensor.placement_types import Partial, Shard


def _own_rows(func: Any, args: list[Any], kwargs: dict[str, Any], specs: list[DTensorSpec]) -> torch.Tensor:
    """Looks up what is in this process's rows; other positions are zero."""
    weight, indices = args[:2]
    sizes, offsets = local_shape_and_offset(specs[0].shape, specs[0].mesh, specs[0].placements)
    own = indices - offsets[0]
    outside = (own < 0) | (own >= sizes[0])
    if not sizes[0]:
        return weight.new_zeros((*indices.shape, weight.size(1)))
    found = func(weight, own.masked_fill(outside, 0))
    return found.masked_fill_(outside.unsqueeze(-1), 0)


@rule("embedding")
def embedding(call: Call) -> Iterator[Strategy]:
    """See above."""
    indices = call.parts[1]
    for d in range(indices.ndim):
        yield Strategy((Shard(d),), (WHOLE, Shard(d)))
    yield Strategy((Shard(indices.ndim),), (Shard(1), WHOLE))
    yield Strategy((Partial("sum"),), (Shard(0), WHOLE), _own_rows)


@rule("embedding_dense_backward")
def embedding_backward(call: Call) -> Iterator[Strategy]:
    """Batches give sums."""
    gradient, indices = call.parts
    for d in range(indices.ndim):
        yield Strategy((Partial("sum"),), (Shard(d), Shard(d)))
    yield Strategy((Shard(1),), (Shard(gradient.ndim - 1), WHOLE))
    yield Strategy((Partial("sum"),), (Partial("sum"), WHOLE))
