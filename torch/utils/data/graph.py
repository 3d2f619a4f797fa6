"""Which pipes a pipe reads."""

from __future__ import annotations

import io
import pickle
import warnings
from collections.abc import Collection
from typing import Any

from torch.utils.data.datapipes.datapipe import IterDataPipe, MapDataPipe

__all__ = ["traverse", "traverse_dps"]


def _sources_in_attributes(pipe: Any) -> list[Any]:
    """Pipes among the attributes, and inside lists, tuples and dictionaries there."""
    found: list[Any] = []
    seen = set()

    def visit(value: Any) -> None:
        if isinstance(value, (IterDataPipe, MapDataPipe)):
            found.append(value)
        elif isinstance(value, Collection) and not isinstance(value, (str, bytes, bytearray)) and id(value) not in seen:
            seen.add(id(value))
            if isinstance(value, (list, tuple, set, frozenset, dict)):
                for part in value.values() if isinstance(value, dict) else value:
                    visit(part)

    for value in vars(pipe).values():
        visit(value)
    return found


def _sources_in_pickle(pipe: Any) -> list[Any]:
    """Pipes that pickling comes across, wherever they are."""
    found: list[Any] = []

    class Finder(pickle.Pickler):
        def persistent_id(self, obj: Any) -> str | None:
            if obj is pipe or not isinstance(obj, (IterDataPipe, MapDataPipe)):
                return None
            found.append(obj)
            return "pipe"

    Finder(io.BytesIO()).dump(pipe)
    return found


def traverse_dps(datapipe: Any) -> dict[int, tuple[Any, Any]]:
    """The graph of pipes that a pipe reads, from its attributes: the pipe and its sources by id, and theirs in turn.

    Args:
        datapipe (IterDataPipe or MapDataPipe): where to begin

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> pipe = IterableWrapper([1]).map(str)
        >>> list(torch.utils.data.graph.traverse_dps(pipe)) == [id(pipe)]
        True
    """
    return _graph(datapipe, True, frozenset())


def traverse(datapipe: Any, only_datapipe: bool | None = None) -> dict[int, tuple[Any, Any]]:
    """The graph of pipes that a pipe reads, also from inside other objects.

    Args:
        datapipe (IterDataPipe or MapDataPipe): where to begin
        only_datapipe (bool, default False): look at attributes only, as `traverse_dps` does
    """
    warnings.warn(
        "traverse is deprecated: traverse_dps finds the pipes among the attributes, and needs no pickling", FutureWarning,
        stacklevel=2,
    )  # fmt: skip
    return _graph(datapipe, bool(only_datapipe), frozenset())


def _graph(datapipe: Any, only_datapipe: bool, above: frozenset[int]) -> dict[int, tuple[Any, Any]]:
    if not isinstance(datapipe, (IterDataPipe, MapDataPipe)):
        raise RuntimeError(f"Expected an IterDataPipe or a MapDataPipe, got {type(datapipe).__name__}")
    if id(datapipe) in above:
        return {}
    above = above | {id(datapipe)}
    sources: dict[int, tuple[Any, Any]] = {}
    for source in _sources_in_attributes(datapipe) if only_datapipe else _sources_in_pickle(datapipe):
        sources.update(_graph(source, only_datapipe, above))
    return {id(datapipe): (datapipe, sources)}
