"""Batches and groups of samples."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from torch.utils.data.datapipes._decorator import functional_datapipe
from torch.utils.data.datapipes.datapipe import DataChunk, IterDataPipe
from torch.utils.data.datapipes.iter.callable import _length

__all__ = ["BatcherIterDataPipe", "GrouperIterDataPipe", "UnBatcherIterDataPipe"]


@functional_datapipe("batch")
class BatcherIterDataPipe(IterDataPipe[Any]):
    """Batches of as many samples.

    Args:
        datapipe (IterDataPipe): the source
        batch_size (int): samples of a batch
        drop_last (bool, default False): leave a smaller last batch out
        wrapper_class (type, default DataChunk): makes a batch of a list

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> list(IterableWrapper(range(3)).batch(2))
        [[0, 1], [2]]
    """

    def __init__(
        self, datapipe: IterDataPipe[Any], batch_size: int, drop_last: bool = False, wrapper_class: Any = DataChunk
    ) -> None:
        if batch_size <= 0:
            raise AssertionError(f"Batcher: batch_size should be larger than 0, got {batch_size}")
        super().__init__()
        self.datapipe, self.batch_size, self.drop_last, self.wrapper_class = datapipe, batch_size, drop_last, wrapper_class

    def __iter__(self) -> Iterator[Any]:
        batch = []
        for value in self.datapipe:
            batch.append(value)
            if len(batch) == self.batch_size:
                yield self.wrapper_class(batch)
                batch = []
        if batch and not self.drop_last:
            yield self.wrapper_class(batch)

    def __len__(self) -> int:
        length = _length(self, self.datapipe)
        return length // self.batch_size if self.drop_last else -(-length // self.batch_size)


@functional_datapipe("unbatch")
class UnBatcherIterDataPipe(IterDataPipe[Any]):
    """The samples of batches.

    Args:
        datapipe (IterDataPipe): of batches
        unbatch_level (int, default 1): how many levels to take apart; -1: all

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> list(IterableWrapper([[0, 1], [2]]).unbatch())
        [0, 1, 2]
    """

    def __init__(self, datapipe: IterDataPipe[Any], unbatch_level: int = 1) -> None:
        self.datapipe, self.unbatch_level = datapipe, unbatch_level

    def __iter__(self) -> Iterator[Any]:
        if self.unbatch_level < -1:
            raise ValueError(f"UnBatcher: expected unbatch_level to be -1 or at least 0, got {self.unbatch_level}")
        for value in self.datapipe:
            yield from self._parts(value, self.unbatch_level)

    def _parts(self, value: Any, level: int) -> Iterator[Any]:
        if level == 0 or level == -1 and not isinstance(value, (list, DataChunk)):
            yield value
        elif isinstance(value, (list, DataChunk)):
            for part in value:
                yield from self._parts(part, level if level == -1 else level - 1)
        else:
            raise IndexError(f"UnBatcher: unbatch_level {self.unbatch_level} is more than the depth of the batches")


@functional_datapipe("groupby")
class GrouperIterDataPipe(IterDataPipe[Any]):
    """Groups of samples with the same key, given out when they are full, when the buffer is, or at the end.

    Args:
        datapipe (IterDataPipe): the source
        group_key_fn (function): the key of a sample
        keep_key (bool, default False): pairs of the key and the group
        buffer_size (int, default 10000): how many samples wait
        group_size (int, optional): samples of a full group
        guaranteed_group_size (int, optional): the smallest group that a full buffer may give out
        drop_remaining (bool, default False): drop groups that are smaller than that from a full buffer, instead of an error

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> list(IterableWrapper(range(5)).groupby(lambda x: x % 2))
        [[0, 2, 4], [1, 3]]
    """

    def __init__(
        self, datapipe: IterDataPipe[Any], group_key_fn: Callable[[Any], Any], *, keep_key: bool = False,
        buffer_size: int = 10000, group_size: int | None = None, guaranteed_group_size: int | None = None,
        drop_remaining: bool = False,
    ) -> None:  # fmt: skip
        if group_size is not None and buffer_size is not None and not 0 < group_size <= buffer_size:
            raise AssertionError(f"Grouper: expected 0 < group_size <= buffer_size, got {group_size} and {buffer_size}")
        if guaranteed_group_size is not None and (group_size is None or not 0 < guaranteed_group_size <= group_size):
            raise AssertionError(
                f"Grouper: expected 0 < guaranteed_group_size <= group_size, got {guaranteed_group_size} and {group_size}"
            )
        self.datapipe, self.group_key_fn, self.keep_key = datapipe, group_key_fn, keep_key
        self.buffer_size, self.group_size, self.drop_remaining = buffer_size, group_size, drop_remaining
        self.guaranteed_group_size = group_size if guaranteed_group_size is None else guaranteed_group_size
        self.wrapper_class = DataChunk

    def _largest_key(self, groups: dict[Any, list[Any]]) -> Any:
        """Of the group that a full buffer gives out."""
        key = max(groups, key=lambda key: len(groups[key]))
        if self.guaranteed_group_size is not None and len(groups[key]) < self.guaranteed_group_size and not self.drop_remaining:
            raise RuntimeError(
                f"Grouper: the buffer is full, and its largest group has {len(groups[key])} samples, fewer than "
                f"guaranteed_group_size={self.guaranteed_group_size}"
            )
        return key

    def _result(self, key: Any, group: list[Any]) -> Any:
        chunk = self.wrapper_class(group)
        return (key, chunk) if self.keep_key else chunk

    def __iter__(self) -> Iterator[Any]:
        groups: dict[Any, list[Any]] = {}
        waiting = 0
        for value in self.datapipe:
            key = self.group_key_fn(value)
            group = groups.setdefault(key, [])
            group.append(value)
            waiting += 1
            if self.group_size is not None and len(group) == self.group_size:
                waiting -= len(group)
                yield self._result(key, groups.pop(key))
            if waiting == self.buffer_size:
                key = self._largest_key(groups)
                group = groups.pop(key)
                waiting -= len(group)
                if self.guaranteed_group_size is None or len(group) >= self.guaranteed_group_size:
                    yield self._result(key, group)
        for key, group in groups.items():
            yield self._result(key, group)
