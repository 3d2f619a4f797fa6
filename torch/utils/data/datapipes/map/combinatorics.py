"""A random order of a collection: a stream."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import torch
from torch.utils.data.datapipes.datapipe import IterDataPipe, MapDataPipe

__all__ = ["ShufflerIterDataPipe"]


class ShufflerIterDataPipe(IterDataPipe[Any]):
    """All samples in a random order.

    The seed of an iteration comes from PyTorch's generator, unless `set_seed` was called before it.

    Args:
        datapipe (MapDataPipe): the source
        indices (list, optional): its indices; default: 0 to its length

    Example:
        >>> from torch.utils.data.datapipes.map import SequenceWrapper
        >>> sorted(SequenceWrapper([3, 4, 5]).shuffle())
        [3, 4, 5]
    """

    def __init__(self, datapipe: MapDataPipe[Any], *, indices: list[Any] | None = None) -> None:
        super().__init__()
        self.datapipe = datapipe
        self.indices = list(range(len(datapipe))) if indices is None else indices  # type: ignore[arg-type]
        self._enabled, self._seed = True, None
        self._rng = random.Random()
        self._shuffled_indices = self.indices

    def set_shuffle(self, shuffle: bool = True) -> ShufflerIterDataPipe:
        """Whether to shuffle at all."""
        self._enabled = shuffle
        return self

    def set_seed(self, seed: int) -> ShufflerIterDataPipe:
        """The seed of the next iteration."""
        self._seed = seed
        return self

    def __iter__(self) -> Iterator[Any]:
        for index in reversed(self._shuffled_indices) if self._enabled else self.indices:
            yield self.datapipe[index]

    def reset(self) -> None:
        """Choose a new order."""
        if self._enabled:
            given, self._seed = self._seed, None
            self._rng.seed(int(torch.empty((), dtype=torch.int64).random_()) if given is None else given)
            self._shuffled_indices = self._rng.sample(self.indices, len(self.indices))

    def __len__(self) -> int:
        return len(self.datapipe)  # type: ignore[arg-type]


MapDataPipe.register_datapipe_as_function("shuffle", ShufflerIterDataPipe)
