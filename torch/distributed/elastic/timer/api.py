"""What timers are made of: requests, clients that send them, and servers that kill those who are late."""

from __future__ import annotations

import abc
import contextlib
import logging
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

__all__ = ["TimerRequest", "TimerClient", "RequestQueue", "TimerServer", "configure", "expires"]

_log = logging.getLogger(__name__)


class TimerRequest:
    """A timer that begins, or ends.

    Args:
        worker_id (object): the worker, such as its process id
        scope_id (str): the name of the block
        expiration_time (float): when it expires, in seconds since 1970; negative ends the timer
    """

    __slots__ = ["worker_id", "scope_id", "expiration_time"]

    def __init__(self, worker_id: Any, scope_id: str, expiration_time: float) -> None:
        self.worker_id, self.scope_id, self.expiration_time = worker_id, scope_id, expiration_time

    def _values(self) -> tuple[Any, ...]:
        return self.worker_id, self.scope_id, self.expiration_time

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TimerRequest) and self._values() == other._values()

    def __hash__(self) -> int:
        return hash(self._values())


class TimerClient(abc.ABC):
    """Sends requests of one worker."""

    @abc.abstractmethod
    def acquire(self, scope_id: str, expiration_time: float) -> None:
        """Begins a timer.

        Args:
            scope_id (str): the name of the block
            expiration_time (float): when it expires, in seconds since 1970
        """

    @abc.abstractmethod
    def release(self, scope_id: str) -> None:
        """Ends a timer.

        Args:
            scope_id (str): the name of the block
        """


class RequestQueue(abc.ABC):
    """Where a server gets requests from."""

    @abc.abstractmethod
    def size(self) -> int:
        """How many requests wait, about."""

    @abc.abstractmethod
    def get(self, size: int, timeout: float) -> list[TimerRequest]:
        """Waits for requests.

        Args:
            size (int): how many
            timeout (float): seconds

        Returns:
            up to `size` requests
        """


class Watchdog:
    """A thread that looks again and again whether timers have expired.

    Subclasses say what it does in `_look`.
    """

    def __init__(self, max_interval: float, daemon: bool) -> None:
        self._max_interval, self._daemon = max_interval, daemon
        self._watchdog_thread: threading.Thread | None = None
        self._stop_signaled = threading.Event()

    def _look(self) -> None:
        raise NotImplementedError

    def _watchdog_loop(self) -> None:
        while not self._stop_signaled.is_set():
            try:
                self._look()
            except Exception:  # the other workers have timers too
                _log.exception("the look at timers failed")
                self._stop_signaled.wait(self._max_interval)  # it may have failed at once, and fail again

    def start(self) -> None:
        """Starts the thread."""
        self._stop_signaled.clear()
        self._watchdog_thread = threading.Thread(target=self._watchdog_loop, daemon=self._daemon)
        self._watchdog_thread.start()

    def stop(self) -> None:
        """Ends the thread."""
        self._stop_signaled.set()
        if self._watchdog_thread is not None:
            self._watchdog_thread.join(self._max_interval + 5)
            self._watchdog_thread = None


class Timers:
    """Timers in memory, by worker and scope."""

    def __init__(self) -> None:
        self._timers: dict[tuple[Any, str], Any] = {}

    def register_timers(self, timer_requests: list[Any]) -> None:
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

    def clear_timers(self, worker_ids: set[Any]) -> None:
        """Ends all timers of workers.

        Args:
            worker_ids (set): the workers
        """
        self._timers = {key: timer for key, timer in self._timers.items() if key[0] not in worker_ids}

    def get_expired_timers(self, deadline: float) -> dict[Any, list[Any]]:
        """The timers that expire up to a time.

        Args:
            deadline (float): seconds since 1970

        Returns:
            lists of timers, by worker
        """
        expired: dict[Any, list[Any]] = {}
        for timer in self._timers.values():
            if timer.expiration_time <= deadline:
                expired.setdefault(timer.worker_id, []).append(timer)
        return expired


class TimerServer(Watchdog, abc.ABC):
    """Keeps the timers of workers, and ends workers that are late.

    Args:
        request_queue (RequestQueue): where requests come from
        max_interval (float): the greatest number of seconds between looks
        daemon (bool, default True): the thread ends with the program
    """

    def __init__(self, request_queue: RequestQueue, max_interval: float, daemon: bool = True) -> None:
        super().__init__(max_interval, daemon)
        self._request_queue = request_queue

    @abc.abstractmethod
    def register_timers(self, timer_requests: list[TimerRequest]) -> None:
        """Begins and ends timers.

        Args:
            timer_requests (list): the requests, in their order
        """

    @abc.abstractmethod
    def clear_timers(self, worker_ids: set[Any]) -> None:
        """Ends all timers of workers.

        Args:
            worker_ids (set): the workers
        """

    @abc.abstractmethod
    def get_expired_timers(self, deadline: float) -> dict[Any, list[TimerRequest]]:
        """The timers that expire up to a time.

        Args:
            deadline (float): seconds since 1970

        Returns:
            lists of timers, by worker
        """

    @abc.abstractmethod
    def _reap_worker(self, worker_id: Any) -> bool:
        """Ends a worker; whether it is gone."""

    def _look(self) -> None:
        size = max(1, self._request_queue.size())
        self.register_timers(self._request_queue.get(size, self._max_interval))
        gone = set()
        for worker_id, timers in self.get_expired_timers(time.time()).items():
            _log.info("ending worker %s, which is late in %s", worker_id, [timer.scope_id for timer in timers])
            if self._reap_worker(worker_id):
                gone.add(worker_id)
        self.clear_timers(gone)


_client: TimerClient | None = None


def configure(timer_client: TimerClient) -> None:
    """Sets the client of this process, which `expires` uses.

    Args:
        timer_client (TimerClient): the client
    """
    global _client
    _client = timer_client


@contextlib.contextmanager
def expires(after: float, scope: str | None = None, client: TimerClient | None = None) -> Iterator[None]:
    """A block that must be left in time; the server ends the process otherwise.

    Args:
        after (float): seconds
        scope (str, optional): the name of the block; file and line of the caller by default
        client (TimerClient, optional): what sends the request; the one of `configure` by default

    Raises:
        RuntimeError: there is no client
    """
    client = client or _client
    if client is None:
        raise RuntimeError("expires(): there is no client; call torch.distributed.elastic.timer.configure() first")
    if scope is None:
        caller = sys._getframe(2)  # above contextlib's
        scope = f"{caller.f_code.co_filename}#{caller.f_lineno}"
    client.acquire(scope, time.time() + after)
    try:
        yield
    finally:
        client.release(scope)
