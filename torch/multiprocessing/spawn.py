"""`spawn` and `start_processes`: one function in several processes, all of which end when one of them fails."""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import os
import pickle
import signal
import sys
import tempfile
import time
import traceback
import warnings

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = [
    "ProcessContext", "ProcessException", "ProcessExitedException", "ProcessRaisedException", "SpawnContext", "spawn",
    "start_processes",
]  # fmt: skip

ENV_VAR_PARALLEL_START = "TORCH_MP_PARALLEL_START"
_KILL_AFTER_SECONDS = 30
_PR_SET_PDEATHSIG = 1


class ProcessException(Exception):
    """A process started by `start_processes` has failed: its index and process id.

    Args:
        msg (str): the message
        error_index (int): which of the processes
        pid (int): its process id

    Example:
        >>> from torch.multiprocessing.spawn import ProcessException
        >>> ProcessException("it failed", 0, 1234).pid
        1234
    """

    def __init__(self, msg: str, error_index: int, pid: int) -> None:
        super().__init__(msg)
        self.msg, self.error_index, self.pid = msg, error_index, pid

    def __reduce__(self):
        return type(self), (self.msg, self.error_index, self.pid)


class ProcessRaisedException(ProcessException):
    """The function raised an exception; the message holds its traceback.

    Args:
        msg (str): the message
        error_index (int): which of the processes
        error_pid (int): its process id

    Example:
        >>> torch.multiprocessing.ProcessRaisedException("it failed", 0, 1234).error_index
        0
    """

    def __init__(self, msg: str, error_index: int, error_pid: int) -> None:
        super().__init__(msg, error_index, error_pid)


class ProcessExitedException(ProcessException):
    """The process was killed by a signal, or ended with an exit code that is not 0.

    Args:
        msg (str): the message
        error_index (int): which of the processes
        error_pid (int): its process id
        exit_code (int): its exit code, negative for a signal
        signal_name (str, optional): the name of the signal

    Example:
        >>> torch.multiprocessing.ProcessExitedException("it ended", 0, 1234, 3).exit_code
        3
    """

    def __init__(self, msg: str, error_index: int, error_pid: int, exit_code: int, signal_name: str | None = None) -> None:
        super().__init__(msg, error_index, error_pid)
        self.exit_code, self.signal_name = exit_code, signal_name

    def __reduce__(self):
        return type(self), (self.msg, self.error_index, self.pid, self.exit_code, self.signal_name)


