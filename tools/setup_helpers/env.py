"""Reads environment variables and the machine's memory and processors."""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

TRUE_WORDS = {"1", "ON", "YES", "TRUE", "Y"}
FALSE_WORDS = {"0", "OFF", "NO", "FALSE", "N", ""}

# The limit for the most expensive compile: with less memory per job, a build would swap.
BYTES_PER_JOB = 3 * 2**29


def fail(message: str) -> None:
    """Exits with a message instead of a traceback."""
    sys.exit(f"error: {message}")


def flag(name: str, default: bool = False) -> bool:
    """The environment variable as yes or no."""
    text = os.environ.get(name)
    return default if text is None else truth(name, text)


def truth(name: str, text: str) -> bool:
    """The text, a value of that environment variable, as yes or no."""
    if text.upper() in TRUE_WORDS:
        return True
    if text.upper() not in FALSE_WORDS:
        fail(f"{name}={text} is neither a yes (1, ON, YES, TRUE) nor a no (0, OFF, NO, FALSE)")
    return False


def available_memory() -> int:
    """The bytes available to new processes: the machine's, or fewer if a control group sets a limit."""
    available = 4 * 2**30
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            available = int(line.split()[1]) * 1024
    limit_file, used_file = Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.current")
    try:
        limit = limit_file.read_text().strip()
        if limit != "max":
            available = min(available, int(limit) - int(used_file.read_text()))
    except OSError:
        pass
    return available


def max_jobs() -> int:
    """The number of parallel compiles: MAX_JOBS, else CMAKE_BUILD_PARALLEL_LEVEL, else what memory and processors allow."""
    for name in ("MAX_JOBS", "CMAKE_BUILD_PARALLEL_LEVEL"):
        text = os.environ.get(name)
        if text:
            if not text.isdigit() or int(text) < 1:
                fail(f"{name}={text} is not a number of jobs of at least 1")
            return int(text)
    cores = len(os.sched_getaffinity(0))
    return max(1, min(cores, available_memory() // BYTES_PER_JOB))
