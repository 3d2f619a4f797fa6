"""How a worker tells torchrun why it failed: a file with the error, which `record` writes."""

from __future__ import annotations

import functools
import json
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

__all__ = ["ChildFailedError", "ProcessFailure", "record"]

T = TypeVar("T")


@dataclass
class ProcessFailure:
    """A worker that failed."""

    local_rank: int
    rank: int
    pid: int
    exitcode: int
    error_file: str
    timestamp: float
    message: str = ""

    def signal_name(self) -> str:
        """The signal that ended the worker, or an empty string."""
        if self.exitcode >= 0:
            return ""
        try:
            return signal.Signals(-self.exitcode).name
        except ValueError:
            return f"signal {-self.exitcode}"

    def read_error_file(self) -> None:
        """Takes the time and the text from what the worker wrote, if it did."""
        try:
            with open(self.error_file) as file:
                found = json.load(file)["message"]
            self.message = str(found["extraInfo"]["py_callstack"]).rstrip()
            self.timestamp = float(found["extraInfo"]["timestamp"])
        except (OSError, ValueError, KeyError, TypeError):
            pass


class ChildFailedError(Exception):
    """Workers failed. The first of the failures, by time, is the one to look at."""

    def __init__(self, name: str, failures: dict[int, ProcessFailure]) -> None:
        self.name, self.failures = name, failures
        super().__init__(self.format_msg())

    def get_first_failure(self) -> tuple[int, ProcessFailure]:
        """The rank and the failure of the worker that failed first."""
        return min(self.failures.items(), key=lambda item: item[1].timestamp)

    def format_msg(self) -> str:
        """The text for the screen."""
        rank, first = self.get_first_failure()
        lines = [f"{self.name} failed. The first failure:"]
        for number, failure in [(rank, first), *((r, f) for r, f in sorted(self.failures.items()) if r != rank)]:
            ended = failure.signal_name() and f"was ended by {failure.signal_name()}" or f"exited with {failure.exitcode}"
            when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(failure.timestamp))
            place = f"rank {number} (local rank {failure.local_rank}, process {failure.pid})"
            lines.append(f"  {place} {ended} at {when}")
            if number == rank and failure.message:
                lines += ["    " + line for line in failure.message.splitlines()]
            elif number == rank:
                lines.append("    no traceback in its error file; @record of torch.distributed.elastic.multiprocessing.errors "
                             "writes one, and stderr may have it")  # fmt: skip
            if number == rank and len(self.failures) > 1:
                lines.append("Failures after it:")
        return "\n".join(lines)


def _write_error_file(path: str, error: BaseException) -> None:
    text = "".join(traceback.format_exception(error))
    about = {"py_callstack": text, "timestamp": str(time.time())}
    message = {"message": {"message": f"{type(error).__name__}: {error}", "extraInfo": about}}
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w") as file:
        json.dump(message, file)


def report_uncaught() -> None:
    """Makes an exception that ends this worker go to its error file too, where torchrun finds it."""
    before = sys.excepthook
    if getattr(before, "reports", False):
        return

    def hook(kind: Any, error: BaseException, trace: Any) -> None:
        try:
            path = os.environ.get("TORCHELASTIC_ERROR_FILE")
            if path and isinstance(error, Exception) and not os.path.exists(path):
                _write_error_file(path, error)
        finally:
            before(kind, error, trace)

    hook.reports = True  # type: ignore[attr-defined]
    sys.excepthook = hook


def record(fn: Callable[..., T]) -> Callable[..., T]:
    """Makes the main function of a worker write its error where torchrun looks for it.

    Args:
        fn (Callable): the function

    Returns:
        a function that does the same

    Example:
        >>> @torch.distributed.elastic.multiprocessing.errors.record
        ... def main():
        ...     return 1
        >>> main()
        1
    """

    @functools.wraps(fn)
    def wrapper(*args: Any, **kwargs: Any) -> T:
        try:
            return fn(*args, **kwargs)
        except SystemExit:
            raise
        except ChildFailedError as error:  # of torchrun's own
            print(error.format_msg(), file=sys.stderr, flush=True)
            sys.exit(1)
        except Exception as error:
            path = os.environ.get("TORCHELASTIC_ERROR_FILE")
            if path:
                _write_error_file(path, error)
            raise

    return wrapper
