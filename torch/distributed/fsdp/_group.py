"""The parameters of one sharded module, which are gathered by one message, and whose gradients are summed by one."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.fsdp._param import FSDPParam
from torch.distributed.fsdp._parts import Parts
from torch.distributed.fsdp._reduction import Reduction


class ParamGroup:
    """Gathers and frees parameters, and sums gradients.

    Messages run in the background: `unshard` starts them, and `wait_for_unshard` fills the parameters.
    """

    def __init__(
        self, params: list[FSDPParam], mesh: Any, shard_dim: int | None, replicate_dim: int | None, mp_policy: Any
    ) -> None:
        self.params, self.mp_policy = params, mp_policy
        self.shard_group = mesh.get_group(shard_dim) if shard_dim is not None and mesh.size(shard_dim) > 1 else None
        self.reduce_group = self.shard_group  # in which gradients are summed
        self.replicate_group = (
            mesh.get_group(replicate_dim) if replicate_dim is not None and mesh.size(replicate_dim) > 1 else None
        )
        self.cuts = shard_dim is not None
        self.num_shards = mesh.size(shard_dim) if shard_dim is not None else 1
        self.num_copies = self.num_shards * (mesh.size(replicate_dim) if replicate_dim is not None else 1)
        self.inner_mesh: Any = None  # (parts / k, k), if parameters are cut into k parts between forward and backward
        self.is_inner = False  # whether they are
        self.is_unsharded = False
        self.reduces = self.all_reduces = True
        self.divide_factor: float | None = None
        self.all_reduce_hook: Any = None
        self.comm_hook: Any = None  # sums gradients instead of this class
        self.all_gather: Any = None  # what `set_custom_all_gather` gave
        self.reduce_scatter: Any = None  # what `set_custom_reduce_scatter` gave
        self.reduces_unused = False  # parameters without a gradient count as ones with zeros
        self.keeps_low_precision = False  # gradients stay in the dtype of computing
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
            own = torch.cat([p.send_inner() if self.is_inner else p.send() for p in params])
            group, size = (self.inner_mesh.get_group(1), self.inner_mesh.size(1)) if self.is_inner else (
                self.shard_group, self.num_shards)  # fmt: skip
            work, rows = None, own
            if group is not None and size > 1:
                rows, work = self._all_gather(own, size, group)
            self._gathering.append((params, rows.view(size, -1), work))

    def _all_gather(self, own: torch.Tensor, size: int, group: Any) -> tuple[torch.Tensor, Any]:
        if self.all_gather is None:
            rows = own.new_empty(own.numel() * size)
            return rows, dist.all_gather_into_tensor(rows, own, group, async_op=True)
        rows = self.all_gather.allocate((own.numel() * size,), dtype=own.dtype, device=own.device)
        return rows, self.all_gather(rows, own, group, async_op=True)

    def _parts(self, p: FSDPParam) -> Parts:
        """Those that `unshard` gathers."""
        return p.inner_parts if self.is_inner and p.inner_parts is not None else p.parts

    @torch.no_grad()
    def wait_for_unshard(self) -> None:
        """Puts the whole parameters into the modules."""
        if self.is_unsharded:
            return
        self.unshard()
        assert self._gathering is not None
        for params, rows, work in self._gathering:
            if work is not None:
                work.wait()
            for p, own in zip(params, rows.split([self._parts(p).numel for p in params], 1)):
                p.fill(own, self._parts(p))
                p.put(p.unsharded)  # type: ignore[arg-type]
                p.inner = None
        self._gathering = None
        self.is_unsharded, self.is_inner = True, False

    @torch.no_grad()
    def reshard_after_forward(self) -> None:
        """Frees the memory of the whole parameters, or of all but a larger part of them."""
        if self.inner_mesh is None or not self.is_unsharded:
            self.reshard()
            return
        for p in self.params:
            p.keep_inner(self.inner_mesh)
        self.is_unsharded, self.is_inner = False, True

    def reshard(self) -> None:
        """Puts the parts back, and frees the memory of the whole parameters."""
        if self._gathering is not None:
            for _, _, work in self._gathering:
                if work is not None:
                    work.wait()
            self._gathering = None
        if not (self.is_unsharded or self.is_inner):
            return
        for p in self.params:
            p.put(p.sharded)
            p.free()
            p.inner = None
        self.is_unsharded = self.is_inner = False

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
            if grad is None and self.reduces_unused and p.requires_grad:
                grad = torch.zeros(p.shape, dtype=p.compute_dtype, device=p.local.device)
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
