"""Products of matrices."""

from __future__ import annotations

from collections.abc import Iterator

from torch.distributed.tensor._rules import WHOLE, Call, Part, Strategy, rule
from torch.distributed.tensor.placement_types import Partial, Placement, Shard

SUM = Partial("sum")


def _products(first: int) -> Iterator[tuple[Placement, Placement, Placement]]:
    """(result, left, right) for matrices whose rows are dimension `first`."""
    rows, columns = Shard(first), Shard(first + 1)
    yield rows, rows, WHOLE
    yield columns, WHOLE, columns
    yield SUM, columns, rows
    yield SUM, SUM, WHOLE
    yield SUM, WHOLE, SUM
    if first:
        yield Shard(0), Shard(0), Shard(0)


@rule("mm bmm")
def mm(call: Call) -> Iterator[Strategy]:
    """Rows, columns, or the inner dimension, which gives sums."""
    for result, left, right in _products(call.ndim - 2):
        yield Strategy((result,), (left, right))


def _bias(part: Part, result: Placement, ndim: int) -> Placement:
    """The layout of what is added, which may have fewer dimensions, or one element in some."""
    if not isinstance(result, Shard):
        return result
    d = result.dim - (ndim - part.ndim)
    return Shard(d) if d >= 0 and part.shape[d] != 1 else WHOLE


@rule("addmm baddbmm")
def addmm(call: Call) -> Iterator[Strategy]:
    """As mm; the bias follows the result."""
    for result, left, right in _products(call.ndim - 2):
        yield Strategy((result,), (_bias(call.parts[0], result, call.ndim), left, right))


@rule("mv")
def mv(call: Call) -> Iterator[Strategy]:
    """Rows, or the inner dimension."""
    yield Strategy((Shard(0),), (Shard(0), WHOLE))
    yield Strategy((SUM,), (Shard(1), Shard(0)))
    yield Strategy((SUM,), (SUM, WHOLE))


@rule("dot vdot")
def dot(call: Call) -> Iterator[Strategy]:
    """Parts give sums."""
    yield Strategy((SUM,), (Shard(0), Shard(0)))


@rule("linear")
def linear(call: Call) -> Iterator[Strategy]:
    """Where the operator comes whole: dimensions of the batch, columns, or the inner dimension."""
    given = call.parts[0]
    last = given.ndim - 1
    for d in range(last):
        yield Strategy((Shard(d),), (Shard(d), *(WHOLE for _ in call.parts[1:])))
    yield Strategy((Shard(last),), (WHOLE, Shard(0), *(Shard(0) for _ in call.parts[2:])))
    yield Strategy((SUM,), (Shard(last), Shard(1), *(SUM for _ in call.parts[2:])))
