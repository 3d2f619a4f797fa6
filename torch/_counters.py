"""Counters of PyTorch's runtime, which programs read by name. Nothing here counts, so they are all 0."""

from __future__ import annotations

from typing import Any


class NoopLogger:
    """Counts nothing.

    Example:
        >>> isinstance(torch.NoopLogger(), torch.NoopLogger)
        True
    """

    __module__ = "torch"


class LockingLogger:
    """Counters by name, safe between threads. Nothing adds to them.

    Example:
        >>> torch.LockingLogger().get_counter_val("pytorch_runtime.graph_executors_constructed")
        0
    """

    __module__ = "torch"

    def __init__(self) -> None:
        self._aggregation: dict[str, Any] = {}

    def get_counter_val(self, name: str) -> int:
        """The value of a counter.

        Args:
            name (str): its name

        Returns:
            0
        """
        return 0

    def set_aggregation_type(self, name: str, type: Any) -> None:
        """Choose how values of a counter are combined.

        Args:
            name (str): its name
            type (torch.AggregationType): the sum, or the average
        """
        self._aggregation[name] = type
