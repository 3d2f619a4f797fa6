"""Calls of operators with DTensors: chooses a layout by the operator's rule, sends what it needs, and computes on the parts.

What was chosen is kept for calls with the same operator, layouts and other arguments.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch.distributed.tensor import _rules
from torch.distributed.tensor._api import DTensor
from torch.distributed.tensor._dtensor_spec import DTensorSpec, TensorMeta, position
from torch.distributed.tensor._redistribute import redistribute_local
from torch.distributed.tensor.placement_types import Partial, Placement, Replicate, Shard, _NormPartial

aten = torch.ops.aten


class _State(threading.local):
    implicit_replication = False
    loss_parallel = False
    planning = False  # whether operators run on meta tensors, for the shapes of results


state = _State()
_noted: set[str] = set()
_MAX_PLANS = 8192


class _Leaf(NamedTuple):
    """The place of a tensor among the arguments, in the key of a call."""

    spec: DTensorSpec


class Plan(NamedTuple):
    """What a call does."""

    targets: tuple[tuple[Placement, ...], ...]  # the layout of each DTensor among the arguments
    results: tuple[DTensorSpec | None, ...]
    run: Any  # instead of the operator: takes (func, parts of arguments, keywords, specs of the arguments)
    call: Any  # instead of the operator
    size_arg: int | None
    known: bool  # whether the shapes of results are known before the call
    mutated: int | None  # which DTensor is changed and returned


_plans: dict[Any, Plan] = {}


def forget_plans() -> None:
    """Rules have changed."""
    _plans.clear()


def _user_rule(func: Any) -> _rules.Entry | None:
    schema = func._schema
    return _rules.USER_RULES.get((schema.name, schema.overload_name)) if _rules.USER_RULES else None


class _Flat:
    """The DTensors of a call in order, and a key of everything else."""

    def __init__(self, func: Any) -> None:
        self.func = func
        self.tensors: list[DTensor] = []

    def key(self, value: Any) -> Any:
        if isinstance(value, DTensor):
            self.tensors.append(value)
            return _Leaf(value._spec)
        if isinstance(value, torch.Tensor):
            if value.dim():
                raise RuntimeError(
                    f"{self.func}: an argument is a DTensor, and another one a plain tensor of shape {tuple(value.shape)}; "
                    "make it a DTensor too (distribute_tensor, DTensor.from_local), or use implicit_replication()"
                )
            return "tensor", tuple(value.shape), value.dtype
        if isinstance(value, (list, tuple)):
            return tuple([self.key(v) for v in value])
        return type(value), value


def _map(value: Any, change: Any) -> Any:
    """The arguments with their DTensors replaced."""
    if isinstance(value, DTensor):
        return change(value)
    if isinstance(value, (list, tuple)):
        return type(value)([_map(v, change) for v in value]) if not hasattr(value, "_fields") else value
    return value


def _replicate_plain(args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """The arguments with plain tensors as whole copies."""
    found: list[Any] = []

    def look(value: Any) -> Any:
        if isinstance(value, DTensor):
            found.append(value._spec.mesh)
        elif isinstance(value, (list, tuple)):
            for v in value:
                look(v)

    look([*args, *kwargs.values()])
    mesh = found[0]

    def change(value: Any) -> Any:
        if isinstance(value, torch.Tensor) and not isinstance(value, DTensor) and value.dim():
            meta = TensorMeta(value.shape, value.stride(), value.dtype)
            return DTensor(value, DTensorSpec(mesh, (Replicate(),) * mesh.ndim, meta))
        return type(value)([change(v) for v in value]) if type(value) in (list, tuple) else value

    return [change(a) for a in args], {k: change(v) for k, v in kwargs.items()}


def dispatch(func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Runs an operator of which an argument is a DTensor."""
    from torch.distributed.tensor import _special

    name = func._schema.name
    special = _special.HANDLERS.get(name) or (_special.lists if _special.takes_lists(func) else None)
    if special is not None and _user_rule(func) is None:
        return special(func, args, kwargs)
    is_loss = state.loss_parallel and "::nll_loss" in name
    if state.implicit_replication or is_loss or torch._C._current_graph_task_id() != -1:
        # Backward makes zeros for results that had no gradient: they count as whole copies.
        args, kwargs = _replicate_plain(args, kwargs)
    _settle(func, args, kwargs)
    flat = _Flat(func)
    key: Any = (func, tuple([flat.key(a) for a in args]), tuple([(k, flat.key(v)) for k, v in kwargs.items()]))
    plan: Plan | None = None
    try:
        plan = _plans.get(key)
    except TypeError:  # an argument that has no hash
        key = None
    if plan is None:
        plan = _make_plan(func, args, kwargs, flat.tensors)
        if key is not None and plan.known:
            if len(_plans) > _MAX_PLANS:
                _plans.clear()
            _plans[key] = plan
    return run(func, args, kwargs, plan, flat.tensors)


