"""One stream as several: copies of it, or its classes. Samples that a slower one has not read wait in a buffer."""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

from torch.utils.data.datapipes._decorator import functional_datapipe
from torch.utils.data.datapipes.datapipe import IterDataPipe
from torch.utils.data.datapipes.iter.callable import _length

__all__ = ["DemultiplexerIterDataPipe", "ForkerIterDataPipe"]


class _ChildDataPipe(IterDataPipe[Any]):
    """One of the streams that another is split into. Reading one again starts all over."""

    _is_datapipe: bool = True
    _is_child: ClassVar[bool] = True

    def __init__(self, main_datapipe: Any, instance_id: int) -> None:
        self.main_datapipe, self.instance_id = main_datapipe, instance_id

    def __iter__(self) -> Iterator[Any]:
        return self._checked(self._valid_iterator_id)

    def _checked(self, number: int | None) -> Iterator[Any]:
        while True:
            if not self._is_valid_iteration(number):
                raise RuntimeError(
                    "This iterator has been invalidated, because a new iterator has been created from one of the pipes that "
                    f"come from the same {type(self.main_datapipe).__name__}"
                )
            try:
                value = self.main_datapipe.next_of(self.instance_id)
            except StopIteration:
                return
            self._number_of_samples_yielded += 1
            yield value

    def __len__(self) -> int:
        return _length(self, self.main_datapipe)

    def _begin_iteration(self) -> int:
        main = self.main_datapipe
        if main._valid_iterator_id is None or main._valid_iterator_id == self._valid_iterator_id:
            main._valid_iterator_id = 0 if main._valid_iterator_id is None else main._valid_iterator_id + 1
            main.reset()
        self._valid_iterator_id = main._valid_iterator_id
        return self._valid_iterator_id

    def _is_valid_iteration(self, number: int | None) -> bool:
        return number == self._valid_iterator_id == self.main_datapipe._valid_iterator_id


def _check_count(name: str, num_instances: int) -> None:
    if num_instances < 1:
        raise ValueError(f"{name}: expected num_instances larger than 0, got {num_instances}")


@functional_datapipe("fork")
class ForkerIterDataPipe(IterDataPipe[Any]):
    """Several streams with the same samples.

    Args:
        datapipe (IterDataPipe): the source
        num_instances (int): how many streams
        buffer_size (int, default 1000): how far one may be ahead of the slowest; -1: any number
        copy (str, optional): "shallow" or "deep" copies of the samples

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> first, second = IterableWrapper([1, 2]).fork(2)
        >>> list(first), list(second)
        ([1, 2], [1, 2])
    """

    def __new__(cls, datapipe: IterDataPipe[Any], num_instances: int, buffer_size: int = 1000, copy: str | None = None) -> Any:
        _check_count("Forker", num_instances)
        if num_instances == 1:
            return datapipe
        main = _ForkerIterDataPipe(datapipe, num_instances, buffer_size, copy)
        return [_ChildDataPipe(main, number) for number in range(num_instances)]


class _ForkerIterDataPipe(IterDataPipe[Any]):
    """Holds the source and the buffer of copies."""

    def __init__(self, datapipe: IterDataPipe[Any], num_instances: int, buffer_size: int = 1000, copy: str | None = None) -> None:
        if copy not in (None, "shallow", "deep"):
            raise ValueError(f"Forker: expected copy to be None, 'shallow' or 'deep', got {copy!r}")
        self.main_datapipe, self.num_instances, self.buffer_size, self.copy = datapipe, num_instances, buffer_size, copy
        self._source: Iterator[Any] | None = None
        self._start_over()

    def _start_over(self) -> None:
        self._buffer: deque[Any] = deque()
        self._first = 0  # the number of the sample that is first in the buffer
        self._positions = [0] * self.num_instances
        self._source = None

    def next_of(self, number: int) -> Any:
        """The next sample of one of the streams."""
        if self._source is None:
            self._source = iter(self.main_datapipe)
        offset = self._positions[number] - self._first
        if offset == len(self._buffer):
            self._buffer.append(next(self._source))
        value = self._buffer[offset]
        self._positions[number] += 1
        while self._buffer and min(self._positions) > self._first:
            self._buffer.popleft()
            self._first += 1
        if 0 <= self.buffer_size < len(self._buffer):
            raise BufferError(f"Forker: a stream is more than buffer_size={self.buffer_size} samples ahead of the slowest")
        return copy.copy(value) if self.copy == "shallow" else copy.deepcopy(value) if self.copy == "deep" else value

    def reset(self) -> None:
        self._start_over()

    def __len__(self) -> int:
        return _length(self, self.main_datapipe)

    def __getstate__(self) -> Any:
        return {**super().__getstate__(), "_source": None, "_valid_iterator_id": None} if self._source is not None else (
            super().__getstate__())  # fmt: skip


@functional_datapipe("demux")
class DemultiplexerIterDataPipe(IterDataPipe[Any]):
    """A stream for each class of samples.

    Args:
        datapipe (IterDataPipe): the source
        num_instances (int): how many classes
        classifier_fn (function): the number of a sample's class; or None
        drop_none (bool, default False): leave out samples without a class, instead of an error
        buffer_size (int, default 1000): how many samples may wait; -1: any number

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> even, odd = IterableWrapper(range(4)).demux(2, lambda x: x % 2)
        >>> list(even), list(odd)
        ([0, 2], [1, 3])
    """

    def __new__(
        cls, datapipe: IterDataPipe[Any], num_instances: int, classifier_fn: Callable[[Any], int | None],
        drop_none: bool = False, buffer_size: int = 1000,
    ) -> Any:  # fmt: skip
        _check_count("Demultiplexer", num_instances)
        main = _DemultiplexerIterDataPipe(datapipe, num_instances, classifier_fn, drop_none, buffer_size)
        return [_ChildDataPipe(main, number) for number in range(num_instances)]


class _DemultiplexerIterDataPipe(IterDataPipe[Any]):
    """Holds the source and a buffer for each class."""

    def __init__(
        self, datapipe: IterDataPipe[Any], num_instances: int, classifier_fn: Callable[[Any], int | None],
        drop_none: bool, buffer_size: int,
    ) -> None:  # fmt: skip
        self.main_datapipe, self.num_instances, self.classifier_fn = datapipe, num_instances, classifier_fn
        self.drop_none, self.buffer_size = drop_none, buffer_size
        self._start_over()

    def _start_over(self) -> None:
        self._source: Iterator[Any] | None = None
        self._buffers: list[deque[Any]] = [deque() for _ in range(self.num_instances)]

    def next_of(self, number: int) -> Any:
        """The next sample of a class."""
        if self._buffers[number]:
            return self._buffers[number].popleft()
        if self._source is None:
            self._source = iter(self.main_datapipe)
        while True:
            value = next(self._source)
            found = self.classifier_fn(value)
            if found is None and self.drop_none:
                continue
            if found is None or not 0 <= found < self.num_instances:
                raise ValueError(f"Demultiplexer: expected a class from 0 to {self.num_instances - 1}, got {found}")
            if found == number:
                return value
            self._buffers[found].append(value)
            if 0 <= self.buffer_size < sum(map(len, self._buffers)):
                raise BufferError(f"Demultiplexer: more than buffer_size={self.buffer_size} samples wait for other streams")

    def reset(self) -> None:
        self._start_over()

    def __getstate__(self) -> Any:
        return {**super().__getstate__(), "_source": None, "_valid_iterator_id": None} if self._source is not None else (
            super().__getstate__())  # fmt: skip
