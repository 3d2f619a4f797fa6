"""What happens around the `__iter__` of a stream: it is reset, older iterators of it end, and samples are counted."""

from __future__ import annotations

import enum
import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any


class _SnapshotState(enum.Enum):
    """Where a stream is."""

    NotStarted = 0
    Restored = 1
    Iterating = 2


def _describe(pipe: Any) -> str:
    """The class, with the arguments that are kept under their names."""
    parts = []
    for name in inspect.signature(type(pipe).__init__).parameters:
        if name in vars(pipe):
            value = str(vars(pipe)[name])
            parts.append(f"{name}={value if len(value) <= 30 else value[:27] + '...'}")
    return f"{type(pipe).__name__}({', '.join(parts)})"


def begin(pipe: Any) -> int:
    """Start over; the result tells the new iterator from older ones."""
    number = pipe._begin_iteration()
    pipe._number_of_samples_yielded = 0
    pipe._snapshot_state = _SnapshotState.Iterating
    return number


def check(pipe: Any, number: int) -> None:
    """Raise an error if a newer iterator has begun."""
    if not pipe._is_valid_iteration(number):
        raise RuntimeError(
            f"This iterator has been invalidated because another iterator has been created from the same {pipe._kind()}: "
            f"{_describe(pipe)}. A pipe has one position: read it from one place, or copy it with fork"
        )


def _explain(error: Exception, pipe: Any) -> None:
    if hasattr(error, "add_note"):
        error.add_note(f"This exception is thrown by __iter__ of {_describe(pipe)}")


class _Checked:
    """An iterator of a stream whose `__iter__` is not a generator."""

    def __init__(self, pipe: Any, iterator: Iterator[Any], number: int) -> None:
        self.pipe, self.iterator, self.number = pipe, iterator, number

    def __iter__(self) -> _Checked:
        return self

    def __next__(self) -> Any:
        check(self.pipe, self.number)
        value = next(self.iterator)
        self.pipe._number_of_samples_yielded += 1
        return value

    def __getattr__(self, name: str) -> Any:
        return getattr(self.iterator, name)


def hooked(function: Callable[[Any], Iterator[Any]]) -> Callable[[Any], Iterator[Any]]:
    """An `__iter__` with all that."""
    if inspect.isgeneratorfunction(function):

        @functools.wraps(function)
        def generator(self: Any) -> Iterator[Any]:
            number = begin(self)
            try:
                for value in function(self):
                    self._number_of_samples_yielded += 1
                    yield value
                    check(self, number)
            except Exception as error:
                _explain(error, self)
                raise

        return generator

    @functools.wraps(function)
    def iterator(self: Any) -> Iterator[Any]:
        number = begin(self)
        found = function(self)
        return found if self._is_child else _Checked(self, found, number)

    return iterator
