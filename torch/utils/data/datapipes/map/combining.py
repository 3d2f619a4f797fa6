"""Several collections as one."""

from __future__ import annotations

from typing import Any

from torch.utils.data.datapipes._decorator import functional_datapipe
from torch.utils.data.datapipes.datapipe import MapDataPipe

__all__ = ["ConcaterMapDataPipe", "ZipperMapDataPipe"]


def _check(name: str, datapipes: tuple[Any, ...]) -> None:
    if not datapipes:
        raise ValueError(f"{name}: expected at least one pipe")
    wrong = [type(pipe).__name__ for pipe in datapipes if not isinstance(pipe, MapDataPipe)]
    if wrong:
        raise TypeError(f"{name}: expected all inputs to be MapDataPipe, got {', '.join(wrong)}")
    if not all(hasattr(type(pipe), "__len__") for pipe in datapipes):
        raise TypeError(f"{name}: expected all inputs to have a length")


@functional_datapipe("concat")
class ConcaterMapDataPipe(MapDataPipe[Any]):
    """One collection after the other.

    Args:
        *datapipes (MapDataPipe): one or more

    Example:
        >>> from torch.utils.data.datapipes.map import SequenceWrapper
        >>> SequenceWrapper([1, 2]).concat(SequenceWrapper([3]))[2]
        3
    """

    def __init__(self, *datapipes: MapDataPipe[Any]) -> None:
        _check("Concater", datapipes)
        self.datapipes = datapipes

    def __getitem__(self, index: Any) -> Any:
        offset = 0
        for pipe in self.datapipes:
            length = len(pipe)  # type: ignore[arg-type]
            if index - offset < length:
                return pipe[index - offset]
            offset += length
        raise IndexError(f"Concater: index {index} is out of range for {offset} samples")

    def __len__(self) -> int:
        return sum(map(len, self.datapipes))  # type: ignore[arg-type]


@functional_datapipe("zip")
class ZipperMapDataPipe(MapDataPipe[Any]):
    """Tuples with the samples of all at an index.

    Args:
        *datapipes (MapDataPipe): one or more

    Example:
        >>> from torch.utils.data.datapipes.map import SequenceWrapper
        >>> SequenceWrapper([1, 2]).zip(SequenceWrapper("ab"))[1]
        (2, 'b')
    """

    def __init__(self, *datapipes: MapDataPipe[Any]) -> None:
        _check("Zipper", datapipes)
        self.datapipes = datapipes

    def __getitem__(self, index: Any) -> tuple[Any, ...]:
        try:
            return tuple(pipe[index] for pipe in self.datapipes)
        except IndexError as error:
            raise IndexError(f"Zipper: index {index} is out of range for one of the inputs") from error

    def __len__(self) -> int:
        return min(map(len, self.datapipes))  # type: ignore[arg-type]
