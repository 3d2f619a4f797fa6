"""Timers of workers on this machine, whose requests go through a queue of multiprocessing."""

from __future__ import annotations

import logging
import os
import queue
import signal
import time
from typing import Any

from torch.distributed.elastic.timer.api import RequestQueue, TimerClient, TimerRequest, Timers, TimerServer

__all__ = ["LocalTimerClient", "MultiprocessingRequestQueue", "LocalTimerServer"]

_log = logging.getLogger(__name__)


class LocalTimerClient(TimerClient):
    """Sends requests through a queue.

    Args:
        mp_queue (Queue): a queue of multiprocessing that the server reads
    """

    def __init__(self, mp_queue: Any) -> None:
        self._queue = mp_queue

    def acquire(self, scope_id: str, expiration_time: float) -> None:
        """Begins a timer of this process.

        Args:
            scope_id (str): the name of the block
            expiration_time (float): when it expires, in seconds since 1970
        """
        self._queue.put(TimerRequest(os.getpid(), scope_id, expiration_time))

    def release(self, scope_id: str) -> None:
        """Ends a timer of this process.

        Args:
            scope_id (str): the name of the block
        """
        self._queue.put(TimerRequest(os.getpid(), scope_id, -1))


class MultiprocessingRequestQueue(RequestQueue):
    """Requests from a queue.

    Args:
        mp_queue (Queue): a queue of multiprocessing
    """

    def __init__(self, mp_queue: Any) -> None:
        self._queue = mp_queue

    def size(self) -> int:
        """How many requests wait, about."""
        return int(self._queue.qsize())

    def get(self, size: int, timeout: float) -> list[TimerRequest]:
        """Waits for requests.

        Args:
            size (int): how many
            timeout (float): seconds

        Returns:
            up to `size` requests
        """
        requests: list[TimerRequest] = []
        deadline = time.monotonic() + timeout
        while len(requests) < size:
            try:
                requests.append(self._queue.get(timeout=max(0.0, deadline - time.monotonic())))
            except queue.Empty:
                break
        return requests


class LocalTimerServer(Timers, TimerServer):
    """Keeps timers in memory, and kills processes that are late.

    Args:
        mp_queue (Queue): a queue of multiprocessing that clients write
        max_interval (float, default 60): the greatest number of seconds between looks
        daemon (bool, default True): the thread ends with the program
    """

    def __init__(self, mp_queue: Any, max_interval: float = 60, daemon: bool = True) -> None:
        Timers.__init__(self)
        TimerServer.__init__(self, MultiprocessingRequestQueue(mp_queue), max_interval, daemon)

    def _reap_worker(self, worker_id: int) -> bool:
        try:
            os.kill(worker_id, signal.SIGKILL)
        except ProcessLookupError:
            pass
        except OSError:
            _log.exception("process %s cannot be ended", worker_id)
            return False
        return True
