"""A sampler that begins in the midst of a data set, and goes on with another number of processes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import torch
from torch.utils.data.distributed import DistributedSampler

__all__ = ["ElasticDistributedSampler"]


class ElasticDistributedSampler(DistributedSampler):
    """Gives each process its part of what follows the first `start_index` samples, in a random order.

    Args:
        dataset (Dataset): the data set, with a length
        num_replicas (int, optional): the number of processes; that of the default group by default
        rank (int, optional): the rank of this process; that in the default group by default
        start_index (int, default 0): how many samples were used before

    Raises:
        ValueError: `start_index` is not in the data set

    Example:
        >>> from torch.distributed.elastic.utils.data import ElasticDistributedSampler
        >>> len(ElasticDistributedSampler(range(10), num_replicas=2, rank=0, start_index=4))
        3
    """

    def __init__(self, dataset: Any, num_replicas: int | None = None, rank: int | None = None, start_index: int = 0) -> None:
        super().__init__(dataset, num_replicas, rank)
        if not 0 <= start_index < len(dataset):
            raise ValueError(f"ElasticDistributedSampler: expected a start_index below {len(dataset)}, got {start_index}")
        self.start_index = start_index
        self.num_samples = math.ceil((len(dataset) - start_index) / self.num_replicas)
        self.total_size = self.num_samples * self.num_replicas

    def __iter__(self) -> Iterator[int]:
        generator = torch.Generator().manual_seed(self.epoch)
        count = len(self.dataset) - self.start_index
        order = (torch.randperm(count, generator=generator) + self.start_index).tolist()
        while len(order) < self.total_size:  # the first ones again, so that all have the same number
            order += order[: self.total_size - len(order)]
        return iter(order[self.rank : self.total_size : self.num_replicas])

    def __len__(self) -> int:
        return self.num_samples
