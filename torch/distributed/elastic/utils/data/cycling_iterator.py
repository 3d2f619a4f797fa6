"""An iterator over several epochs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any


class CyclingIterator(Iterator[Any]):
    """Iterates over epochs, one after the other.

    Args:
        n (int): the number of the last epoch, plus 1
        generator_fn (Callable): takes the number of an epoch, and gives an iterator
        start_epoch (int, default 0): the first epoch

    Example:
        >>> from torch.distributed.elastic.utils.data import CyclingIterator
        >>> list(CyclingIterator(3, lambda epoch: iter([epoch, 10 * epoch]), 1))
        [1, 10, 2, 20]
    """

    def __init__(self, n: int, generator_fn: Callable[[int], Iterator[Any]], start_epoch: int = 0) -> None:
        self._values = (value for epoch in range(start_epoch, n) for value in generator_fn(epoch))

    def __iter__(self) -> CyclingIterator:
        return self

    def __next__(self) -> Any:
        return next(self._values)
