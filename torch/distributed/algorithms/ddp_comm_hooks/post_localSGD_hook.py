"""Averages gradients over all processes at first, then within small groups or not at all; parameters are averaged elsewhere."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import _average
from torch.futures import Future


class PostLocalSGDState:
    """The state of `post_localSGD_hook`.

    Args:
        process_group (ProcessGroup, optional): the processes; all by default
        subgroup (ProcessGroup, optional): over which gradients are averaged later; processes of one host by default
        start_localSGD_iter (int): the step from which on they are
        post_local_gradient_allreduce (bool, default True): whether they are averaged at all then
    """

    def __init__(
        self, process_group: Any, subgroup: Any, start_localSGD_iter: int, post_local_gradient_allreduce: bool = True,
    ) -> None:  # fmt: skip
        self.process_group, self.subgroup = process_group, subgroup
        self.start_localSGD_iter = start_localSGD_iter  # noqa: N815
        self.post_local_gradient_allreduce = post_local_gradient_allreduce
        self.iter = 0

    def maybe_increase_iter(self, bucket: Any) -> None:
        """Counts a step at its last bucket.

        Args:
            bucket (GradBucket): the bucket
        """
        if bucket.is_last():
            self.iter += 1


def post_localSGD_hook(state: PostLocalSGDState, bucket: Any) -> Future:  # noqa: N802
    """Averages a bucket over all processes, or over the subgroup.

    Args:
        state (PostLocalSGDState): the state
        bucket (GradBucket): the gradients

    Returns:
        a future of the averages
    """
    buffer, step = bucket.buffer(), state.iter
    state.maybe_increase_iter(bucket)
    if step < state.start_localSGD_iter:
        return _average(state.process_group, buffer)
    if not state.post_local_gradient_allreduce:
        done: Future[torch.Tensor] = Future()
        done.set_result(buffer)
        return done
    if state.subgroup is None:
        state.subgroup, _ = dist.new_subgroups()
    return _average(state.subgroup, buffer)
