"""Operators that give other views of a tensor: where each dimension goes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch.distributed.tensor._rules import Call, Strategy, rule
from torch.distributed.tensor.placement_types import Partial, Placement, Shard, _StridedShard

Places = Sequence["int | None"]  # for each dimension of the argument, that of the result


def moved(call: Call, places: Places, linear: bool = True) -> Iterator[Strategy]:
    """The cut of the first tensor, moved to where its dimension goes; the other tensors are whole."""
    from torch.distributed.tensor._rules import WHOLE

    part = call.parts[0]
    rest = (WHOLE,) * (len(call.parts) - 1)
    p = part.placement
    if isinstance(p, Shard) and places[p.dim] is not None:
        d: Any = places[p.dim]
        target: Placement = _StridedShard(d, p.split_factor) if isinstance(p, _StridedShard) else Shard(d)
        yield Strategy((target,) * len(call.results), (p, *rest))
    if isinstance(p, Partial) and linear:
        yield Strategy((p,) * len(call.results), (p, *rest))


def _register(names: str, places: Callable[[Call], Places], linear: bool = True, size_arg: int | None = None) -> None:
    rule(names, size_arg)(lambda call: moved(call, places(call), linear))


def _all(call: Call) -> list[int | None]:
    return list(range(call.parts[0].ndim))


def _wrap(d: int, ndim: int) -> int:
    return d + ndim if d < 0 else d


def without(call: Call, *dims: int) -> list[int | None]:
    """Every dimension stays, but `dims` must not be cut."""
    ndim = call.parts[0].ndim
    own = {_wrap(d, ndim) for d in dims}
    return [None if d in own else d for d in range(ndim)]


def removed(call: Call, *dims: int) -> list[int | None]:
    """The dimensions after `dims` have gone."""
    ndim = call.parts[0].ndim
    own = {_wrap(d, ndim) for d in dims}
    return [None if d in own else d - sum(k < d for k in own) for d in range(ndim)]


def _transposed(call: Call) -> list[int | None]:
    places = _all(call)
    a, b = (_wrap(call.arg(k, n), len(places)) for k, n in ((1, "dim0"), (2, "dim1")))
    places[a], places[b] = b, a
    return places


def _permuted(call: Call) -> list[int | None]:
    ndim = call.parts[0].ndim
    order = [_wrap(d, ndim) for d in call.arg(1, "dims")]
    return [order.index(d) for d in range(ndim)]


def _expanded(call: Call) -> list[int | None]:
    part, ndim = call.parts[0], call.ndim
    shift = ndim - part.ndim
    shape = call.results[0].shape
    return [d + shift if size == shape[d + shift] else None for d, size in enumerate(part.shape)]


def _squeezed(call: Call) -> list[int | None]:
    part = call.parts[0]
    dims = call.arg(1, "dim", None)
    chosen = (
        range(part.ndim) if dims is None else [_wrap(d, part.ndim) for d in (dims if isinstance(dims, (list, tuple)) else [dims])]
    )
    return removed(call, *(d for d in chosen if part.shape[d] == 1))


def _unsqueezed(call: Call) -> list[int | None]:
    at = _wrap(call.arg(1, "dim"), call.parts[0].ndim + 1)
    return [d + (d >= at) for d in range(call.parts[0].ndim)]


def _viewed(call: Call) -> list[int | None]:
    """Dimensions that stay; or, of dimensions that join or come apart, the outermost one, if its parts are of one length."""
    old, new = call.parts[0].shape, call.results[0].shape
    places: list[int | None] = [None] * len(old)
    if 0 in old:
        return places
    i = j = 0
    while i < len(old) or j < len(new):
        first, second = i, j
        a = old[i] if i < len(old) else 1
        b = new[j] if j < len(new) else 1
        i, j = i + (i < len(old)), j + (j < len(new))
        while a != b:
            if a < b:
                a *= old[i]
                i += 1
            else:
                b *= new[j]
                j += 1
        if (i - first, j - second) == (1, 1):
            places[first] = second
            continue
        # Dimensions of one element may stand before the outermost one.
        while first < i and old[first] == 1:
            first += 1
        while second < j and new[second] == 1:
            second += 1
        if first < i and second < j and (old[first] == new[second] or call.even(old[first], new[second])):
            places[first] = second
    return places


def _reshape(x: torch.Tensor, shape: list[int], **kwargs: Any) -> torch.Tensor:
    return x.reshape(shape)


rule("view reshape _unsafe_view _reshape_alias", 1, _reshape)(lambda call: moved(call, _viewed(call)))
_register("t numpy_T", lambda call: [1, 0] if call.parts[0].ndim == 2 else _all(call))
_register("transpose swapaxes", _transposed)
_register("permute", _permuted)
_register("expand", _expanded, size_arg=1)
_register("squeeze", _squeezed)
_register("unsqueeze", _unsqueezed)
_register("select", lambda call: removed(call, call.arg(1, "dim")))
_register("slice", lambda call: without(call, call.arg(1, "dim", 0)))
_register("narrow split split_with_sizes chunk tensor_split", lambda call: without(
    call, call.arg(2, "dim", 0) if "narrow" not in call.func._schema.name else call.arg(1, "dim")))  # fmt: skip
_register("unbind", lambda call: removed(call, call.arg(1, "dim", 0)))
_register("flip", lambda call: without(call, *call.arg(1, "dims")))
_register("roll", lambda call: without(call, *(call.arg(2, "dims", None) or range(call.parts[0].ndim))))
_register("tril triu", lambda call: without(call, -1, -2))
_register("diagonal", lambda call: [None] * call.parts[0].ndim)
_register("view_as_real", _all)
_register("view_as_complex", lambda call: [*_all(call)[:-1], None])
_register("slice_backward", lambda call: without(call, call.arg(2, "dim")), size_arg=1)
_register("constant_pad_nd", lambda call: without(call, *range(-(len(call.arg(1, "pad")) // 2), 0)), linear=False)


def _select_backward(call: Call) -> list[int | None]:
    at = _wrap(call.arg(2, "dim"), call.parts[0].ndim + 1)
    return [d + (d >= at) for d in range(call.parts[0].ndim)]


_register("select_backward", _select_backward, size_arg=1)


@rule("repeat")
def repeat(call: Call) -> Iterator[Strategy]:
    """Dimensions that are not repeated."""
    part, times = call.parts[0], call.arg(1, "repeats")
    shift = len(times) - part.ndim
    yield from moved(call, [d + shift if times[d + shift] == 1 else None for d in range(part.ndim)])
