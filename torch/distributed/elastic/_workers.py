"""The workers of one machine: starting them, their output, and ending them with everything that they started."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from typing import IO, Any

from torch.distributed.elastic.multiprocessing.errors import ProcessFailure

_STDOUT, _STDERR = 1, 2
_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None)


def _die_with_parent() -> None:
    # In the child, before it becomes the worker: torchrun may be killed without a chance to end it.
    _libc.prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL))


def streams(spec: str, local_rank: int) -> int:
    """Which streams a rank's part of "3" or "0:1,1:2" means: 1 stdout, 2 stderr, 3 both."""
    if ":" not in spec:
        return int(spec)
    parts = dict(pair.split(":") for pair in spec.split(","))
    return int(parts.get(str(local_rank), 0))


def worker_environment(values: dict[str, Any], workers: int) -> dict[str, str]:
    """The environment of this process with other values, for one of several workers."""
    environment = {**os.environ, **{name: str(value) for name, value in values.items()}}
    # Workers that each use all cores slow each other down.
    if workers > 1:
        environment.setdefault("OMP_NUM_THREADS", "1")
    return environment


class _Tee(threading.Thread):
    """Copies a worker's output to a file and the console, with the rank before each line."""

    def __init__(self, source: IO[bytes], path: str, console: Any, prefix: str) -> None:
        super().__init__(daemon=True)
        self.source, self.path, self.console, self.prefix = source, path, console, prefix.encode()

    def run(self) -> None:
        with open(self.path, "wb") as file:
            for line in self.source:
                file.write(line)
                file.flush()
                if self.console is not None:
                    self.console.write(self.prefix + line)
                    self.console.flush()


class Worker:
    """One process with its rank and its output. A thread notes when it ends: the first failure is what counts."""

    def __init__(self, command: list[str], environment: dict[str, str], rank: int, local_rank: int, folder: str,
                 redirects: str, tee: str, role: str, shown: bool, ended: threading.Event) -> None:  # fmt: skip
        self.rank, self.local_rank, self.folder = rank, local_rank, folder
        self.error_file = os.path.join(folder, "error.json")
        os.makedirs(folder, exist_ok=True)
        to_file, both = streams(redirects, local_rank), streams(tee, local_rank)
        outputs: list[Any] = []
        opened: list[Any] = []
        for stream, name in ((_STDOUT, "stdout"), (_STDERR, "stderr")):
            if both & stream:
                outputs.append(subprocess.PIPE)
            elif to_file & stream:
                outputs.append(open(os.path.join(folder, f"{name}.log"), "wb"))  # noqa: SIM115  (closed below)
                opened.append(outputs[-1])
            else:
                outputs.append(None if shown else subprocess.DEVNULL)
        try:
            self.process = subprocess.Popen(
                command, env={**environment, "TORCHELASTIC_ERROR_FILE": self.error_file}, stdout=outputs[0], stderr=outputs[1],
                start_new_session=True, preexec_fn=_die_with_parent,
            )  # fmt: skip
        finally:
            for file in opened:
                file.close()
        self.tees = []
        for source, name in ((self.process.stdout, "stdout"), (self.process.stderr, "stderr")):
            if source is not None:
                console = getattr(sys, name).buffer if shown else None
                self.tees.append(_Tee(source, os.path.join(folder, f"{name}.log"), console, f"[{role}{local_rank}]:"))
                self.tees[-1].start()
        self.ended_at = 0.0
        self.waiter = threading.Thread(target=self._wait, args=(ended,), daemon=True)
        self.waiter.start()

    def _wait(self, ended: threading.Event) -> None:
        self.process.wait()
        self.ended_at = time.time()
        ended.set()

    def failure(self) -> ProcessFailure:
        code = self.process.returncode
        self.waiter.join()
        found = ProcessFailure(self.local_rank, self.rank, self.process.pid, code, self.error_file, self.ended_at)
        found.read_error_file()
        if not found.message:
            found.message = self._end_of_stderr()
        return found

    def result(self) -> Any:
        """What its function has returned; None if it runs a program."""
        from torch.distributed.launcher._call import read_result

        return read_result(self.folder)

    def _end_of_stderr(self) -> str:
        """What the console has not shown."""
        try:
            with open(os.path.join(self.folder, "stderr.log"), "rb") as file:
                file.seek(max(0, os.fstat(file.fileno()).st_size - 4000))
                return file.read().decode(errors="replace").strip()
        except OSError:
            return ""

    def send(self, number: int) -> None:
        """A signal to the worker and all processes that it started, also after its own end."""
        try:
            os.killpg(self.process.pid, number)
        except (ProcessLookupError, PermissionError):
            pass


class Workers:
    """The workers of one attempt."""

    def __init__(self) -> None:
        self.workers: list[Worker] = []
        self.ended = threading.Event()  # one of them has

    def add(self, worker: Worker) -> None:
        self.workers.append(worker)

    def poll(self) -> tuple[bool, list[Worker]]:
        """Whether all have ended well, and those that failed."""
        codes = [worker.process.poll() for worker in self.workers]
        return all(code == 0 for code in codes), [w for w, code in zip(self.workers, codes) if code not in (None, 0)]

    def failures(self) -> dict[int, ProcessFailure]:
        """The failures by rank, after the first one: the others often fail because of it, a moment later."""
        time.sleep(0.2)
        return {worker.rank: worker.failure() for worker in self.poll()[1]}

    def end(self, number: int, timeout: float) -> None:
        """Sends a signal, waits, and kills what is left."""
        for worker in self.workers:
            if worker.process.poll() is None:
                worker.send(number)
        deadline = time.monotonic() + timeout
        for worker in self.workers:
            try:
                worker.process.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                pass
        for worker in self.workers:
            worker.send(signal.SIGKILL)
            worker.process.wait()
            for tee in worker.tees:
                tee.join(1)
