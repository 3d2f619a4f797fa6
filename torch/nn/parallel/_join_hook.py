"""What DistributedDataParallel does on a process that has no batches left, so that the others can go on."""

from __future__ import annotations

from typing import Any

import torch
from torch.distributed.algorithms.join import JoinHook


class JoinHookOfDDP(JoinHook):
    """Repeats the messages of a step, with zeros as gradients."""

    def __init__(self, ddp: Any) -> None:
        self.ddp = ddp

    def main_hook(self) -> None:
        """Takes part in one step of the others."""
        ddp = self.ddp
        ddp.reducer._rebuild_buckets()
        if ddp.broadcast_buffers and ddp._buffers_to_send:
            ddp._send(ddp._buffers_to_send, ddp._newest_rank(False))
        params = [p for _, p in ddp._trained]
        before = [p.grad for p in params]
        for p in params:
            p.grad = None
        # Backward of a sum of zeros brings every parameter to the reducer.
        zero = sum((p * 0).sum() for p in params)
        ddp.reducer.prepare_for_backward([zero] if ddp.find_unused_parameters else [])
        zero.backward()
        for p, grad in zip(params, before):
            p.grad = grad

    def post_hook(self, is_last_joiner: bool) -> None:
        """Gives all processes the parameters of one that had the last batch."""
        ddp = self.ddp
        with torch.no_grad():
            source = ddp._newest_rank(is_last_joiner)
            ddp._send([p.detach() for p in ddp.module.parameters()] + list(ddp.module.buffers()), source)
