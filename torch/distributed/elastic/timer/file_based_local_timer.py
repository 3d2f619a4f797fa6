"""Timers of workers on this machine, whose requests go through a named pipe: they need no common parent."""

from __future__ import annotations

import contextlib
import errno
import json
import logging
import os
import select
import signal as signals
import time
from collections.abc import Callable

from torch.distributed.elastic.timer.api import TimerClient, TimerRequest, Timers, Watchdog

__all__ = ["FileTimerClient", "FileTimerRequest", "FileTimerServer"]

_log = logging.getLogger(__name__)
_VERSION = 1


class FileTimerRequest(TimerRequest):
    """A timer that begins or ends, one line of JSON in the pipe.

    Args:
        worker_pid (int): the process
        scope_id (str): the name of the block
        expiration_time (float): when it expires, in seconds since 1970; negative ends the timer
        signal (int, default 0): what the process gets if it is late; 0 nothing
    """

    __slots__ = ["version", "signal"]

    def __init__(self, worker_pid: int, scope_id: str, expiration_time: float, signal: int = 0) -> None:
        super().__init__(worker_pid, scope_id, expiration_time)
        self.version, self.signal = _VERSION, signal

    @property
    def worker_pid(self) -> int:
        """The process."""
        return self.worker_id  # type: ignore[no-any-return]

    def _values(self) -> tuple[object, ...]:
        return *super()._values(), self.version, self.signal

    def to_json(self) -> str:
        """The line."""
        return json.dumps(
            {"version": self.version, "pid": self.worker_pid, "scope_id": self.scope_id,
             "expiration_time": self.expiration_time, "signal": self.signal}
        )  # fmt: skip


class FileTimerClient(TimerClient):
    """Sends requests through a named pipe.

    Args:
        file_path (str): the pipe, which a FileTimerServer has made
        signal (Signals, default SIGKILL): what this process gets if it is late
    """

    def __init__(self, file_path: str, signal: signals.Signals = signals.SIGKILL) -> None:
        self._file_path, self.signal = file_path, signal

    def _send(self, request: FileTimerRequest) -> None:
        line = (request.to_json() + "\n").encode()
        if len(line) > select.PIPE_BUF:
            raise RuntimeError(
                f"FileTimerClient: a request has at most {select.PIPE_BUF} bytes, got {len(line)}; shorten the scope"
            )
        deadline = time.monotonic() + 1
        while True:
            try:
                pipe = os.open(self._file_path, os.O_WRONLY | os.O_NONBLOCK)
                break
            except OSError as error:
                if error.errno not in (errno.ENXIO, errno.ENOENT):
                    raise
                if time.monotonic() > deadline:  # nobody reads it, or it is not there
                    raise BrokenPipeError(f"FileTimerClient: no FileTimerServer reads {self._file_path}") from error
                time.sleep(0.05)
        try:
            os.set_blocking(pipe, True)
            os.write(pipe, line)
        finally:
            os.close(pipe)

    def acquire(self, scope_id: str, expiration_time: float) -> None:
        """Begins a timer of this process.

        Args:
            scope_id (str): the name of the block
            expiration_time (float): when it expires, in seconds since 1970

        Raises:
            BrokenPipeError: there is no server
        """
        self._send(FileTimerRequest(os.getpid(), scope_id, expiration_time, int(self.signal)))

    def release(self, scope_id: str) -> None:
        """Ends a timer of this process.

        Args:
            scope_id (str): the name of the block
        """
        self._send(FileTimerRequest(os.getpid(), scope_id, -1, 0))


class FileTimerServer(Timers, Watchdog):
    """Makes a named pipe, keeps the timers of those who write to it, and sends signals to processes that are late.

    Args:
        file_path (str): the pipe; what a job that was killed has left there is replaced
        run_id (str): the name of the job
        max_interval (float, default 10): the greatest number of seconds between looks
        daemon (bool, default True): the thread ends with the program
        log_event (Callable, optional): gets the name of an event and the request, or None, that it is about
    """

    def __init__(
        self, file_path: str, run_id: str, max_interval: float = 10, daemon: bool = True,
        log_event: Callable[[str, FileTimerRequest | None], None] | None = None,
    ) -> None:  # fmt: skip
        Timers.__init__(self)
        Watchdog.__init__(self, max_interval, daemon)
        self._file_path, self._run_id = file_path, run_id
        self._log_event = log_event or (lambda name, request: None)
        self._last_progress_time = int(time.time())
        self._rest = b""
        with contextlib.suppress(FileNotFoundError):
            os.remove(file_path)
        os.mkfifo(file_path, 0o644)
        # Open for writing too: a pipe without writers would be readable all the time.
        self._pipe = os.open(file_path, os.O_RDWR | os.O_NONBLOCK)

    def start(self) -> None:
        """Starts the thread."""
        self._log_event("watchdog started", None)
        super().start()

    def stop(self) -> None:
        """Ends the thread, and removes the pipe."""
        super().stop()
        if self._pipe >= 0:
            os.close(self._pipe)
            self._pipe = -1
        with contextlib.suppress(FileNotFoundError):
            os.remove(self._file_path)
        self._log_event("watchdog terminated", None)

    def run_once(self) -> None:
        """Reads the requests that are there, and looks at the timers once."""
        self._look_after(0.0)

    def _requests(self, seconds: float) -> list[FileTimerRequest]:
        """Those that come within a time."""
        if not select.select([self._pipe], [], [], seconds)[0]:
            return []
        *lines, self._rest = (self._rest + os.read(self._pipe, 1 << 16)).split(b"\n")
        requests = []
        for line in lines:
            try:
                found = json.loads(line)
                pid, expires, signal = int(found["pid"]), float(found["expiration_time"]), int(found["signal"])
                if pid < 1:  # which os.kill() takes for several processes
                    raise ValueError(pid)
                request = FileTimerRequest(pid, str(found["scope_id"]), expires, signal)
            except (ValueError, KeyError, TypeError):
                _log.warning("no request: %r", line)
                continue
            requests.append(request)
        return requests

    def _look(self) -> None:
        self._look_after(self._max_interval)

    def _look_after(self, seconds: float) -> None:
        self.register_timers(self._requests(seconds))
        now, gone = time.time(), set()
        for pid, timers in self.get_expired_timers(now).items():
            signal = next((timer.signal for timer in timers if timer.signal > 0), 0)
            _log.info("process %s is late in %s", pid, [timer.scope_id for timer in timers])
            self._log_event("kill worker process", timers[0])
            if self._reap_worker(pid, signal):
                gone.add(pid)
        self.clear_timers(gone | {pid for pid, _ in self._timers if not self.is_process_running(pid)})
        if not gone:
            self._last_progress_time = int(now)

    def clear_timers(self, worker_pids: set[int]) -> None:
        """Ends all timers of processes.

        Args:
            worker_pids (set): the processes
        """
        super().clear_timers(worker_pids)

    def _reap_worker(self, worker_pid: int, signal: int) -> bool:
        try:
            os.kill(worker_pid, signal)
        except ProcessLookupError:
            pass
        except OSError:
            _log.exception("process %s cannot be ended", worker_pid)
            return False
        return True

    @staticmethod
    def is_process_running(pid: int) -> bool:
        """Whether a process runs.

        Args:
            pid (int): its id
        """
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            pass
        return True

    def get_last_progress_time(self) -> int:
        """When no process was late the last time, in seconds since 1970."""
        return self._last_progress_time
