"""Normalization over the last dimensions."""

from __future__ import annotations

from collections.abc import Iterator

from torch.distributed.tensor._rules import WHOLE, Call, Strategy, rule
from torch.distributed.tensor.placement_types import Partial, Shard


def _outer(call: Call, index: int) -> int:
    """How many dimensions are not normalized."""
    return call.parts[0].ndim - len(call.arg(index, "normalized_shape"))


@rule("native_layer_norm _fused_rms_norm")
def layer_norm(call: Call) -> Iterator[Strategy]:
    """Any cut of the outer dimensions."""
    for d in range(_outer(call, 1)):
        yield Strategy((Shard(d),) * len(call.results), (Shard(d), *(WHOLE for _ in call.parts[1:])))


@rule("native_layer_norm_backward _fused_rms_norm_backward")
def layer_norm_backward(call: Call) -> Iterator[Strategy]:
    """As forward; the gradients of the weight and the bias are sums."""
    # Which tensors follow the input: the gradient, the input and the statistics, but not the weight and the bias.
    statistics = 2 if "layer" in call.func._schema.name else 1
    for d in range(_outer(call, 2)):
        own = (Shard(d),) * (2 + statistics)
        results = tuple(None if r is None else Shard(d) if k == 0 else Partial("sum") for k, r in enumerate(call.results))
        yield Strategy(results, own + (WHOLE,) * (len(call.parts) - len(own)))
