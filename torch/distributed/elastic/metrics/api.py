"""Metrics: a name, a number, a group, and the handler of the group that gets them."""

from __future__ import annotations

import abc
import functools
import time
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

__all__ = [
    "MetricsConfig", "MetricHandler", "ConsoleMetricHandler", "NullMetricHandler", "MetricStream", "configure", "getStream",
    "prof", "profile", "put_metric", "publish_metric", "get_elapsed_time_ms", "MetricData",
]  # fmt: skip


class MetricData(NamedTuple):
    """What a handler gets: seconds since 1970, a group, a name and a number."""

    timestamp: float
    group_name: str
    name: str
    value: int


class MetricsConfig:
    """Settings of metrics.

    Args:
        params (dict, optional): strings by name
    """

    __slots__ = ["params"]

    def __init__(self, params: dict[str, str] | None = None) -> None:
        self.params = {} if params is None else params


class MetricHandler(abc.ABC):
    """Does something with the metrics of groups."""

    @abc.abstractmethod
    def emit(self, metric_data: MetricData) -> None:
        """Gets one.

        Args:
            metric_data (MetricData): the metric
        """


class ConsoleMetricHandler(MetricHandler):
    """Prints metrics."""

    def emit(self, metric_data: MetricData) -> None:
        """Prints one.

        Args:
            metric_data (MetricData): the metric
        """
        print(f"[{metric_data.timestamp}][{metric_data.group_name}]: {metric_data.name}={metric_data.value}")


class NullMetricHandler(MetricHandler):
    """Does nothing."""

    def emit(self, metric_data: MetricData) -> None:
        """Does nothing.

        Args:
            metric_data (MetricData): the metric
        """


class MetricStream:
    """The metrics of one group on their way to a handler.

    Args:
        group_name (str): the group
        handler (MetricHandler): the handler
    """

    def __init__(self, group_name: str, handler: MetricHandler) -> None:
        self.group_name, self.handler = group_name, handler

    def add_value(self, metric_name: str, metric_value: int) -> None:
        """Reports one.

        Args:
            metric_name (str): its name
            metric_value (int): its value
        """
        self.handler.emit(MetricData(time.time(), self.group_name, metric_name, metric_value))


_handlers: dict[str, MetricHandler] = {}
_default_handler: MetricHandler = NullMetricHandler()


def configure(handler: MetricHandler, group: str | None = None) -> None:
    """Sets the handler of a group.

    Args:
        handler (MetricHandler): the handler
        group (str, optional): the group; by default all that have none of their own
    """
    global _default_handler
    if group is None:
        _default_handler = handler
    else:
        _handlers[group] = handler


def getStream(group: str) -> MetricStream:  # noqa: N802  (PyTorch's name)
    """The stream of a group.

    Args:
        group (str): the group

    Returns:
        the stream
    """
    return MetricStream(group, _handlers.get(group, _default_handler))


def put_metric(metric_name: str, metric_value: int, metric_group: str = "torchelastic") -> None:
    """Reports a metric.

    Args:
        metric_name (str): its name
        metric_value (int): its value
        metric_group (str, default "torchelastic"): its group

    Example:
        >>> torch.distributed.elastic.metrics.put_metric("restarts", 1)
    """
    getStream(metric_group).add_value(metric_name, metric_value)


def publish_metric(metric_group: str, metric_name: str, metric_value: int) -> None:
    """The older form of `put_metric`.

    Args:
        metric_group (str): its group
        metric_name (str): its name
        metric_value (int): its value
    """
    warnings.warn("publish_metric() is deprecated; use put_metric()", FutureWarning, stacklevel=2)
    put_metric(metric_name, metric_value, metric_group)


def get_elapsed_time_ms(start_time_in_seconds: float) -> int:
    """Milliseconds since a time.

    Args:
        start_time_in_seconds (float): what `time.time()` gave

    Returns:
        the number
    """
    return int((time.time() - start_time_in_seconds) * 1000)


def _name_of(fn: Callable[..., Any]) -> str:
    """`Class.method`, or `module.function`."""
    return fn.__qualname__ if "." in fn.__qualname__ else f"{fn.__module__}.{fn.__name__}"


def _measured(fn: Callable[..., Any], name: str, group: str) -> Callable[..., Any]:
    @functools.wraps(fn)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        start = time.time()
        outcome = "failure"
        try:
            result = fn(*args, **kwargs)
            outcome = "success"
            return result
        finally:
            put_metric(f"{name}.{outcome}", 1, group)
            put_metric(f"{name}.duration.ms", get_elapsed_time_ms(start), group)

    return wrapper


def prof(fn: Callable[..., Any] | None = None, group: str = "torchelastic") -> Any:
    """Makes a function report how long it takes, and whether it succeeds: `NAME.duration.ms`, `NAME.success`, `NAME.failure`.

    Args:
        fn (Callable, optional): the function; without it, this gives a decorator
        group (str, default "torchelastic"): the group of the metrics

    Returns:
        the function, or a decorator
    """
    if fn is None:
        return functools.partial(prof, group=group)
    return _measured(fn, _name_of(fn), group)


def profile(group: str | None = None) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The older form of `prof`: the names of metrics begin with that of the function alone.

    Args:
        group (str, optional): the group of the metrics

    Returns:
        a decorator
    """
    warnings.warn("profile() is deprecated; use prof()", FutureWarning, stacklevel=2)
    return lambda fn: _measured(fn, fn.__name__, group or "torchelastic")
