"""The sum of the gradients of one sharded module, by one message."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
import torch.distributed as dist

if TYPE_CHECKING:
    from torch.distributed.fsdp._group import ParamGroup
    from torch.distributed.fsdp._param import FSDPParam


class Reduction:
    """Gradients of a group on their way."""

    def __init__(self, group: ParamGroup, given: list[tuple[FSDPParam, torch.Tensor]]) -> None:
        self.group, self.params = group, [p for p, _ in given]
        dtype = group.mp_policy.reduce_dtype or max((g.dtype for _, g in given), key=lambda d: d.itemsize)
        self.rows = torch.cat([p.rows(g, dtype) for p, g in given], 1)
        self.part, self.work = self.rows.view(-1), None
        if group.comm_hook is not None:
            self._call_hook()
        elif group.shard_group is not None:
            self._start()

    def _start(self) -> None:
        group, rows, size = self.group, self.rows.view(-1), self.rows.size(1)
        own = group.reduce_scatter
        if own is None:
            self.part = rows.new_empty(size)
            self.work = dist.reduce_scatter_tensor(self.part, rows, group=group.reduce_group, async_op=True)
            return
        self.part = own.allocate((size,), dtype=rows.dtype, device=rows.device)
        self.work = own(self.part, rows, group.reduce_group, dist.ReduceOp.SUM, async_op=True)

    def _call_hook(self) -> None:
        """Lets the hook sum: one tensor in place, or one into a part of it."""
        hook, state = self.group.comm_hook
        if not self.group.cuts:
            hook(state, self.part)
            return
        self.part = torch.zeros_like(self.rows[0])
        hook(state, self.rows.view(-1), self.part)

    @torch.no_grad()
    def finish(self) -> None:
        """Adds the sums to the gradients of the parts."""
        if self.work is not None:
            self.work.wait()
        del self.rows
        group, part = self.group, self.part
        rows = part.split([p.parts.numel for p in self.params])
        if group.replicate_group is not None and group.comm_hook is None:
            if not group.all_reduces:
                for p, row in zip(self.params, rows):
                    group.partial[p] = group.partial[p] + row if p in group.partial else row.clone()
                return
            for p, row in zip(self.params, rows):
                if p in group.partial:
                    row += group.partial.pop(p)
            dist.all_reduce(part, group=group.replicate_group)
        if group.comm_hook is None:
            part /= group.divide_factor or group.num_copies
        if group.all_reduce_hook is not None:
            group.all_reduce_hook(part)
        for p, row in zip(self.params, rows):
            p.add_gradient(row, p.compute_dtype if group.keeps_low_precision else None)