def run(func: Any, args: Sequence[Any], kwargs: dict[str, Any], plan: Plan, tensors: list[DTensor]) -> Any:
    """Computes on the parts."""
    parts = iter(
        [redistribute_local(t._local_tensor, t._spec, target) for t, target in zip(tensors, plan.targets)]
    )  # fmt: skip
    own = [_map(a, lambda _: next(parts)) for a in args]
    named = {k: _map(v, lambda _: next(parts)) for k, v in kwargs.items()}
    if plan.size_arg is not None and plan.results[0] is not None:
        own[plan.size_arg] = list(plan.results[0].local_shape())
    if plan.run is not None:
        specs = [DTensorSpec(t._spec.mesh, target, t._spec.tensor_meta) for t, target in zip(tensors, plan.targets)]
        found = plan.run(func, own, named, specs)
    else:
        found = (plan.call or func)(*own, **named)
    if plan.mutated is not None:
        return tensors[plan.mutated]
    if isinstance(found, (tuple, list)):
        specs_of = plan.results if plan.known else _specs_of(found, plan, tensors[0])
        return type(found)([_wrap(x, spec) for x, spec in zip(found, specs_of)])
    return _wrap(found, plan.results[0] if plan.known else _specs_of([found], plan, tensors[0])[0])


def _specs_of(found: Sequence[Any], plan: Plan, like: DTensor) -> list[Any]:
    """Layouts of results whose shapes only the call tells: whole copies."""
    mesh = like._spec.mesh
    return [
        DTensorSpec(mesh, (Replicate(),) * mesh.ndim, TensorMeta(x.shape, x.stride(), x.dtype)) if isinstance(x, torch.Tensor)
        else None for x in found
    ]  # fmt: skip


def _wrap(x: Any, spec: DTensorSpec | None) -> Any:
    return DTensor(x, spec) if isinstance(x, torch.Tensor) and spec is not None else x


# --- the choice ---


