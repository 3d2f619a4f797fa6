"""Other orders of the samples."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import torch
from torch.utils.data.datapipes._decorator import functional_datapipe
from torch.utils.data.datapipes.datapipe import IterDataPipe
from torch.utils.data.datapipes.iter.callable import _length
from torch.utils.data.sampler import Sampler, SequentialSampler

__all__ = ["SamplerIterDataPipe", "ShufflerIterDataPipe"]


class SamplerIterDataPipe(IterDataPipe[Any]):
    """The indices of a sampler over a stream that has a length.

    Args:
        datapipe (IterDataPipe): the source
        sampler (type): of Sampler
        sampler_args (tuple, optional): its arguments after the source
        sampler_kwargs (dict, optional): its named arguments

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper, Sampler
        >>> list(Sampler(IterableWrapper("abc")))
        [0, 1, 2]
    """

    def __init__(
        self, datapipe: IterDataPipe[Any], sampler: type[Sampler[Any]] = SequentialSampler,
        sampler_args: tuple[Any, ...] | None = None, sampler_kwargs: dict[str, Any] | None = None,
    ) -> None:  # fmt: skip
        if not hasattr(type(datapipe), "__len__"):
            raise AssertionError("Sampler: the source needs __len__")
        super().__init__()
        self.datapipe, self.sampler_args, self.sampler_kwargs = datapipe, sampler_args or (), sampler_kwargs or {}
        self.sampler = sampler(datapipe, *self.sampler_args, **self.sampler_kwargs)  # type: ignore[call-arg]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.sampler)

    def __len__(self) -> int:
        return _length(self, self.sampler)


@functional_datapipe("shuffle")
class ShufflerIterDataPipe(IterDataPipe[Any]):
    """A random order, within a buffer that holds as many samples as are given.

    The seed of an iteration comes from PyTorch's generator, unless `set_seed` was called before it.

    Args:
        datapipe (IterDataPipe): the source
        buffer_size (int, default 10000): how many samples wait
        unbatch_level (int, default 0): take batches apart first

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> sorted(IterableWrapper(range(4)).shuffle())
        [0, 1, 2, 3]
    """

    def __init__(self, datapipe: IterDataPipe[Any], *, buffer_size: int = 10000, unbatch_level: int = 0) -> None:
        super().__init__()
        if buffer_size <= 0:
            raise AssertionError(f"Shuffler: buffer_size should be positive, got {buffer_size}")
        self.datapipe = datapipe if unbatch_level == 0 else datapipe.unbatch(unbatch_level=unbatch_level)
        self.buffer_size = buffer_size
        self._buffer: list[Any] = []
        self._enabled, self._seed = True, None
        self._rng = random.Random()

    def set_shuffle(self, shuffle: bool = True) -> ShufflerIterDataPipe:
        """Whether to shuffle at all."""
        self._enabled = shuffle
        return self

    def set_seed(self, seed: int) -> ShufflerIterDataPipe:
        """The seed of the next iteration."""
        self._seed = seed
        return self

    def __iter__(self) -> Iterator[Any]:
        if not self._enabled:
            yield from self.datapipe
            return
        buffer = self._buffer
        for value in self.datapipe:
            if len(buffer) == self.buffer_size:
                position = self._rng.randint(0, len(buffer) - 1)
                buffer[position], value = value, buffer[position]
                yield value
            else:
                buffer.append(value)
        while buffer:
            yield buffer.pop(self._rng.randint(0, len(buffer) - 1))

    def __len__(self) -> int:
        return _length(self, self.datapipe)

    def reset(self) -> None:
        """Empty the buffer and seed the generator."""
        self._buffer = []
        if self._enabled:
            given, self._seed = self._seed, None
            self._rng.seed(int(torch.empty((), dtype=torch.int64).random_()) if given is None else given)
