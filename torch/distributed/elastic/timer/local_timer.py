"""Timers of workers on this machine, whose requests go through a queue of multiprocessing."""

from __future__ import annotations

import os
import queue
import signal
import time
from typing import Any

from torch.distributed.elastic.timer.api import RequestQueue, TimerClient, TimerRequest, TimerServer

__all__ = ["LocalTimerClient", "MultiprocessingRequestQueue", "LocalTimerServer"]


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


class LocalTimerServer(TimerServer):
    """Keeps timers in memory, and kills processes that are late.

    Args:
        mp_queue (Queue): a queue of multiprocessing that clients write
        max_interval (float, default 60): the greatest number of seconds between looks
        daemon (bool, default True): the thread ends with the program
    """

    def __init__(self, mp_queue: Any, max_interval: float = 60, daemon: bool = True) -> None:
        super().__init__(MultiprocessingRequestQueue(mp_queue), max_interval, daemon)
        self._timers: dict[tuple[int, str], TimerRequest] = {}

    def register_timers(self, timer_requests: list[TimerRequest]) -> None:
        """Begins and ends timers.

        Args:
            timer_requests (list): the requests, in their order
        """
        for request in timer_requests:
            key = request.worker_id, request.scope_id
            if request.expiration_time < 0:
                self._timers.pop(key, None)
            else:
                self._timers[key] = request

    def clear_timers(self, worker_ids: set[int]) -> None:
        """Ends all timers of workers.

        Args:
            worker_ids (set): process ids
        """
        self._timers = {key: timer for key, timer in self._timers.items() if key[0] not in worker_ids}

    def get_expired_timers(self, deadline: float) -> dict[Any, list[TimerRequest]]:
        """The timers that expire up to a time.

        Args:
            deadline (float): seconds since 1970

        Returns:
            lists of timers, by process id
        """
        expired: dict[Any, list[TimerRequest]] = {}
        for timer in self._timers.values():
            if timer.expiration_time <= deadline:
                expired.setdefault(timer.worker_id, []).append(timer)
        return expired

    def _reap_worker(self, worker_id: int) -> bool:
        try:
            os.kill(worker_id, signal.SIGKILL)
        except ProcessLookupError:
            pass
        return True
