"""What the profiler does in which step, and where its traces go."""

from __future__ import annotations

import enum
import os
import socket
import time
import warnings
from collections.abc import Callable

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any


class ProfilerAction(enum.Enum):
    """What the profiler does in a step.

    Args:
        value (int): the number of an action

    Example:
        >>> torch.profiler.ProfilerAction(2)
        <ProfilerAction.RECORD: 2>
    """

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3
    DEVICE_STOPPED = 4


def schedule(*, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0, skip_first_wait: int = 0) -> Callable:
    """A function of the step's number: what the profiler does in that step.

    It skips `skip_first` steps, then there are cycles of `wait`, `warmup` and `active` steps, whose last one calls
    on_trace_ready.

    Args:
        wait (int): steps of a cycle in which nothing happens
        warmup (int): steps that are recorded and dropped
        active (int): steps that are recorded, at least 1
        repeat (int, default 0): how many cycles, 0 for no end
        skip_first (int, default 0): steps before the first cycle
        skip_first_wait (int, default 0): not 0 to leave out the first cycle's wait

    Returns:
        step -> ProfilerAction

    Raises:
        AssertionError: negative counts, or no active step

    Example:
        >>> action = torch.profiler.schedule(wait=1, warmup=1, active=2)
        >>> [action(step).name for step in range(4)]
        ['NONE', 'WARMUP', 'RECORD', 'RECORD_AND_SAVE']
    """
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


def always(step: int) -> ProfilerAction:
    """The schedule of a profile without one."""
    return ProfilerAction.RECORD


def tensorboard_trace_handler(
    dir_name: str, worker_name: str | None = None, use_gzip: bool = False, use_python_export: bool = False
) -> Callable[[Any], None]:
    """An on_trace_ready that writes each trace into a folder, under names that TensorBoard's plugin knows.

    Args:
        dir_name (str): the folder, which is made
        worker_name (str, optional): the first part of names; by default the machine and process
        use_gzip (bool, default False): compressed files
        use_python_export (bool, default False): accepted for compatibility

    Returns:
        the function

    Raises:
        RuntimeError: the folder cannot be made, when it is first needed

    Example:
        >>> import os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with torch.profiler.profile(on_trace_ready=torch.profiler.tensorboard_trace_handler(folder, "me")):
        ...         x = torch.ones(2)
        ...     os.listdir(folder)[0].endswith(".pt.trace.json")
        True
    """

    def handler(prof) -> None:
        try:
            os.makedirs(dir_name, exist_ok=True)
        except OSError as e:
            raise RuntimeError(f"tensorboard_trace_handler: can't create directory: {dir_name}") from e
        worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        name = f"{worker}.{time.time_ns()}.pt.trace.json" + (".gz" if use_gzip else "")
        prof.export_chrome_trace(os.path.join(dir_name, name), use_python_export=use_python_export)

    return handler
