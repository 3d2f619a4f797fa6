"""Batches of a collection."""

from __future__ import annotations

from typing import Any

from torch.utils.data.datapipes._decorator import functional_datapipe
from torch.utils.data.datapipes.datapipe import DataChunk, MapDataPipe

__all__ = ["BatcherMapDataPipe"]


@functional_datapipe("batch")
class BatcherMapDataPipe(MapDataPipe[Any]):
    """Batches of as many samples.

    Args:
        datapipe (MapDataPipe): the source
        batch_size (int): samples of a batch
        drop_last (bool, default False): leave a smaller last batch out
        wrapper_class (type, default DataChunk): makes a batch of a list

    Example:
        >>> from torch.utils.data.datapipes.map import SequenceWrapper
        >>> SequenceWrapper([1, 2, 3]).batch(2)[1]
        [3]
    """

    def __init__(
        self, datapipe: MapDataPipe[Any], batch_size: int, drop_last: bool = False, wrapper_class: Any = DataChunk
    ) -> None:
        if batch_size <= 0:
            raise AssertionError(f"Batcher: batch_size should be larger than 0, got {batch_size}")
        super().__init__()
        self.datapipe, self.batch_size, self.drop_last, self.wrapper_class = datapipe, batch_size, drop_last, wrapper_class

    def __getitem__(self, index: Any) -> Any:
        if not 0 <= index < len(self):
            raise IndexError(f"Batcher: index {index} is out of range for {len(self)} batches")
        first, length = index * self.batch_size, len(self.datapipe)  # type: ignore[arg-type]
        return self.wrapper_class([self.datapipe[k] for k in range(first, min(first + self.batch_size, length))])

    def __len__(self) -> int:
        length = len(self.datapipe)  # type: ignore[arg-type]
        return length // self.batch_size if self.drop_last else -(-length // self.batch_size)
