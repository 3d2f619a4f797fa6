"""The report of tools.gpu, and how its parts are run with limits."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Report:
    """Sections of Markdown, written to disk after each one: a run that is killed leaves what it found."""

    def __init__(self, path: Path) -> None:
        self.path, self.parts = path, []
        self.failed: list[str] = []

    def add(self, title: str, text: str, passed: bool = True) -> None:
        print(f"\n== {title}{'' if passed else ': FAILED'}\n{text}", flush=True)
        self.parts.append(f"## {title}\n\n{text}\n")
        if not passed:
            self.failed.append(title)
        verdict = f"Failed: {', '.join(self.failed)}." if self.failed else "Nothing failed."
        self.path.write_text("\n".join(["# On a GPU\n", f"{verdict}\n", *self.parts]))


class Clock:
    """The minutes of a whole run. A part gets its own limit or what is left, whichever is less."""

    def __init__(self, minutes: float) -> None:
        self.end = time.monotonic() + 60 * minutes

    def at_most(self, seconds: float) -> float:
        return max(0.0, min(seconds, self.end - time.monotonic()))


class Done:
    """What became of a command."""

    def __init__(self, status: int | None, output: str, seconds: float) -> None:
        self.status, self.output, self.seconds = status, output, seconds
        self.passed = status == 0

    def verdict(self) -> str:
        """Passed, failed, or the time was up, in words."""
        state = "stopped when its time was up" if self.status is None else "passed" if self.passed else f"failed ({self.status})"
        return f"{state}, {self.seconds:.0f} s"

    def tail(self, lines: int = 12) -> str:
        """The last lines of the output, as a block of code."""
        return "```\n" + "\n".join(self.output.strip().splitlines()[-lines:]) + "\n```"

    def failures(self) -> str:
        """The tests that pytest names, as a list."""
        names = re.findall(r"^(?:FAILED|ERROR) (.+)", self.output, re.MULTILINE)
        return "\n".join(f"- {name}" for name in names[:200])


def run(command: list[str], seconds: float, **environment: str) -> Done:
    """Runs a command that is interrupted when its time is up, so that pytest reports, and killed 10 seconds later."""
    began = time.monotonic()
    if seconds < 1:
        return Done(None, "no time was left to start it", 0.0)
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, **environment},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    status: int | None = None
    try:
        output, _ = process.communicate(timeout=seconds)
        status = process.returncode
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        try:
            output, _ = process.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
    return Done(status, output, time.monotonic() - began)
