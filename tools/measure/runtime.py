"""Measures the installed library: the time to start it, and its size on disk."""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

PROBE = """
import os, sys, time
def resident():
    with open('/proc/self/statm') as file:
        return int(file.read().split()[1]) * os.sysconf('SC_PAGESIZE')
before, started = resident(), time.perf_counter()
import torch
print(time.perf_counter() - started, resident(), resident() - before)
"""


def environment_for(package_parent: Path) -> dict[str, str]:
    """Finds the package there. Python keeps what it compiles, as it does where a package is installed."""
    environment = dict(os.environ, PYTHONPATH=str(package_parent))
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    return environment


def import_cost(package_parent: Path, runs: int = 11) -> dict[str, float]:
    """Medians of `import torch` in fresh interpreters, after one that warms the caches."""
    environment = environment_for(package_parent)
    rows = []
    for _ in range(runs + 1):
        done = subprocess.run(
            [sys.executable, "-c", PROBE],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
            cwd="/",
        )
        rows.append([float(part) for part in done.stdout.split()])
    columns = list(zip(*rows[1:], strict=True))
    names = ("seconds", "resident_bytes", "added_bytes")
    return {name: statistics.median(column) for name, column in zip(names, columns, strict=True)}


def gdb_import_seconds(package_parent: Path) -> float | None:
    if not shutil.which("gdb"):
        return None
    environment = environment_for(package_parent)
    command = ["gdb", "-nx", "-batch", "-ex", "run", "--args", sys.executable, "-c", "import torch"]
    seconds = []
    for _ in range(3):
        started = time.monotonic()
        subprocess.run(command, env=environment, capture_output=True, cwd="/")
        seconds.append(time.monotonic() - started)
    return statistics.median(seconds)


def installed_bytes(package: Path) -> dict[str, int]:
    """Bytes by kind of file of a package folder, links not followed."""
    sizes = {"libraries": 0, "python": 0, "other": 0}
    for path in package.rglob("*"):
        if path.is_file() and not path.is_symlink() and "__pycache__" not in path.parts:
            kind = "libraries" if ".so" in path.name else "python" if path.suffix in (".py", ".pyi") else "other"
            if kind != "other" or "csrc" not in path.parts:
                sizes[kind] += path.stat().st_size
    return sizes
