"""Several streams as one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torch.utils.data.datapipes._decorator import functional_datapipe
from torch.utils.data.datapipes.datapipe import IterDataPipe
from torch.utils.data.datapipes.iter.callable import _length
from torch.utils.data.datapipes.iter.splitting import (
    DemultiplexerIterDataPipe,
    ForkerIterDataPipe,
    _ChildDataPipe,
    _DemultiplexerIterDataPipe,
    _ForkerIterDataPipe,
)

__all__ = [
    "ConcaterIterDataPipe", "DemultiplexerIterDataPipe", "ForkerIterDataPipe", "MultiplexerIterDataPipe", "ZipperIterDataPipe",
    "_ChildDataPipe", "_DemultiplexerIterDataPipe", "_ForkerIterDataPipe",
]  # fmt: skip


def _check(name: str, datapipes: tuple[Any, ...]) -> None:
    wrong = [type(pipe).__name__ for pipe in datapipes if not isinstance(pipe, IterDataPipe)]
    if wrong:
        raise TypeError(f"{name}: expected all inputs to be IterDataPipe, got {', '.join(wrong)}")


@functional_datapipe("concat")
class ConcaterIterDataPipe(IterDataPipe[Any]):
    """One stream after the other.

    Args:
        *datapipes (IterDataPipe): one or more

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> list(IterableWrapper([1, 2]).concat(IterableWrapper([3])))
        [1, 2, 3]
    """

    def __init__(self, *datapipes: IterDataPipe[Any]) -> None:
        if not datapipes:
            raise ValueError("Concater: expected at least one pipe")
        _check("Concater", datapipes)
        self.datapipes = datapipes

    def __iter__(self) -> Iterator[Any]:
        for pipe in self.datapipes:
            yield from pipe

    def __len__(self) -> int:
        return sum(_length(self, pipe) for pipe in self.datapipes)


@functional_datapipe("mux")
class MultiplexerIterDataPipe(IterDataPipe[Any]):
    """One sample of each stream in turn, until the shortest ends.

    Args:
        *datapipes (IterDataPipe): the streams

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> list(IterableWrapper([1, 2, 3]).mux(IterableWrapper("ab")))
        [1, 'a', 2, 'b']
    """

    def __init__(self, *datapipes: Any) -> None:
        self.datapipes = datapipes

    def __iter__(self) -> Iterator[Any]:
        for values in zip(*self.datapipes):
            yield from values

    def __len__(self) -> int:
        return min(_length(self, pipe) for pipe in self.datapipes) * len(self.datapipes)


@functional_datapipe("zip")
class ZipperIterDataPipe(IterDataPipe[Any]):
    """Tuples with a sample of each stream, until the shortest ends.

    Args:
        *datapipes (IterDataPipe): the streams

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> list(IterableWrapper([1, 2, 3]).zip(IterableWrapper("ab")))
        [(1, 'a'), (2, 'b')]
    """

    def __init__(self, *datapipes: IterDataPipe[Any]) -> None:
        _check("Zipper", datapipes)
        super().__init__()
        self.datapipes = datapipes

    def __iter__(self) -> Iterator[Any]:
        yield from zip(*self.datapipes)

    def __len__(self) -> int:
        return min(_length(self, pipe) for pipe in self.datapipes)