def _end_with_parent(parent):
    """Let the system send SIGINT when the parent dies: a child of a killed parent must not wait forever."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGINT, 0, 0, 0)
        if os.getppid() != parent:
            os.kill(os.getpid(), signal.SIGINT)


def _run(function, number, args, error_file, parent):
    try:
        _end_with_parent(parent)
        function(number, *args)
    except KeyboardInterrupt:
        pass  # the parent was interrupted too, or has exited
    except Exception:
        # A file, not a pipe: a text of any length can be written before it is read.
        with open(error_file, "wb") as file:
            pickle.dump(traceback.format_exc(), file)
        sys.exit(1)


class ProcessContext:
    """Processes that run together.

    Args:
        processes (list of Process): the processes
        error_files (list of str): where each writes what it raised

    Example:
        >>> context = torch.multiprocessing.start_processes(print, nprocs=0, join=False)
        >>> context.pids(), context.join()
        ([], True)
    """

    def __init__(self, processes: list[Any], error_files: list[str]) -> None:
        self.processes, self.error_files = processes, error_files
        self.sentinels = {process.sentinel: number for number, process in enumerate(processes)}
        self._owner = os.getpid()

    def pids(self) -> list[int]:
        """The process ids."""
        return [int(process.pid) for process in self.processes]

    def _join_processes_with_timeout(self, timeout):
        end = time.monotonic() + timeout
        for process in self.processes:
            process.join(max(0, end - time.monotonic()))

    def join(self, timeout: float | None = None, grace_period: float | None = None) -> bool:
        """Wait until a process ends.

        If one has failed, the others are terminated.

        Args:
            timeout (float, optional): seconds at most
            grace_period (float, optional): seconds that the others have to end by themselves

        Returns:
            whether all have ended

        Raises:
            ProcessRaisedException: the function raised an exception
            ProcessExitedException: a process ended in another way
        """
        if not self.sentinels:
            return True
        failed = None
        for sentinel in multiprocessing.connection.wait(list(self.sentinels), timeout):
            number = self.sentinels.pop(sentinel)
            process = self.processes[number]
            process.join()
            if process.exitcode != 0 and failed is None:
                failed = number
        if failed is None:
            return not self.sentinels
        self._end(grace_period)
        self._raise(failed)

    def _end(self, grace_period):
        if grace_period:
            self._join_processes_with_timeout(grace_period)
        for process in self.processes:
            if process.is_alive():
                process.terminate()
        self._join_processes_with_timeout(_KILL_AFTER_SECONDS)
        for process in self.processes:
            if process.is_alive():
                process.kill()
            process.join()
        self.sentinels.clear()

    def _raise(self, number):
        process, text = self.processes[number], None
        if os.path.getsize(self.error_files[number]):
            with open(self.error_files[number], "rb") as file:
                text = pickle.load(file)
        self._remove_files()
        if text is not None:
            raise ProcessRaisedException(
                f"\n\n-- Process {number} terminated with the following error:\n{text}", number, process.pid
            )
        code = process.exitcode
        if code < 0:
            try:
                name = signal.Signals(-code).name
            except ValueError:
                name = f"<Unknown signal {-code}>"
            raise ProcessExitedException(f"process {number} terminated with signal {name}", number, process.pid, code, name)
        raise ProcessExitedException(f"process {number} terminated with exit code {code}", number, process.pid, code)

    def _remove_files(self):
        for path in self.error_files:
            try:
                os.unlink(path)
            except FileNotFoundError:
                pass

    def __del__(self):
        if os.getpid() == self._owner:  # and not a forked child's copy
            self._remove_files()


class SpawnContext(ProcessContext):
    """Processes that were started with the method "spawn".

    Args:
        processes (list of Process): the processes
        error_files (list of str): where each writes what it raised

    Example:
        >>> issubclass(torch.multiprocessing.SpawnContext, torch.multiprocessing.ProcessContext)
        True
    """


def start_processes(
    fn: Callable[..., object],
    args: tuple[Any, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """Run a function in new processes.

    Args:
        fn (function): gets the number of its process, from 0, and then `args`
        args (tuple, default ()): more arguments
        nprocs (int, default 1): how many processes
        join (bool, default True): wait for all; when one fails, end the others and raise
        daemon (bool, default False): the processes are ended when this one exits
        start_method (str, default "spawn"): "spawn", "fork" or "forkserver"

    Returns:
        None, or without `join` a ProcessContext, whose `join` waits

    Raises:
        ProcessRaisedException: the function raised an exception
        ProcessExitedException: a process ended in another way

    Example:
        >>> results = torch.zeros(2).share_memory_()
        >>> def work(number, results):
        ...     results[number] = number + 1
        >>> torch.multiprocessing.start_processes(work, (results,), nprocs=2, start_method="fork")
        >>> results
        tensor([1., 2.])
    """
    context = multiprocessing.get_context(start_method)
    processes, files = [], []
    running = ProcessContext(processes, files)  # removes the files, whatever happens
    try:
        for number in range(nprocs):
            handle, path = tempfile.mkstemp(prefix="torch_mp_", suffix=".error")
            os.close(handle)
            files.append(path)
            process = context.Process(target=_run, args=(fn, number, args, path, os.getpid()), daemon=daemon)
            process.start()
            processes.append(process)
    except BaseException:
        running._end(None)
        raise
    running.sentinels = {process.sentinel: number for number, process in enumerate(processes)}
    if not join:
        return running
    while not running.join():
        pass
    return None


def spawn(
    fn: Callable[..., object],
    args: tuple[Any, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """Run a function in new processes, started with the method "spawn".

    Args:
        fn (function): gets the number of its process, from 0, and then `args`; it is imported anew in each
        args (tuple, default ()): more arguments
        nprocs (int, default 1): how many processes
        join (bool, default True): wait for all; when one fails, end the others and raise
        daemon (bool, default False): the processes are ended when this one exits
        start_method (str, default "spawn"): another one warns; `start_processes` takes them

    Returns:
        None, or without `join` a ProcessContext, whose `join` waits

    Raises:
        ProcessRaisedException: the function raised an exception
        ProcessExitedException: a process ended in another way

    Example:
        >>> context = torch.multiprocessing.spawn(print, nprocs=0, join=False)
        >>> context.join()
        True
    """
    if start_method != "spawn":
        warnings.warn(
            f"spawn() starts processes by the method 'spawn', not {start_method!r}: "
            "torch.multiprocessing.start_processes(...) takes other methods",
            FutureWarning,
            stacklevel=2,
        )
    return start_processes(fn, args, nprocs, join, daemon, start_method="spawn")
