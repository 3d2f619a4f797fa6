"""Functions applied to each sample."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch.utils.data.datapipes._decorator import functional_datapipe
from torch.utils.data.datapipes.datapipe import MapDataPipe

__all__ = ["MapperMapDataPipe", "default_fn"]


def default_fn(data: Any) -> Any:
    """The sample itself."""
    return data


@functional_datapipe("map")
class MapperMapDataPipe(MapDataPipe[Any]):
    """A function applied to each sample.

    Args:
        datapipe (MapDataPipe): the source
        fn (function): applied

    Example:
        >>> from torch.utils.data.datapipes.map import SequenceWrapper
        >>> SequenceWrapper([1, 2]).map(str)[0]
        '1'
    """

    def __init__(self, datapipe: MapDataPipe[Any], fn: Callable[..., Any] = default_fn) -> None:
        super().__init__()
        self.datapipe, self.fn = datapipe, fn

    def __len__(self) -> int:
        return len(self.datapipe)  # type: ignore[arg-type]

    def __getitem__(self, index: Any) -> Any:
        return self.fn(self.datapipe[index])
