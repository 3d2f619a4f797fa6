"""Reductions, and operators along one dimension."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from torch.distributed.tensor._ops.views import moved, without
from torch.distributed.tensor._rules import Call, Strategy, rule
from torch.distributed.tensor.placement_types import Partial, Placement, Shard, _NormPartial


def reduced_dims(call: Call, index: int, name: str = "dim") -> list[int]:
    """The dimensions that are reduced: all by default."""
    ndim = call.parts[0].ndim
    dims = call.arg(index, name, None)
    if dims is None or dims == []:
        return list(range(ndim))
    return [d % max(ndim, 1) for d in (dims if isinstance(dims, (list, tuple)) else [dims])]


def reduction(call: Call, index: int, keeps: Any, combined: Callable[[Call, int], Placement | None], linear: bool = False
              ) -> Iterator[Strategy]:  # fmt: skip
    """Cut along a dimension that stays, or along one that is reduced, where `combined` says what the parts are."""
    part, dims = call.parts[0], reduced_dims(call, index)
    d = part.sharded
    n = len(call.results)
    if d is not None and d not in dims:
        yield Strategy((Shard(d if keeps else d - sum(k < d for k in dims)),) * n, (part.placement,))
    elif d is not None:
        target = combined(call, d)
        if target is not None:
            yield Strategy((target,) * n, (part.placement,))
    if linear and isinstance(part.placement, Partial) and part.placement.reduce_op in ("sum", "avg"):
        yield Strategy((part.placement,) * n, (part.placement,))


@rule("sum nansum")
def add_up(call: Call) -> Iterator[Strategy]:
    """Parts add up."""
    return reduction(
        call, 1, call.arg(2, "keepdim", False), lambda *_: Partial("sum"), linear="nan" not in call.func._schema.name
    )


@rule("mean")
def mean(call: Call) -> Iterator[Strategy]:
    """Parts of one length have means whose average is the mean."""

    def average(call: Call, d: int) -> Placement | None:
        return Partial("avg") if call.even(call.parts[0].shape[d]) else None

    return reduction(call, 1, call.arg(2, "keepdim", False), average, linear=True)


def _extreme(op: str) -> Callable[[Call, int], Placement | None]:
    # The extremes of an empty part are not defined.
    return lambda call, d: Partial(op) if call.even(call.parts[0].shape[d]) else None


for _name, _op in (("amax", "max"), ("amin", "min")):
    rule(_name)(lambda call, op=_op: reduction(call, 1, call.arg(2, "keepdim", False), _extreme(op)))  # type: ignore[misc]


@rule("max min")
def extremes(call: Call) -> Iterator[Strategy]:
    """Over all elements as amax; along a dimension with their places, that must not be cut."""
    if len(call.results) == 1 and len(call.parts) == 1:
        op = "max" if "max" in call.func._schema.name else "min"
        return reduction(call, 1, False, _extreme(op))
    if len(call.parts) == 2:
        from torch.distributed.tensor._ops.pointwise import elementwise

        return elementwise(call)
    return reduction(call, 1, call.arg(2, "keepdim", False), lambda *_: None)


@rule("var std all any prod argmax argmin median nanmedian mode logsumexp var_mean std_mean")
def within_parts(call: Call) -> Iterator[Strategy]:
    """Dimensions that are reduced must not be cut."""
    keeps = call.arg(3, "keepdim", False) if "correction" in call.func._overloadname else call.arg(2, "keepdim", False)
    return reduction(call, 1, keeps, lambda *_: None)


@rule("linalg_vector_norm norm")
def norm(call: Call) -> Iterator[Strategy]:
    """Norms of parts make the norm."""
    if "vector" not in call.func._schema.name and len(call.args) < 3:
        order, index = call.arg(1, "p", 2), 99
    else:
        order, index = call.arg(1, "ord", 2), 2
    return reduction(
        call, index, call.arg(3, "keepdim", False), lambda *_: _NormPartial("sum", float(2 if order is None else order))
    )


@rule("_log_softmax")
def log_softmax(call: Call) -> Iterator[Strategy]:
    """Any cut."""
    from torch.distributed.tensor._ops import class_parallel

    yield from along(call)
    dim = Shard(call.arg(1, "dim") % max(call.ndim, 1))
    yield Strategy((dim,), (dim,), class_parallel.log_softmax)


@rule("_softmax softmax cumsum cumprod cummax cummin logcumsumexp sort argsort")
def along(call: Call) -> Iterator[Strategy]:
    """Any cut but along the dimension."""
    return moved(call, without(call, call.arg(1, "dim", -1)), linear=False)


@rule("topk kthvalue")
def topk(call: Call) -> Iterator[Strategy]:
    """Any cut but along the dimension."""
    return moved(call, without(call, call.arg(2, "dim", -1)), linear=False)


@rule("_softmax_backward_data _log_softmax_backward_data")
def softmax_backward(call: Call) -> Iterator[Strategy]:
    """As pointwise, but along the dimension."""
    dim = call.arg(2, "dim") % max(call.ndim, 1)
    if "log" in call.func._schema.name:
        from torch.distributed.tensor._ops import class_parallel

        yield Strategy((Shard(dim),), (Shard(dim), Shard(dim)), class_parallel.log_softmax_backward)
    for p in call.parts:
        if p.sharded is not None and p.sharded != dim:
            yield Strategy((Shard(p.sharded),), (Shard(p.sharded),) * len(call.parts))
