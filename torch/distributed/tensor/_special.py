"""Operators that need more than a rule: those that give Python values, and those of lists of tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.tensor._api import DTensor
from torch.distributed.tensor._counts import note
from torch.distributed.tensor._dtensor_spec import DTensorSpec, TensorMeta
from torch.distributed.tensor._redistribute import redistribute_local
from torch.distributed.tensor.placement_types import Partial, Placement, Replicate, Shard, _NormPartial


def _whole(x: Any) -> Any:
    if not isinstance(x, DTensor):
        return x
    return redistribute_local(x._local_tensor, x._spec, (Replicate(),) * x._spec.mesh.ndim)


def _scalar(func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """The number in a tensor with one element, on every process."""
    return func(_whole(args[0]))


def _equal(func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> bool:
    a, b = args
    if not (isinstance(a, DTensor) and isinstance(b, DTensor)):
        return func(_whole(a), _whole(b))
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if any(isinstance(p, Partial) for p in a.placements):
        return func(_whole(a), _whole(b))
    other = redistribute_local(b._local_tensor, b._spec, a.placements)
    agrees = torch.tensor([func(a._local_tensor, other)], dtype=torch.int32, device=other.device)
    for i in range(a.device_mesh.ndim):
        note("all_reduce")
        dist.all_reduce(agrees, dist.ReduceOp.MIN, a.device_mesh.get_group(i))
    return bool(agrees.item())


def _is_same_size(func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> bool:
    return args[0].shape == args[1].shape


def _mutated_lists(func: Any) -> set[int]:
    return {k for k, a in enumerate(func._schema.arguments) if a.is_write}


_LINEAR = ("_foreach_mul", "_foreach_div", "_foreach_neg", "_foreach_zero")  # with one list: sums of parts stay sums


def _layout(tensors: Sequence[Any], linear: bool, fixed: DTensor | None) -> tuple[Placement, ...]:
    """The layout in which tensors of one position in the lists are combined."""
    if fixed is not None:
        return fixed.placements
    spread = [t for t in tensors if isinstance(t, DTensor)]
    first = next((t for t in spread if any(isinstance(p, Shard) for p in t.placements)), spread[0])
    agree = all(t.placements == first.placements for t in spread)
    return tuple(p if not p.is_partial() or (linear and agree) else Replicate() for p in first.placements)


def _write_back(tensors: Any, own: Any, layouts: list[Any]) -> None:
    """Changes the tensors whose parts were in another layout, in theirs."""
    if not isinstance(tensors, (list, tuple)):
        return
    for t, x, layout in zip(tensors, own, layouts):
        if isinstance(t, DTensor) and x is not t._local_tensor:
            t._local_tensor.copy_(redistribute_local(x, DTensorSpec(t._spec.mesh, layout, t._spec.tensor_meta), t.placements))


def takes_lists(func: Any) -> bool:
    """Whether this is an operator of lists; `_fused_rms_norm`, for one, is not."""
    name = func._schema.name
    return ("::_foreach_" in name or "::_fused_" in name) and str(func._schema.arguments[0].type).endswith("[]")


def lists(func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Operators of lists, such as _foreach_add_ and fused optimizer steps: the tensors at one position have one layout."""
    name = func._schema.name
    args, mutated, fused = list(args), _mutated_lists(func), "::_fused_" in name
    grads = {k for k in mutated if func._schema.arguments[k].name == "grads"}
    is_list = [isinstance(a, (list, tuple)) and any(isinstance(t, torch.Tensor) for t in a) for a in args]
    columns = [k for k, here in enumerate(is_list) if here]
    count = len(args[columns[0]])
    norms = "_foreach_norm" in name or "_foreach_max" in name
    linear = len(columns) == 1 and any(word in name for word in _LINEAR)
    layouts: list[tuple[Placement, ...] | None] = []
    specs: list[DTensorSpec | None] = []
    for j in range(count):
        row = [args[k][j] for k in columns if j < len(args[k])]
        spread = [t for t in row if isinstance(t, DTensor)]
        if not spread:
            layouts.append(None)
            specs.append(None)
            continue
        fixed = next((args[k][j] for k in columns if k in mutated and isinstance(args[k][j], DTensor)), None)
        layout = _layout(row, linear, fixed)
        if fixed is not None and not linear and any(p.is_partial() for p in layout):
            raise RuntimeError(f"{func}: cannot change a DTensor in the layout {layout} in place; redistribute it first")
        plain = [t for t in row if not isinstance(t, DTensor) and t.dim()]
        if plain:
            raise RuntimeError(f"{func}: a list has DTensors, and another one plain tensors at the same position, {j}")
        layouts.append(layout)
        specs.append(spread[0]._spec)

    def local(value: Any) -> Any:
        if not isinstance(value, (list, tuple)):
            return _whole(value)
        return [
            redistribute_local(t._local_tensor, t._spec, layouts[j]) if isinstance(t, DTensor) else t  # type: ignore[arg-type]
            for j, t in enumerate(value)
        ]

    own = [local(a) for a in args]
    found = func(*own, **{k: local(v) for k, v in kwargs.items()})
    for k in mutated if "grad_scale" in kwargs or not fused else mutated - grads:
        _write_back(args[k], own[k], layouts)
    if found is None or mutated:
        return found

    def wrap(x: Any, j: int) -> Any:
        layout, spec = layouts[j], specs[j]
        if layout is None or spec is None:
            return x
        if norms:
            order = args[1] if len(args) > 1 else kwargs.get("ord", 2)
            order = float("inf") if "max" in name else float(order)
            layout = tuple(_NormPartial("sum", order) if isinstance(p, Shard) else p for p in layout)
            return DTensor(x, DTensorSpec(spec.mesh, layout, TensorMeta(x.shape, x.stride(), x.dtype)))
        return DTensor(x, DTensorSpec(spec.mesh, layout, TensorMeta(spec.shape, spec.stride, x.dtype)))

    return type(found)([wrap(x, j) for j, x in enumerate(found)])


HANDLERS = {
    "aten::_local_scalar_dense": _scalar, "aten::item": _scalar, "aten::is_nonzero": _scalar, "aten::equal": _equal,
    "aten::is_same_size": _is_same_size,
}  # fmt: skip
