"""The commands in docs/ and README.md are run, and print what is shown there.

A fenced block marked `console` holds commands, `$ ` before each, and what they print. `...` in a line stands for any text, a line
of nothing but `...` for any lines. Blocks marked otherwise are not run.

A page that changes the clone says where in the marks of its blocks: `cpp file=PATH` is a file's whole text, `yaml append=PATH`
is added at a file's end. Such a page is followed from top to bottom in a throwaway copy of the clone.
"""

import os
import re
import shutil
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
from tools import throwaway  # noqa: E402

PAGES = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md"]
BLOCK = re.compile(r"^```(\w+)(?: (file|append)=(\S+))?\n(.*?)^```", re.M | re.S)


def edits(page):
    return any(m[2] for m in BLOCK.finditer(page.read_text()))


def console_blocks():
    for page in PAGES:
        if not edits(page):
            blocks = [m[4] for m in BLOCK.finditer(page.read_text()) if m[1] == "console"]
            for k, block in enumerate(blocks):
                yield pytest.param(block, id=f"{page.name}-{k}")


def commands(block):
    """(command, expected output) pairs; a command goes on after a backslash."""
    found, lines = [], block.splitlines()
    while lines:
        line = lines.pop(0)
        assert line.startswith("$ "), f"a console block begins with a command, not {line!r}"
        command = line[2:]
        while command.endswith("\\"):
            command = command[:-1] + lines.pop(0).lstrip("> ")
        expected = []
        while lines and not lines[0].startswith("$ "):
            expected.append(lines.pop(0))
        found.append((command, expected))
    return found


def pattern(expected):
    parts = []
    for line in expected:
        if line.strip() == "...":
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append(".*?".join(re.escape(p) for p in line.rstrip().split("...")) + r"[ \t]*\n")
    return "".join(parts)


def run_block(block, folder):
    env = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "PATH": os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"],
        "TMP": str(folder),
    }
    for command, expected in commands(block):
        shell = ["bash", "-o", "pipefail", "-c", command]
        done = subprocess.run(shell, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert done.returncode == 0, f"$ {command}\n{done.stdout}"
        if expected:
            said = done.stdout if done.stdout.endswith("\n") or not done.stdout else done.stdout + "\n"
            assert re.fullmatch(pattern(expected), said), f"$ {command}\n{said}"


def follow(page, folder):
    """Does what a page says, edits and commands in their order."""
    for language, how, path, text in BLOCK.findall(page.read_text()):
        if how == "file":
            (ROOT / path).write_text(text)
        elif how == "append":
            with open(ROOT / path, "a") as f:
                f.write("\n" + text)
        elif language == "console":
            run_block(text, folder)


@lru_cache
def why_no_gdb():
    if not shutil.which("gdb"):
        return "gdb is not installed"
    probe = subprocess.run(["gdb", "-nx", "-batch", "-ex", "run", "--args", "/bin/true"], capture_output=True, text=True)
    return "" if "exited normally" in probe.stdout else "gdb cannot run programs on this machine"


@pytest.mark.parametrize("block", list(console_blocks()))
def test_what_is_shown_is_what_happens(block, tmp_path):
    if "gdb" in block and why_no_gdb():
        pytest.skip(why_no_gdb())
    run_block(block, tmp_path)


@pytest.mark.parametrize("page", [pytest.param(p, id=p.name) for p in PAGES if edits(p)])
def test_page_that_changes_the_clone(page, tmp_path):
    if not (ROOT / "build" / "build.ninja").exists():
        pytest.skip("there is no build in this clone to go on from")
    if throwaway.why_not():
        pytest.skip(throwaway.why_not())
    # Set up by hand for the test run as a whole, such as a number of threads, it all holds inside too.
    done = throwaway.run(
        [sys.executable, __file__, str(page), str(tmp_path)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("page", [pytest.param(p, id=p.name) for p in PAGES])
def test_paths_that_are_named_exist(page):
    """`torch/csrc/Module.cpp` and the like, in running text, are files or folders of the clone."""
    prose = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    tops = "|".join(p.name for p in ROOT.iterdir() if p.is_dir() and not p.name.startswith("."))
    for path in re.findall(rf"`((?:{tops})/[\w./*-]*)`", prose):
        if not path.startswith(("build/", "torch/lib")):
            assert any(True for _ in ROOT.glob(path.rstrip("/"))), f"{page.name} names {path}"


if __name__ == "__main__":
    if "TORCH_THROWAWAY" not in os.environ:
        sys.exit("this changes the clone: run it by tools/throwaway.py")
    follow(Path(sys.argv[1]), sys.argv[2])
