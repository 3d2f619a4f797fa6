"""Signals that end a job."""

from __future__ import annotations

import contextlib
import logging
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from types import FrameType
from typing import Any

_log = logging.getLogger(__name__)


@contextlib.contextmanager
def signals_raise(numbers: Sequence[int], error_of: Callable[[int], BaseException]) -> Iterator[None]:
    """A block in which the first of some signals raises an error. Later ones are ignored: the workers are being ended then.

    Python handles signals in its main thread only. In another thread, the block leaves them as they are, and says so in the log.
    """
    if threading.current_thread() is not threading.main_thread():
        if numbers:
            _log.warning("the job runs in a child thread, where signals are not passed on to its workers")
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        for other in numbers:
            signal.signal(other, signal.SIG_IGN)
        raise error_of(number)

    before: dict[int, Any] = {}
    try:
        for number in numbers:
            before[number] = signal.signal(number, stop)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
