"""Events that a program logs and others handle, and statistics over windows of time."""

from __future__ import annotations

import datetime
import enum
import threading
import time
from collections.abc import Callable
from typing import Any

__all__ = [
    "Aggregation", "Event", "EventHandlerHandle", "Stat", "TensorboardEventHandler", "data_value_t", "log_event",
    "register_event_handler", "unregister_event_handler",
]  # fmt: skip

data_value_t = str | float | int | bool
STAT_EVENT = "torch.monitor.Stat"


class Aggregation(enum.Enum):
    """What a Stat makes of the values that it was given."""

    VALUE = 0
    MEAN = 2
    COUNT = 3
    SUM = 4
    MAX = 5
    MIN = 6


VALUE, MEAN, COUNT, SUM, MAX, MIN = Aggregation


class Event:
    """Something that happened.

    Args:
        name (str): what
        timestamp (datetime): when
        data (dict): of str, int, float and bool

    Raises:
        TypeError: an argument of another type
    """

    def __init__(self, name: str, timestamp: datetime.datetime, data: dict[str, data_value_t]) -> None:
        if not isinstance(name, str) or not isinstance(timestamp, datetime.datetime):
            raise TypeError(f"Event: expected a str and a datetime, got {type(name).__name__} and {type(timestamp).__name__}")
        for key, value in dict(data).items():
            if not isinstance(key, str) or not isinstance(value, (str, int, float)):
                raise TypeError(f"Event: data maps str to str, int, float or bool; got {key!r}: {type(value).__name__}")
        self.name, self.timestamp, self.data = name, timestamp, dict(data)


class EventHandlerHandle:
    """Names a registered handler."""

    def __init__(self, handler: Callable[[Event], None]) -> None:
        self._handler = handler


_handlers: list[EventHandlerHandle] = []


def register_event_handler(callback: Callable[[Event], None]) -> EventHandlerHandle:
    """Call a function with every event from now on.

    Args:
        callback (function): gets the event

    Returns:
        what `unregister_event_handler` takes

    Example:
        >>> import datetime, torch.monitor
        >>> handle = torch.monitor.register_event_handler(lambda event: print(event.name))
        >>> torch.monitor.log_event(torch.monitor.Event("saved", datetime.datetime.now(), {"step": 3}))
        saved
        >>> torch.monitor.unregister_event_handler(handle)
    """
    if not callable(callback):
        raise TypeError(f"register_event_handler: expected a function, got {type(callback).__name__}")
    handle = EventHandlerHandle(callback)
    _handlers.append(handle)
    return handle


def unregister_event_handler(handler: EventHandlerHandle) -> None:
    """Stop calling a handler.

    Args:
        handler (EventHandlerHandle): from `register_event_handler`
    """
    if handler in _handlers:
        _handlers.remove(handler)


def log_event(event: Event) -> None:
    """Give an event to all handlers.

    Args:
        event (Event): the event
    """
    if not isinstance(event, Event):
        raise TypeError(f"log_event: expected an Event, got {type(event).__name__}")
    for handle in list(_handlers):
        handle._handler(event)


class Stat:
    """A statistic over windows of time; each window that ends is logged as an event.

    Args:
        name (str): the prefix of the values in the event
        aggregations (list of Aggregation): what is made of the values of a window
        window_size (timedelta): how long a window is
        max_samples (int, optional): a window ends with this many values, and ignores more of them

    Example:
        >>> import datetime, torch.monitor
        >>> stat = torch.monitor.Stat("loss", [torch.monitor.MEAN], datetime.timedelta(hours=1), max_samples=2)
        >>> stat.add(1)
        >>> stat.add(2)
        >>> stat.get()
        {<Aggregation.MEAN: 2>: 1.5}
    """

    def __init__(self, name: str, aggregations: list[Aggregation], window_size: datetime.timedelta,
                 max_samples: int | None = None) -> None:  # fmt: skip
        if not isinstance(window_size, datetime.timedelta):
            raise TypeError(f"Stat: expected window_size to be a timedelta, got {type(window_size).__name__}")
        self.name, self._aggregations = name, list(map(Aggregation, aggregations))
        self._length, self._limit = window_size.total_seconds(), max_samples
        self._lock = threading.Lock()
        self._values: list[float] = []
        self._last: dict[Aggregation, float] = dict.fromkeys(self._aggregations, 0.0)
        self._end, self._full = time.monotonic() + self._length, False

    @property
    def count(self) -> int:
        """How many values the current window has."""
        return len(self._values)

    def add(self, v: float) -> None:
        """Add a value.

        Args:
            v (float): the value
        """
        v = float(v)
        with self._lock:
            event = self._roll()
            if not self._full:
                self._values.append(v)
            if event is None and self._limit is not None and len(self._values) >= self._limit:
                self._full, event = True, self._close()
        if event is not None:
            log_event(event)

    def get(self) -> dict[Aggregation, float]:
        """The values of the last window that ended.

        Returns:
            {aggregation: value}
        """
        with self._lock:
            event = self._roll()
            last = dict(self._last)
        if event is not None:
            log_event(event)
        return last

    def _roll(self):
        if time.monotonic() < self._end:
            return None
        self._end, full, self._full = time.monotonic() + self._length, self._full, False
        return None if full else self._close()

    def _close(self):
        values, self._values = self._values, []
        if not values:
            self._last = dict.fromkeys(self._aggregations, 0.0)
            return None
        made = {
            Aggregation.VALUE: values[-1],
            Aggregation.MEAN: sum(values) / len(values),
            Aggregation.COUNT: float(len(values)),
            Aggregation.SUM: sum(values),
            Aggregation.MAX: max(values),
            Aggregation.MIN: min(values),
        }
        self._last = {kind: made[kind] for kind in self._aggregations}
        data: dict[str, data_value_t] = {f"{self.name}.{kind.name.lower()}": value for kind, value in self._last.items()}
        return Event(STAT_EVENT, datetime.datetime.now(), data)


class TensorboardEventHandler:
    """Writes the statistics of Stat events with a TensorBoard writer.

    Args:
        writer (SummaryWriter): whose `add_scalar` is called
    """

    def __init__(self, writer: Any) -> None:
        self._writer = writer

    def __call__(self, event: Event) -> None:
        if event.name == STAT_EVENT:
            for name, value in event.data.items():
                self._writer.add_scalar(name, value, walltime=event.timestamp.timestamp())
