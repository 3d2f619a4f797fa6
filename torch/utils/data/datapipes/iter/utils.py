"""Streams of what can be iterated over."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Iterable, Iterator
from typing import Any

from torch.utils.data.datapipes.datapipe import IterDataPipe
from torch.utils.data.datapipes.iter.callable import _length

__all__ = ["IterableWrapperIterDataPipe"]


class IterableWrapperIterDataPipe(IterDataPipe[Any]):
    """A list, or anything else that can be iterated over, as a stream.

    Args:
        iterable (Iterable): the samples
        deepcopy (bool, default True): copy them before each iteration, so that what a program does to them is not seen again

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> list(IterableWrapper(range(3)))
        [0, 1, 2]
    """

    def __init__(self, iterable: Iterable[Any], deepcopy: bool = True) -> None:
        self.iterable, self.deepcopy = iterable, deepcopy

    def __iter__(self) -> Iterator[Any]:
        source = self.iterable
        if self.deepcopy:
            try:
                source = copy.deepcopy(source)
            except TypeError:
                warnings.warn(
                    "IterableWrapper: the samples cannot be copied, so that changes of them are seen by later iterations; "
                    "deepcopy=False accepts that",
                    stacklevel=2,
                )
        yield from source

    def __len__(self) -> int:
        return _length(self, self.iterable)
