"""Streams of the CPU, which has none: programs that are written for any device can use them, and nothing waits."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

import torch


class Stream:
    """A queue of work of a device. The CPU's work is done when a call returns, so this is nothing but a name for it.

    Args:
        priority (int, default -1): of no effect

    Example:
        >>> with torch.cpu.stream(torch.cpu.Stream()):
        ...     x = torch.ones(2) + 1
    """

    def __init__(self, priority: int = -1) -> None:
        pass

    def wait_stream(self, stream: Any) -> None:
        """Wait for nothing.

        Args:
            stream (Stream): another one
        """

    def record_event(self) -> None:
        """Record nothing."""

    def wait_event(self, event: Any) -> None:
        """Wait for nothing.

        Args:
            event (Event): of another device
        """


_default = Stream()
_current = [_default]


class StreamContext(AbstractContextManager["StreamContext"]):
    """A `with` block whose stream is the one that `current_stream` returns.

    Args:
        stream (Stream or None): None changes nothing

    Example:
        >>> stream = torch.cpu.Stream()
        >>> with torch.cpu.StreamContext(stream):
        ...     torch.cpu.current_stream() is stream
        True
    """

    def __init__(self, stream: Stream | None) -> None:
        self.stream = stream

    def __enter__(self) -> StreamContext:
        _current.append(_current[-1] if self.stream is None else self.stream)
        return self

    def __exit__(self, *problem: object) -> None:
        _current.pop()


def stream(stream: Stream | None) -> StreamContext:
    """A `with` block with a stream.

    Args:
        stream (Stream or None): None changes nothing

    Example:
        >>> with torch.cpu.stream(torch.cpu.Stream()):
        ...     pass
    """
    return StreamContext(stream)


def current_stream(device: torch.device | str | int | None = None) -> Stream:
    """The stream of the innermost `with` block.

    Args:
        device (device, optional): the CPU

    Example:
        >>> torch.cpu.current_stream() is torch.cpu.current_stream()
        True
    """
    return _current[-1]
