"""Attention: batches and heads are independent."""

from __future__ import annotations

from collections.abc import Iterator

from torch.distributed.tensor._rules import WHOLE, Call, Part, Strategy, rule
from torch.distributed.tensor.placement_types import Placement, Shard


def _mask(part: Part, d: int, ndim: int) -> Placement:
    k = d - (ndim - part.ndim)
    return Shard(k) if k >= 0 and part.shape[k] != 1 else WHOLE


def _cut(call: Call, tensors: int) -> Iterator[Strategy]:
    """Cuts of dimensions 0 and 1 of the first `tensors` arguments; the last one may be a mask."""
    query = call.parts[0]
    for d in (0, 1):
        sizes = {p.shape[d] for p in call.parts[:tensors] if p.ndim > d}
        if len(sizes) > 1 and not call.even(*sizes):
            continue  # heads of keys that several heads of queries share
        own: list[Placement] = [Shard(d)] * tensors
        own += [_mask(p, d, query.ndim) for p in call.parts[tensors:]]
        # logsumexp has the batch and the heads in the same places.
        yield Strategy(tuple(_result(call, k, d) for k in range(len(call.results))), tuple(own))


def _result(call: Call, k: int, d: int) -> Placement | None:
    result = call.results[k]
    return None if result is None else Shard(d)


@rule("_scaled_dot_product_flash_attention_for_cpu")
def flash(call: Call) -> Iterator[Strategy]:
    """Batches or heads."""
    return _cut(call, 3)


@rule("_scaled_dot_product_flash_attention_for_cpu_backward")
def flash_backward(call: Call) -> Iterator[Strategy]:
    """Batches or heads."""
    return _cut(call, 6)
