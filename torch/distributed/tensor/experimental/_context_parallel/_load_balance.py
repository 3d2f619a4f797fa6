"""Who has which positions of a sequence.

In causal attention the last positions cost most. So the sequence is cut into twice as many chunks as there are processes, and
process r has chunks r and 2n - 1 - r.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import torch


class _LoadBalancer(ABC):
    """An order of positions, which is then cut into equal parts."""

    @abstractmethod
    def _generate_indices(self, restore: bool = False) -> torch.Tensor | None:
        """The positions in their new order, as a row; with `restore`, the new places of the positions in their old order."""


class _HeadTailLoadBalancer(_LoadBalancer):
    """Each process has a chunk of the beginning and one of the end.

    Args:
        seq_length (int): the length of the sequence
        world_size (int): the number of processes
        device (device): of the indices

    Raises:
        ValueError: the length is no multiple of twice the number
    """

    def __init__(self, seq_length: int, world_size: int, device: str | torch.device) -> None:
        if seq_length % (2 * world_size):
            raise ValueError(
                f"context_parallel: expected sequences whose length is a multiple of {2 * world_size}, twice the number of "
                f"processes, got {seq_length}"
            )
        self.seq_length, self.world_size, self.device = seq_length, world_size, device

    def _generate_indices(self, restore: bool = False) -> torch.Tensor:
        chunks = torch.arange(self.seq_length, device=self.device).chunk(2 * self.world_size)
        indices = torch.cat([part for r in range(self.world_size) for part in (chunks[r], chunks[-1 - r])])
        return (indices.argsort() if restore else indices).unsqueeze(0)
