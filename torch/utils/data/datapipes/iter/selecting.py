"""Some of the samples."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from torch.utils.data.datapipes._decorator import functional_datapipe
from torch.utils.data.datapipes.datapipe import IterDataPipe
from torch.utils.data.datapipes.utils.common import validate_input_col

__all__ = ["FilterIterDataPipe"]


@functional_datapipe("filter")
class FilterIterDataPipe(IterDataPipe[Any]):
    """The samples for which a function is true.

    Args:
        datapipe (IterDataPipe): the source
        filter_fn (function): returns a bool
        input_col (int, str or list, optional): the columns that it gets; default: the whole sample

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> list(IterableWrapper(range(5)).filter(lambda x: x % 2 == 0))
        [0, 2, 4]
    """

    def __init__(self, datapipe: IterDataPipe[Any], filter_fn: Callable[..., Any], input_col: Any = None) -> None:
        super().__init__()
        validate_input_col(filter_fn, input_col)
        self.datapipe, self.filter_fn, self.input_col = datapipe, filter_fn, input_col

    def _is_kept(self, data: Any) -> bool:
        if self.input_col is None:
            kept = self.filter_fn(data)
        elif isinstance(self.input_col, (list, tuple)):
            kept = self.filter_fn(*(data[column] for column in self.input_col))
        else:
            kept = self.filter_fn(data[self.input_col])
        if not isinstance(kept, bool):
            raise ValueError(f"Filter: expected filter_fn to return a bool, got {type(kept).__name__}")
        return kept

    def __iter__(self) -> Iterator[Any]:
        for data in self.datapipe:
            if self._is_kept(data):
                yield data
