"""The commands in docs/ and README.md are run, and print what is shown there.

A fenced block marked `console` holds commands, `$ ` before each, and what they print. `...` in a line stands for any text, a line
of nothing but `...` for any lines. Blocks marked otherwise are not run.
"""

import os
import re
import subprocess
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def blocks():
    names = [os.path.join("docs", n) for n in sorted(os.listdir(os.path.join(ROOT, "docs"))) if n.endswith(".md")] + ["README.md"]
    for name in names:
        with open(os.path.join(ROOT, name)) as f:
            text = f.read()
        for k, block in enumerate(re.findall(r"^```console\n(.*?)^```", text, re.M | re.S)):
            yield pytest.param(block, id=f"{os.path.basename(name)}-{k}")


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


@pytest.mark.parametrize("block", list(blocks()))
def test_what_is_shown_is_what_happens(block, tmp_path):
    env = {
        **os.environ,
        "PYTHONPATH": ROOT,
        "PATH": os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"],
        "TMP": str(tmp_path),
    }
    for command, expected in commands(block):
        done = subprocess.run(
            ["bash", "-c", command], cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        assert done.returncode == 0, f"$ {command}\n{done.stdout}"
        if expected:
            said = done.stdout if done.stdout.endswith("\n") or not done.stdout else done.stdout + "\n"
            assert re.fullmatch(pattern(expected), said), f"$ {command}\n{said}"
