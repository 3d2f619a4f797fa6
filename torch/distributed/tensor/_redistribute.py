"""Changes of layout: which messages bring a tensor from some placements to others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.distributed.tensor import _collectives
from torch.distributed.tensor._dtensor_spec import DTensorSpec, local_shape_and_offset, position, sharding_order
from torch.distributed.tensor.placement_types import Partial, Placement, Replicate, Shard


def _dims(*placements: Placement) -> set[int]:
    return {p.dim for p in placements if isinstance(p, Shard)}


def _changes(source: Sequence[Placement], target: Sequence[Placement]) -> tuple[list[int], bool]:
    """The dimensions of the mesh to change, and whether they can change one by one.

    Where several of them cut one dimension of the tensor, the inner parts are gathered before an outer one changes.
    """
    changed = {i for i, (a, b) in enumerate(zip(source, target)) if a != b}
    alone = True
    while True:
        touched = [(i, _dims(source[i], target[i])) for i in changed]
        more = {
            j for j in range(len(source)) if j not in changed and any(_dims(source[j], target[j]) & dims for _, dims in touched)
        }
        for k, (_, dims) in enumerate(touched):
            alone = alone and not any(dims & other for _, other in touched[k + 1 :])
        if not more:
            return sorted(changed), alone
        # An unchanged part inside or outside of a changed one is cut anew.
        changed |= more
        alone = False


def redistribute_local(local: torch.Tensor, spec: DTensorSpec, target: Sequence[Placement]) -> torch.Tensor:
    """This process's part in the layout `target`, out of the one in `spec`. It may be the same tensor."""
    source, mesh = spec.placements, spec.mesh
    if source == tuple(target):
        return local
    where = position(mesh)
    changed, alone = _changes(source, target)
    now = list(source)
    if alone:
        for i in changed:
            local = _change(local, spec, now, i, target[i], where)
            now[i] = target[i]
        return local
    for i in reversed(sharding_order(source)):
        if i in changed:
            local = _change(local, spec, now, i, Replicate(), where)
            now[i] = Replicate()
    for i in changed:
        if isinstance(now[i], Partial) and now[i] != target[i]:
            local = _change(local, spec, now, i, Replicate(), where)
            now[i] = Replicate()
    order = sharding_order(target)
    for i in [*(j for j in range(len(now)) if j not in order), *order]:
        if i in changed and now[i] != target[i]:
            local = _change(local, spec, now, i, target[i], where)
            now[i] = target[i]
    return local


def _change(
    local: torch.Tensor, spec: DTensorSpec, now: list[Placement], i: int, target: Placement, where: tuple[int, ...]
) -> torch.Tensor:  # fmt: skip
    """One dimension of the mesh."""
    mesh, source = spec.mesh, now[i]
    if source == target:
        return local
    if isinstance(source, Shard):
        whole = local_shape_and_offset(spec.shape, mesh, now, where, before=i)[0]
        if isinstance(target, Shard):
            if source.dim == target.dim:
                return local
            return _collectives.exchange(local, mesh, i, source.dim, target.dim, whole[source.dim])
        local = _collectives.gather(local, mesh, i, source.dim, whole[source.dim])
    elif isinstance(source, Partial):
        if isinstance(target, Shard):
            return _collectives.reduce_and_cut(local, mesh, i, source, target.dim, where[i])
        local = _collectives.reduce(local, mesh, i, source)
    elif isinstance(target, Shard):
        return _collectives.cut(local, mesh, i, target.dim, where[i])
    return _collectives.as_partial(local, mesh, i, target) if isinstance(target, Partial) else local


def without_partial(placements: Sequence[Placement], reference: Sequence[Placement] | None = None) -> tuple[Placement, ...]:
    """The placements that gradients have: every process needs the whole gradient of what it adds to a sum."""
    if reference is None:
        return tuple(Replicate() if p.is_partial() else p for p in placements)
    return tuple(Replicate() if p.is_partial() and not q.is_partial() else p for p, q in zip(placements, reference))


class Redistribute(torch.autograd.Function):
    """A change of layout, and the opposite change of the gradient."""

    @staticmethod
    def forward(ctx: Any, x: Any, mesh: Any, target: tuple[Placement, ...], forward_dtype: Any, backward_dtype: Any) -> Any:
        from torch.distributed.tensor._api import DTensor

        ctx.spec, ctx.backward_dtype, ctx.dtype = x._spec, backward_dtype, x.dtype
        local = x._local_tensor
        if forward_dtype is not None:
            local = local.to(forward_dtype)
        local = redistribute_local(local, x._spec, target)
        if local is x._local_tensor:
            local = local.view_as(local)
        meta = x._spec.meta._replace(dtype=local.dtype)
        return DTensor(local, DTensorSpec(mesh, target, meta), requires_grad=x.requires_grad)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        from torch.distributed.tensor._api import DTensor

        target = without_partial(ctx.spec.placements, grad.placements)
        local = grad._local_tensor
        if ctx.backward_dtype is not None:
            local = local.to(ctx.backward_dtype)
        local = redistribute_local(local, grad._spec, target).to(ctx.dtype)
        if local is grad._local_tensor:
            local = local.view_as(local)
        meta = grad._spec.meta._replace(dtype=local.dtype)
        return DTensor(local, DTensorSpec(ctx.spec.mesh, target, meta)), None, None, None, None
