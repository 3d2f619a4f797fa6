"""Brings the keys and values of all processes to each, part by part, and their gradients back.

The part of the process itself comes first. All processes take the parts in a loop to its end.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.tensor.experimental._context_parallel._options import _RotateMethod


def parts(own: torch.Tensor, group: Any, method: _RotateMethod) -> Iterator[tuple[int, torch.Tensor]]:
    """The parts of all processes with their ranks."""
    return _gathered(own, group) if method is _RotateMethod.ALL_GATHER else _passed_on(own, group)


def _gathered(own: torch.Tensor, group: Any) -> Iterator[tuple[int, torch.Tensor]]:
    rank, size = group.rank(), group.size()
    everything = own.new_empty((size, *own.shape))
    work = dist.all_gather_into_tensor(everything.view(-1, *own.shape[1:]), own, group, async_op=True)
    yield rank, own
    work.wait()
    for k in range(1, size):
        yield (rank - k) % size, everything[(rank - k) % size]


_KEYS, _GRADIENTS = 1, 2  # tags of messages


def _send_on(tensor: torch.Tensor, group: Any, tag: int) -> tuple[torch.Tensor, list[Any]]:
    """Sends a tensor to the next process; the one of the process before, and what to wait for."""
    rank, size = group.rank(), group.size()
    received = torch.empty_like(tensor)
    works = dist.batch_isend_irecv(
        [
            dist.P2POp(dist.isend, tensor, group=group, tag=tag, group_peer=(rank + 1) % size),
            dist.P2POp(dist.irecv, received, group=group, tag=tag, group_peer=(rank - 1) % size),
        ]
    )
    return received, works


def _passed_on(own: torch.Tensor, group: Any) -> Iterator[tuple[int, torch.Tensor]]:
    rank, size = group.rank(), group.size()
    for k in range(size):
        if k < size - 1:
            received, works = _send_on(own, group, _KEYS)
        yield (rank - k) % size, own
        if k < size - 1:
            for work in works:
                work.wait()
            own = received


class Gradients:
    """Sums of what all processes add to the gradients of each part; the parts come in the order of `parts`."""

    def __init__(self, like: torch.Tensor, group: Any, method: _RotateMethod) -> None:
        self.group, self.passes_on = group, method is _RotateMethod.ALL_TO_ALL and group.size() > 1
        # Passed on: the sum of one part. Otherwise all of this process, which are summed at the end.
        self.sums = torch.zeros_like(like) if self.passes_on else like.new_zeros((group.size(), *like.shape))
        self.works: list[Any] = []

    def add(self, rank: int, gradient: torch.Tensor | None, dim: int, start: int, length: int) -> None:
        """Adds to the gradient of a part, at positions `start` to `start + length` of `dim`; None is nothing."""
        for work in self.works:
            work.wait()
        sums = self.sums if self.passes_on else self.sums[rank]
        if gradient is not None:
            sums.narrow(dim, start, length).add_(gradient)
        if self.passes_on:
            self.sums, self.works = _send_on(self.sums, self.group, _GRADIENTS)

    def result(self) -> torch.Tensor:
        """The gradient of the part of this process."""
        for work in self.works:
            work.wait()
        if self.passes_on:
            return self.sums
        own = torch.empty_like(self.sums[0])
        dist.reduce_scatter_tensor(own, self.sums.view(-1, *own.shape[1:]), group=self.group)
        return own
