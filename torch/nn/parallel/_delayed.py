"""Parameters of DistributedDataParallel whose gradients are averaged in a message of their own, which another gradient starts."""

from __future__ import annotations

import weakref

import torch
import torch.distributed as dist

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any


class DelayedParameters:
    """Averages the gradients of `params` once they and that of `starter` are there.

    Parameters that have no gradient at the end of backward count as ones with zeros, if others have one.
    """

    def __init__(self, ddp: Any, params: list[torch.nn.Parameter], starter: torch.nn.Parameter) -> None:
        self.ddp, self.params, self.starter = weakref.ref(ddp), params, starter
        self.reset()
        handles = [p.register_post_accumulate_grad_hook(self._arrive) for p in {*params, starter}]
        weakref.finalize(ddp, _remove, handles)  # the parameters outlive it

    def reset(self) -> None:
        """Forgets a backward pass that did not come to its end."""
        self.arrived: set[torch.Tensor] = set()
        self.under_way: Any = None
        self.waits = False

    def _arrive(self, param: torch.Tensor) -> None:
        ddp = self.ddp()
        if ddp is None or not ddp.require_backward_grad_sync:
            return
        self.group = ddp.process_group
        if not self.waits:
            self.waits = True
            torch._C._engine_queue_callback(self._end)
        self.arrived.add(param)
        if self.under_way is None and self.arrived.issuperset(self.params) and self.starter in self.arrived:
            self._start()

    @torch.no_grad()
    def _start(self) -> None:
        group = self.group
        for p in self.params:
            if p.grad is None:
                p.grad = torch.zeros_like(p)
        by_dtype: dict[torch.dtype, list[torch.Tensor]] = {}
        for p in self.params:
            by_dtype.setdefault(p.grad.dtype, []).append(p.grad)  # type: ignore[union-attr, arg-type]
        self.under_way = []
        for grads in by_dtype.values():
            joined = torch.cat([g.reshape(-1) for g in grads]).div_(group.size())
            self.under_way.append((grads, joined, dist.all_reduce(joined, group=group, async_op=True)))

    @torch.no_grad()
    def _end(self) -> None:
        if self.under_way is None:
            self._start()
        for grads, joined, work in self.under_way:
            work.wait()
            for grad, part in zip(grads, joined.split([g.numel() for g in grads])):
                grad.copy_(part.view_as(grad))
        self.reset()


def _remove(handles: list[Any]) -> None:
    for handle in handles:
        handle.remove()
