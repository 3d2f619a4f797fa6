"""A copy of the source tree with its own build, which may be edited to time rebuilds."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from tools.setup_helpers.cmake import find_tool
from tools.setup_helpers.env import ROOT, max_jobs


@dataclass
class Step:
    """One run of ninja."""

    seconds: float
    compiles: int
    links: int


class Tree:
    """Copies tracked and new files; ccache is left out, so that the compiler itself is timed."""

    def __init__(self, folder: Path, capability: str) -> None:
        self.source = folder / "source"
        self.build = folder / "build"
        self.log = folder / "compiles.jsonl"
        self.capability = capability
        shutil.rmtree(folder, ignore_errors=True)
        listing = subprocess.run(
            ["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard", "-z"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for name in filter(None, listing.split("\0")):
            if (ROOT / name).is_file():
                (self.source / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, self.source / name)

    def environment(self) -> dict[str, str]:
        return dict(os.environ, CCACHE_DISABLE="1", TORCH_COMPILE_LOG=str(self.log))

    def configure(self, *options: str) -> float:
        launcher = f"{sys.executable};-S;-E;{ROOT / 'tools' / 'measure' / 'launcher.py'}"
        command = [
            find_tool("cmake", "cmake"),
            "-G",
            "Ninja",
            "-S",
            str(self.source),
            "-B",
            str(self.build),
            f"-DCMAKE_MAKE_PROGRAM={find_tool('ninja', 'ninja')}",
            f"-DPython3_EXECUTABLE={sys.executable}",
            f"-DBUILD_CPU_CAPABILITY={self.capability}",
            f"-DTORCH_COMPILER_LAUNCHER={launcher}",
            "-DBUILD_TEST=OFF",
            *options,
        ]
        started = time.monotonic()
        self.must(command)
        return time.monotonic() - started

    def ninja(self) -> Step:
        started = time.monotonic()
        output = self.must([find_tool("ninja", "ninja"), "-C", str(self.build), "-j", str(max_jobs())])
        seconds = time.monotonic() - started
        compiles = len(re.findall(r"\] Building C", output))
        return Step(seconds, compiles, len(re.findall(r"\] Linking C", output)))

    def must(self, command: list[str]) -> str:
        done = subprocess.run(command, env=self.environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            sys.exit(f"{done.stdout[-4000:]}\nerror: {' '.join(command)} failed")
        return done.stdout

    def compiles(self) -> list[dict]:
        """The compiles that the launcher recorded, most expensive first."""
        records = [json.loads(line) for line in self.log.read_text().splitlines()] if self.log.exists() else []
        return sorted(records, key=lambda record: -record["seconds"])

    def forget_compiles(self) -> None:
        self.log.unlink(missing_ok=True)

    def commands(self) -> list[dict]:
        return json.loads((self.build / "compile_commands.json").read_text())
