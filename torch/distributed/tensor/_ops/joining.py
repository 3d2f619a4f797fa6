"""Tensors joined to one."""

from __future__ import annotations

from collections.abc import Iterator

from torch.distributed.tensor._rules import Call, Strategy, rule
from torch.distributed.tensor.placement_types import Partial, Shard


def _joined(call: Call, added: int) -> Iterator[Strategy]:
    """`added` is 1 if the dimension is a new one."""
    ndim = max(p.ndim for p in call.parts)
    dim = call.arg(1, "dim", 0) % max(ndim + added, 1)
    for d in {p.sharded for p in call.parts}:
        if d is not None and (added or d != dim) and all(p.ndim == ndim for p in call.parts):
            yield Strategy((Shard(d + (added and d >= dim)),), (Shard(d),) * len(call.parts))
    for p in {p.placement for p in call.parts if isinstance(p.placement, Partial)}:
        if all(q.placement == p for q in call.parts):
            yield Strategy((p,), (p,) * len(call.parts))


@rule("cat concat")
def cat(call: Call) -> Iterator[Strategy]:
    """Cut along another dimension, or sums of one kind."""
    return _joined(call, 0)


@rule("stack")
def stack(call: Call) -> Iterator[Strategy]:
    """Cut along any dimension, or sums of one kind."""
    return _joined(call, 1)
