"""Functions applied to each sample."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

from torch.utils.data._collate import default_collate
from torch.utils.data.datapipes._decorator import functional_datapipe
from torch.utils.data.datapipes.datapipe import IterDataPipe
from torch.utils.data.datapipes.utils.common import validate_input_col

__all__ = ["CollatorIterDataPipe", "MapperIterDataPipe"]


@functional_datapipe("map")
class MapperIterDataPipe(IterDataPipe[Any]):
    """A function applied to each sample, or to some of its columns.

    Args:
        datapipe (IterDataPipe): the source
        fn (function): applied
        input_col (int, str or list, optional): the columns that it gets; default: the whole sample
        output_col (int or str, optional): where the result goes, -1 for a new last column; default: in place of the input

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> list(IterableWrapper([(1, 2)]).map(lambda x: x + 10, input_col=1))
        [(1, 12)]
    """

    def __init__(
        self, datapipe: IterDataPipe[Any], fn: Callable[..., Any], input_col: Any = None, output_col: Any = None
    ) -> None:
        super().__init__()
        self.datapipe, self.fn, self.input_col = datapipe, fn, input_col
        if input_col is None and output_col is not None:
            raise ValueError("Mapper: output_col needs input_col")
        if isinstance(output_col, (list, tuple)):
            if len(output_col) > 1:
                raise ValueError(f"Mapper: expected one output_col, got {len(output_col)}")
            output_col = output_col[0]
        self.output_col = output_col
        validate_input_col(fn, input_col)

    def _apply(self, data: Any) -> Any:
        if self.input_col is None:
            return self.fn(data)
        several = isinstance(self.input_col, (list, tuple))
        columns = list(self.input_col) if several else [self.input_col]
        result = self.fn(*(data[column] for column in columns))
        is_tuple = isinstance(data, tuple)
        data = list(data) if is_tuple else copy.copy(data)
        if self.output_col is None:
            data[columns[0]] = result
            for column in sorted(columns[1:], reverse=True):
                del data[column]
        elif self.output_col == -1 and isinstance(data, list):
            data.append(result)
        else:
            data[self.output_col] = result
        return tuple(data) if is_tuple else data

    def __iter__(self) -> Iterator[Any]:
        for data in self.datapipe:
            yield self._apply(data)

    def __len__(self) -> int:
        return _length(self, self.datapipe)


def _length(pipe: Any, source: Any) -> int:
    """The length of the source, where it has one."""
    if hasattr(type(source), "__len__"):
        return len(source)
    raise TypeError(f"{type(pipe).__name__} instance doesn't have valid length")


@functional_datapipe("collate")
class CollatorIterDataPipe(MapperIterDataPipe):
    """Makes tensors of batches.

    Args:
        datapipe (IterDataPipe): of batches
        conversion (function, optional): makes a value of a list of samples; default: default_collate
        collate_fn (function, optional): the same

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> list(IterableWrapper([1, 2, 3]).batch(2).collate())
        [tensor([1, 2]), tensor([3])]
    """

    def __init__(
        self, datapipe: IterDataPipe[Any], conversion: Any = default_collate, collate_fn: Callable[..., Any] | None = None
    ) -> None:
        function = collate_fn if collate_fn is not None else conversion
        if not callable(function):
            raise NotImplementedError("Collator: a dictionary of functions is for data frames, which are not here")
        super().__init__(datapipe, fn=function)
