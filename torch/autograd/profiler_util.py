"""Events of the profiler, and tables of them."""

from __future__ import annotations

import bisect
from collections import defaultdict

from torch.profiler._config import DeviceType as DeviceType
from torch.profiler._event_list import EventList
from torch.profiler._events import (
    MEMORY_EVENT_NAME,
    OUT_OF_MEMORY_EVENT_NAME,
    FunctionEvent,
    FunctionEventAvg,
    Interval,
    Kernel,
)
from torch.profiler._format import FormattedTimesMixin, format_memory, format_share, format_time

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

__all__ = [
    "EventList",
    "FormattedTimesMixin",
    "FunctionEvent",
    "FunctionEventAvg",
    "Interval",
    "Kernel",
    "MEMORY_EVENT_NAME",
    "MemRecordsAcc",
    "OUT_OF_MEMORY_EVENT_NAME",
    "StringTable",
]


_format_memory, _format_time, _format_time_share = format_memory, format_time, format_share


class StringTable(defaultdict):
    """Numbers or mangled names -> readable names; an unknown key maps to itself."""

    def __missing__(self, key):
        self[key] = key
        return key


class MemRecordsAcc:
    """Memory records, searched by time.

    Args:
        mem_records (iterable): records, each of which has start_ns()

    Example:
        >>> torch.autograd.profiler.MemRecordsAcc([]).in_interval(0, 1)
        <generator object ...>
    """

    def __init__(self, mem_records: Iterable[Any]) -> None:
        self._records = sorted(mem_records, key=lambda r: r.start_ns())
        self._starts = [r.start_ns() for r in self._records]

    def in_interval(self, start_ns: int, end_ns: int) -> Iterator[Any]:
        """Those that began within [start_ns, end_ns].

        Args:
            start_ns (int): the earliest time
            end_ns (int): the latest one
        """
        first = bisect.bisect_left(self._starts, start_ns)
        last = bisect.bisect_right(self._starts, end_ns)
        yield from self._records[first:last]


for _kind in (DeviceType, EventList, FormattedTimesMixin, FunctionEvent, FunctionEventAvg, Interval, Kernel):
    _kind.__module__ = __name__
