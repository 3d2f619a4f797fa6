"""The parameters of one sharded module, which are gathered by one message, and whose gradients are summed by one."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.fsdp._param import FSDPParam


class ParamGroup:
    """Gathers and frees parameters, and sums gradients.

    Messages run in the background: `unshard` starts them, and `wait_for_unshard` fills the parameters.
    """

    def __init__(
        self, params: list[FSDPParam], mesh: Any, shard_dim: int | None, replicate_dim: int | None, mp_policy: Any
    ) -> None:
        self.params, self.mp_policy = params, mp_policy
        self.shard_group = mesh.get_group(shard_dim) if shard_dim is not None and mesh.size(shard_dim) > 1 else None
        self.replicate_group = (
            mesh.get_group(replicate_dim) if replicate_dim is not None and mesh.size(replicate_dim) > 1 else None
        )
        self.num_shards = mesh.size(shard_dim) if shard_dim is not None else 1
        self.num_copies = self.num_shards * (mesh.size(replicate_dim) if replicate_dim is not None else 1)
        self.is_unsharded = False
        self.reduces = self.all_reduces = True
        self.divide_factor: float | None = None
        self.all_reduce_hook: Any = None
        self.held: dict[FSDPParam, torch.Tensor] = {}  # gradients that were not sent yet
        self.partial: dict[FSDPParam, torch.Tensor] = {}  # sums over the shards that were not summed over the copies yet
        self._gathering: list[tuple[list[FSDPParam], torch.Tensor, Any]] | None = None

    # --- parameters ---

    def _by_dtype(self) -> list[list[FSDPParam]]:
        found: dict[torch.dtype, list[FSDPParam]] = {}
        for p in self.params:
            found.setdefault(p.compute_dtype, []).append(p)
        return list(found.values())

    @torch.no_grad()
    def unshard(self) -> None:
        """Starts to gather the parameters, if they are not there."""
        if self.is_unsharded or self._gathering is not None:
            return
        self._gathering = []
        for params in self._by_dtype():
            own = torch.cat([p.send() for p in params])
            work, parts = None, own
            if self.shard_group is not None:
                parts = own.new_empty(own.numel() * self.num_shards)
                work = dist.all_gather_into_tensor(parts, own, self.shard_group, async_op=True)
            self._gathering.append((params, parts.view(self.num_shards, -1), work))

    @torch.no_grad()
    def wait_for_unshard(self) -> None:
        """Puts the whole parameters into the modules."""
        if self.is_unsharded:
            return
        self.unshard()
        assert self._gathering is not None
        for params, parts, work in self._gathering:
            if work is not None:
                work.wait()
            for p, rows in zip(params, parts.split([p.numel for p in params], 1)):
                p.fill(rows)
                p.put(p.unsharded)  # type: ignore[arg-type]
        self._gathering = None
        self.is_unsharded = True

    def reshard(self) -> None:
        """Puts the parts back, and frees the memory of the whole parameters."""
        if self._gathering is not None:
            for _, _, work in self._gathering:
                if work is not None:
                    work.wait()
            self._gathering = None
        if not self.is_unsharded:
            return
        for p in self.params:
            p.put(p.sharded)
            p.free()
        self.is_unsharded = False

    # --- gradients ---

    @torch.no_grad()
    def reduce_gradients(self) -> Reduction | None:
        """Starts to sum the gradients that backward has made, or holds them for later."""
        given: list[tuple[FSDPParam, torch.Tensor]] = []
        for p in self.params:
            grad = p.take_gradient()
            if p in self.held:
                held = self.held.pop(p)
                grad = held if grad is None else held.add_(grad)
            if grad is not None:
                given.append((p, grad))
        if not given:
            return None
        if not self.reduces:
            for p, grad in given:
                wide = self.mp_policy.reduce_dtype
                self.held[p] = grad.to(wide) if wide is not None else grad
            return None
        return Reduction(self, given)


class Reduction:
    """Gradients of a group on their way."""

    def __init__(self, group: ParamGroup, given: list[tuple[FSDPParam, torch.Tensor]]) -> None:
        self.group, self.params = group, [p for p, _ in given]
        dtype = group.mp_policy.reduce_dtype or max((g.dtype for _, g in given), key=lambda d: d.itemsize)
        self.rows = torch.cat([p.rows(g, dtype) for p, g in given], 1)
        self.part, self.work = self.rows.view(-1), None
        if group.shard_group is not None:
            self.part = self.rows.new_empty(self.rows.size(1))
            self.work = dist.reduce_scatter_tensor(self.part, self.rows.view(-1), group=group.shard_group, async_op=True)

    @torch.no_grad()
    def finish(self) -> None:
        """Adds the sums to the gradients of the parts."""
        if self.work is not None:
            self.work.wait()
        del self.rows
        group, part = self.group, self.part
        rows = part.split([p.numel for p in self.params])
        if group.replicate_group is not None:
            if not group.all_reduces:
                for p, row in zip(self.params, rows):
                    group.partial[p] = group.partial[p] + row if p in group.partial else row.clone()
                return
            for p, row in zip(self.params, rows):
                if p in group.partial:
                    row += group.partial.pop(p)
            dist.all_reduce(part, group=group.replicate_group)
        part /= group.divide_factor or group.num_copies
        if group.all_reduce_hook is not None:
            group.all_reduce_hook(part)
        for p, row in zip(self.params, rows):
            p.add_gradient(row)
