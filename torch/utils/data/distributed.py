"""The share of a dataset that one of several processes reads."""

from __future__ import annotations

import math

import torch
from torch.utils.data.sampler import Sampler

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


class DistributedSampler(Sampler):
    """The share of one of several processes in an order that is the same in all.

    Call `set_epoch` before every epoch, or the order stays the same.

    Args:
        dataset (Sized): the dataset
        num_replicas (int, optional): how many processes; those of torch.distributed by default
        rank (int, optional): which of them this is; the rank in torch.distributed by default
        shuffle (bool, default True): a random order
        seed (int, default 0): of the order, the same in all processes
        drop_last (bool, default False): leave out what does not divide evenly; otherwise some samples come twice

    Raises:
        RuntimeError: `num_replicas` or `rank` is missing, and torch.distributed is not available
        ValueError: `rank` is out of range

    Example:
        >>> list(torch.utils.data.DistributedSampler(range(6), num_replicas=2, rank=1, shuffle=False))
        [1, 3, 5]
    """

    def __init__(
        self,
        dataset: Any,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        if num_replicas is None or rank is None:
            if not torch.distributed.is_available():
                raise RuntimeError("DistributedSampler: give num_replicas and rank; torch.distributed is not available")
            num_replicas = torch.distributed.get_world_size() if num_replicas is None else num_replicas
            rank = torch.distributed.get_rank() if rank is None else rank
        if rank >= num_replicas or rank < 0:
            raise ValueError(f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]")
        self.dataset, self.num_replicas, self.rank, self.epoch = dataset, num_replicas, rank, 0
        self.shuffle, self.seed, self.drop_last = shuffle, seed, drop_last
        count = len(dataset)
        if drop_last and count % num_replicas:
            self.num_samples = math.ceil((count - num_replicas) / num_replicas)
        else:
            self.num_samples = math.ceil(count / num_replicas)
        self.total_size = self.num_samples * num_replicas

    def __iter__(self) -> Iterator[int]:
        count = len(self.dataset)
        if self.shuffle:
            generator = torch.Generator()
            generator.manual_seed(self.seed + self.epoch)
            indices = torch.randperm(count, generator=generator).tolist()
        else:
            indices = list(range(count))
        if self.drop_last:
            indices = indices[: self.total_size]
        else:
            lacking = self.total_size - len(indices)
            indices += (indices * math.ceil(lacking / max(1, len(indices))))[:lacking]
        return iter(indices[self.rank : self.total_size : self.num_replicas])

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Sets what the order depends on beside the seed.

        Args:
            epoch (int): the number of the epoch
        """
        self.epoch = epoch
