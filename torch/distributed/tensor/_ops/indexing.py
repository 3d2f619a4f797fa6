"""Elements by their places."""

from __future__ import annotations

from collections.abc import Iterator

from torch.distributed.tensor._rules import WHOLE, Call, Strategy, rule
from torch.distributed.tensor.placement_types import Shard


@rule("gather scatter scatter_add scatter_reduce take_along_dim")
def along(call: Call) -> Iterator[Strategy]:
    """Any cut but along the dimension, if all tensors have the sizes of the first one elsewhere."""
    dim, first = call.arg(1, "dim") % max(call.parts[0].ndim, 1), call.parts[0]
    for d in range(first.ndim):
        if d != dim and all(p.ndim == first.ndim and p.shape[d] == first.shape[d] for p in call.parts):
            yield Strategy((Shard(d),), (Shard(d),) * len(call.parts))


@rule("index_select")
def index_select(call: Call) -> Iterator[Strategy]:
    """Any cut but along the dimension; or a cut of the indices."""
    dim, first = call.arg(1, "dim") % max(call.parts[0].ndim, 1), call.parts[0]
    for d in range(first.ndim):
        if d != dim:
            yield Strategy((Shard(d),), (Shard(d), WHOLE))
    yield Strategy((Shard(dim),), (WHOLE, Shard(0)))


@rule("index")
def index(call: Call) -> Iterator[Strategy]:
    """By one tensor of indices: cuts of the other dimensions, or of the indices."""
    indices = call.arg(1, "indices")
    at = [k for k, value in enumerate(indices) if value is not None]
    if len(at) != 1 or len(call.parts) != 2 or not call.parts[1].dtype.is_signed or call.parts[1].dtype.is_floating_point:
        return
    first, chosen, dim = call.parts[0], call.parts[1], at[0]
    for d in range(first.ndim):
        if d != dim:
            yield Strategy((Shard(d if d < dim else d + chosen.ndim - 1),), (Shard(d), WHOLE))
    for d in range(chosen.ndim):
        yield Strategy((Shard(dim + d),), (WHOLE, Shard(d)))