def _results_on_meta(func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> list[TensorMeta | None] | None:
    """Shapes of the results, or None if they depend on values."""

    def meta(x: Any) -> Any:
        if isinstance(x, DTensor):
            m = x._spec.meta
            return torch.empty_strided(m.shape, m.stride, dtype=m.dtype, device="meta")
        if isinstance(x, torch.Tensor):
            return x.to(device="meta")
        return type(x)([meta(v) for v in x]) if isinstance(x, (list, tuple)) else x

    named = {k: torch.device("meta") if k == "device" and v is not None else meta(v) for k, v in kwargs.items()}
    before, state.planning = state.planning, True
    try:
        found = func(*[meta(a) for a in args], **named)
    except (RuntimeError, NotImplementedError) as error:
        if isinstance(error, (IndexError, ValueError)) or "meta" not in str(error).lower():
            raise
        return None
    finally:
        state.planning = before
    values = found if isinstance(found, (tuple, list)) else [found]
    return [TensorMeta(x.shape, x.stride(), x.dtype) if isinstance(x, torch.Tensor) else None for x in values]


def _bytes(shape: Sequence[int], dtype: torch.dtype) -> int:
    count = dtype.itemsize
    for size in shape:
        count *= size
    return count


def cost(source: Placement, target: Placement, size: int, n: int) -> float:
    """About how many bytes a change sends; a little for a change that only copies."""
    if source == target:
        return 0.0
    small = 1.0 + size * 1e-3
    if isinstance(target, Partial):
        # A whole copy that becomes a sum: cheap for biases, never better than the reduction of a result.
        return 3.0 * size + small if source.is_replicate() else float("inf")
    if isinstance(source, Replicate):
        return small
    if isinstance(source, Shard) and isinstance(target, Shard):
        return size / n * (n - 1) / n + 2 * small
    gathered = size * (n - 1) / n
    if isinstance(source, Shard):
        return gathered + 2 * small
    return (2 * gathered if isinstance(target, Replicate) else gathered) + 3 * small


def _mutated(func: Any, args: Sequence[Any], kwargs: dict[str, Any], tensors: list[DTensor]) -> int | None:
    """The DTensor that the operator changes and returns, by its position."""
    changed = [
        (k, a) for k, a in enumerate(func._schema.arguments)
        if a.is_write
    ]  # fmt: skip
    if not changed:
        return None
    k, argument = changed[0]
    value = args[k] if k < len(args) else kwargs.get(argument.name)
    found = [j for j, t in enumerate(tensors) if t is value]
    if len(changed) > 1 or not found:
        raise NotImplementedError(f"{func}: DTensors support operators that change one argument, and that must be a DTensor")
    return found[0]


def _settle(func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> None:
    """Norms of parts that are about to be changed in place become the norm of all of them; the value stays the same."""
    if not func._schema.name.endswith("_"):
        return
    for a in args[:1]:
        if isinstance(a, DTensor) and any(isinstance(p, _NormPartial) for p in a.placements):
            layout = (Replicate(),) * a.device_mesh.ndim
            a._local_tensor = redistribute_local(a._local_tensor, a._spec, layout)
            a._spec = DTensorSpec(a.device_mesh, layout, a._spec.tensor_meta)


def _make_plan(func: Any, args: Sequence[Any], kwargs: dict[str, Any], tensors: list[DTensor]) -> Plan:
    mesh = tensors[0]._spec.mesh
    position(mesh)
    for t in tensors:
        if t._spec.mesh != mesh:
            raise RuntimeError(f"{func}: the DTensors are on different meshes, {mesh} and {t._spec.mesh}")
    mutated = _mutated(func, args, kwargs, tensors)
    metas = [tensors[mutated]._spec.meta] if mutated is not None else _results_on_meta(func, args, kwargs)
    entry = _user_rule(func) or _rules.find(func._schema.name)
    if entry is None and metas is not None:
        note(func)
    if entry is None or metas is None:
        entry = _rules.Entry(lambda call: [_rules.whole(call)])
    chosen = []
    for i in range(mesh.ndim):
        call = _call(func, args, kwargs, tensors, metas or [], i, mesh)
        chosen.append(_choose(entry, call, mutated))
    targets = tuple(tuple(s.parts[k] for s in chosen) for k in range(len(tensors)))
    results: list[DTensorSpec | None] = []
    for k, m in enumerate(metas or []):
        places = tuple(s.results[k] for s in chosen)
        results.append(None if m is None or None in places else DTensorSpec(mesh, places, m))  # type: ignore[arg-type]
    runs = [s.run for s in chosen if s.run is not None]
    if len(set(runs)) > 1:
        # Two dimensions of the mesh would each need their own way to compute: one of them uses whole copies.
        keep = next(i for i, s in enumerate(chosen) if s.run is not None)
        return _replicated_but(keep, func, args, kwargs, tensors, metas or [], chosen, entry, mutated)
    return Plan(targets, tuple(results), runs[0] if runs else None, entry.call, entry.size_arg, metas is not None, mutated)


def _replicated_but(
    keep: int, func: Any, args: Any, kwargs: Any, tensors: Any, metas: Any, chosen: Any, entry: Any, mutated: Any
) -> Plan:  # fmt: skip
    mesh = tensors[0]._spec.mesh
    strategies = [
        s if i == keep or s.run is None else _rules.whole(_call(func, args, kwargs, tensors, metas, i, mesh))
        for i, s in enumerate(chosen)
    ]
    targets = tuple(tuple(s.parts[k] for s in strategies) for k in range(len(tensors)))
    results = tuple(
        None if m is None else DTensorSpec(mesh, [p for s in strategies if (p := s.results[k])], m) for k, m in enumerate(metas)
    )
    return Plan(targets, results, chosen[keep].run, entry.call, entry.size_arg, True, mutated)


def _call(func: Any, args: Any, kwargs: Any, tensors: list[DTensor], metas: Any, i: int, mesh: Any) -> _rules.Call:
    parts: list[_rules.Part] = []

    def part(t: DTensor) -> _rules.Part:
        m = t._spec.meta
        parts.append(_rules.Part(m.shape, m.dtype, t._spec.placements[i], t._spec))
        return parts[-1]

    own = [_map(a, part) for a in args]
    named = {k: _map(v, part) for k, v in kwargs.items()}
    return _rules.Call(func, own, named, parts, list(metas), mesh.size(i), mesh.size())


def _choose(entry: _rules.Entry, call: _rules.Call, mutated: int | None) -> _rules.Strategy:
    best, best_cost = None, float("inf")
    sizes = [_bytes(p.shape, p.dtype) for p in call.parts]
    for strategy in [*entry.rule(call), *([_rules.whole(call)] if entry.whole_too else [])]:
        if mutated is not None:
            kept = call.parts[mutated].placement
            if strategy.parts[mutated] != kept or strategy.results[0] != kept:
                continue
        total = sum(cost(p.placement, target, size, call.size) for p, target, size in zip(call.parts, strategy.parts, sizes))
        if total < best_cost:
            best, best_cost = strategy, total
    if best is None and mutated is not None:
        layout = call.parts[mutated].placement
        raise RuntimeError(f"{call.func}: cannot change a DTensor in the layout {layout} in place; redistribute it first")
    if best is None:
        layouts = [p.placement for p in call.parts]
        raise RuntimeError(f"{call.func}: its rule has no layouts that DTensors in the layouts {layouts} can be brought to")
    return best


def note(func: Any) -> None:
    """Says once that an operator has no rule."""
    name = str(func)
    if name not in _noted:
        _noted.add(name)
        import logging

        logging.getLogger("torch.distributed.tensor").info(
            "%s has no rule for parts of tensors: it computes on whole copies in every process", name
        )
