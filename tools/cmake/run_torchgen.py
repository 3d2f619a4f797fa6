"""Run torchgen for CMake: generate, and keep the list of outputs that CMake reads.

The list has a line `kind path` for each output; kind is aten, python, header or pyi. It is rewritten
only when it changes, because a new list makes CMake configure again. Files that are no longer in the list
are removed, so that no program includes the header of a removed operator.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path


def torchgen(arguments: argparse.Namespace, *more: str) -> str:
    command = [sys.executable, "-m", "torchgen.gen"]
    command += ["--source-path", arguments.source_path, "--out-dir", arguments.out_dir, *more]
    done = subprocess.run(command, stdout=subprocess.PIPE if more else None, text=True)
    if done.returncode != 0:
        sys.exit(done.returncode)
    return done.stdout or ""


def absolute(listing: str, out_dir: str) -> list[str]:
    """The lines of --print-outputs with their paths made absolute."""
    lines = []
    for line in listing.splitlines():
        kind, _, path = line.strip().partition(" ")
        if path:
            lines.append(f"{kind} {os.path.join(os.path.abspath(out_dir), path)}")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source-path", required=True)
    parser.add_argument("--out-dir", required=True)
    parser.add_argument("--list", required=True, type=Path)
    parser.add_argument("--list-only", action="store_true", help="generate nothing")
    arguments = parser.parse_args()

    if not arguments.list_only:
        torchgen(arguments)
    lines = absolute(torchgen(arguments, "--print-outputs"), arguments.out_dir)
    before = arguments.list.read_text().splitlines() if arguments.list.exists() else []
    if lines != before:
        for gone in set(before) - set(lines):
            Path(gone.partition(" ")[2]).unlink(missing_ok=True)
        arguments.list.parent.mkdir(parents=True, exist_ok=True)
        arguments.list.write_text("".join(line + "\n" for line in lines))


if __name__ == "__main__":
    main()
