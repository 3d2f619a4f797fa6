"""New tensors that look like others."""

from __future__ import annotations

from collections.abc import Iterator

from torch.distributed.tensor._rules import Call, Strategy, rule
from torch.distributed.tensor.placement_types import Shard


@rule("empty_like zeros_like ones_like full_like rand_like randn_like randint_like")
def like(call: Call) -> Iterator[Strategy]:
    """In the layout of the other tensor."""
    if isinstance(call.parts[0].placement, Shard):
        yield Strategy((call.parts[0].placement,), (call.parts[0].placement,))


@rule("new_empty new_zeros new_ones new_full", size_arg=1)
def new(call: Call) -> Iterator[Strategy]:
    """In the layout of the other tensor, if the shape is the same; nothing is read of that."""
    p = call.parts[0].placement
    if isinstance(p, Shard) and tuple(call.results[0].shape) == tuple(call.parts[0].shape):
        yield Strategy((p,), (p,))


@rule("new_empty_strided")
def new_strided(call: Call) -> Iterator[Strategy]:
    """Whole copies: the strides of a part are other ones."""
    return iter(())
