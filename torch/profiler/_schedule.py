"""What the profiler does in which step, and where its traces go."""

from __future__ import annotations

import enum
import os
import socket
import time
import warnings
from collections.abc import Callable


class ProfilerAction(enum.Enum):
    """What the profiler does in a step."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3
    DEVICE_STOPPED = 4


def schedule(
    *, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0, skip_first_wait: int = 0
) -> Callable:
    """A function of the step's number: skip `skip_first` steps, then cycles of `wait`, `warmup` and `active` steps.

    The last active step of a cycle calls on_trace_ready. repeat: how many cycles, 0 for no end. skip_first_wait: not 0 to leave
    out the first cycle's wait. Raises AssertionError for negative counts and for no active step."""
    if min(wait, warmup, repeat, skip_first) < 0 or active <= 0:
        raise AssertionError(
            f"Invalid profiler schedule arguments: expected wait, warmup, repeat, skip_first >= 0 and active > 0, "
            f"got wait={wait}, warmup={warmup}, active={active}, repeat={repeat}, skip_first={skip_first}"
        )
    if warmup == 0:
        warnings.warn("Profiler won't be using warmup: the first recorded step may be slower than the others", stacklevel=2)

    def action(step: int) -> ProfilerAction:
        if step < 0:
            raise AssertionError(f"Step must be non-negative, got {step}")
        if step < skip_first:
            return ProfilerAction.NONE
        step -= skip_first
        if skip_first_wait:
            step += wait
        cycle = wait + warmup + active
        if repeat > 0 and step // cycle >= repeat:
            return ProfilerAction.NONE
        at = step % cycle
        if at < wait:
            return ProfilerAction.NONE
        if at < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if at < cycle - 1 else ProfilerAction.RECORD_AND_SAVE

    return action


def always(step):
    """The schedule of a profile without one."""
    return ProfilerAction.RECORD


def tensorboard_trace_handler(
    dir_name: str, worker_name: str | None = None, use_gzip: bool = False, use_python_export: bool = False
):
    """An on_trace_ready that writes each trace into a folder, under names that TensorBoard's plugin knows:
    WORKER.NANOSECONDS.pt.trace.json, and .gz with use_gzip. Raises RuntimeError where the folder cannot be made."""

    def handler(prof) -> None:
        try:
            os.makedirs(dir_name, exist_ok=True)
        except OSError as e:
            raise RuntimeError(f"tensorboard_trace_handler: can't create directory: {dir_name}") from e
        worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        name = f"{worker}.{time.time_ns()}.pt.trace.json" + (".gz" if use_gzip else "")
        prof.export_chrome_trace(os.path.join(dir_name, name), use_python_export=use_python_export)

    return handler
