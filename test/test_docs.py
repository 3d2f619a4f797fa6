"""The commands in docs/ and README.md are run, and print what is shown there.

A fenced block marked `console` holds commands, each after `$ `, and their output. `...` in a line matches any text, and a line
with only `...` matches any lines. Other blocks are not run.

A page that changes the clone has the comment IN_A_COPY, and is followed from top to bottom in a throwaway copy. Its blocks marked
`LANGUAGE file=PATH` are the whole text of a file; `LANGUAGE append=PATH` is added to the end of a file.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from surroundings import ROOT, emulated_device, run_in_throwaway_copy, why_no_gdb, why_no_gdb_calls

PAGES = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md"]
BLOCK = re.compile(r"^```(\w+)(?: (file|append)=(\S+))?\n(.*?)^```", re.M | re.S)


IN_A_COPY = "<!-- followed in a throwaway copy -->"


def in_a_copy(page):
    return IN_A_COPY in page.read_text()


def console_blocks():
    for page in PAGES:
        if not in_a_copy(page):
            blocks = [m[4] for m in BLOCK.finditer(page.read_text()) if m[1] == "console"]
            for k, block in enumerate(blocks):
                yield pytest.param(block, id=f"{page.name}-{k}")


def commands(block):
    """(command, expected output) pairs; a command continues in lines that begin with `> `."""
    found, lines = [], block.splitlines()
    while lines:
        line = lines.pop(0)
        assert line.startswith("$ "), f"a console block begins with a command, not {line!r}"
        command = line[2:]
        while lines and lines[0].startswith("> "):
            more = lines.pop(0)[2:]
            command = command[:-1] + more.lstrip() if command.endswith("\\") else command + "\n" + more
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
        "XDG_CONFIG_HOME": str(folder),
    }
    for command, expected in commands(block):
        shell = ["bash", "-c", command]
        done = subprocess.run(shell, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert done.returncode == 0, f"$ {command}\n{done.stdout}"
        if expected:
            output = done.stdout if done.stdout.endswith("\n") or not done.stdout else done.stdout + "\n"
            assert re.fullmatch(pattern(expected), output), f"$ {command}\n{output}"


def follow(page, folder):
    """Follows a page: applies its edits and runs its commands in order."""
    for language, how, path, text in BLOCK.findall(page.read_text()):
        if how == "file":
            (ROOT / path).write_text(text)
        elif how == "append":
            with open(ROOT / path, "a") as f:
                f.write("\n" + text)
        elif language == "console":
            run_block(text, folder)


@pytest.mark.parametrize("block", list(console_blocks()))
def test_what_is_shown_is_what_happens(block, tmp_path):
    if "gdb" in block and why_no_gdb():
        pytest.skip(why_no_gdb())
    if any(word in block for word in ('-ex "call', "torch-bt", "torch-modes")) and why_no_gdb_calls():
        pytest.skip(why_no_gdb_calls())
    if "TORCH_CUDA_EMULATED=1" in block:
        if not (ROOT / "torch" / "lib" / "libtorch_cuda_emulated.so").exists():
            pytest.skip("built without the emulated CUDA device")
        # gdb's programs get what a device with sanitizers needs; gdb itself does not.
        (tmp_path / "gdb").mkdir()
        (tmp_path / "gdb" / "gdbinit").write_text("".join(f"set environment {k} {v}\n" for k, v in emulated_device().items()))
    run_block(block, tmp_path)


@pytest.mark.parametrize("page", [pytest.param(p, id=p.name) for p in PAGES if in_a_copy(p)])
def test_page_that_changes_the_clone(page, tmp_path):
    run_in_throwaway_copy([sys.executable, __file__, str(page), str(tmp_path)])


SOURCES = ("c10", "aten/src", "torch/csrc", "torch", "tools", "benchmarks", "setup.py")
# Variables of other programs, or internal to the build's own tools.
NOT_OURS = {"PATH", "PYTHONPATH", "LD_PRELOAD", "CONDA_EXE", "CUDA_MODULE_LOADING", "TORCH_COMPILE_LOG", "TORCH_THROWAWAY"}


def variables_read():
    """The environment variables that the code reads."""
    files = subprocess.run(["git", "ls-files", *SOURCES], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    text = "\n".join((ROOT / f).read_text() for f in files if f.endswith((".py", ".cpp", ".h")))
    readers = r"getenv|env_flag|env_choices?|env_ignored|environment|flag|number|environ\.get|environ\.pop"
    reads = rf'(?:{readers})\("([A-Z][A-Z0-9_]+)"|environ\["([A-Z][A-Z0-9_]+)"\]'
    found = {a or b for a, b in re.findall(reads, text)} | set(re.findall(r'_ENV_VAR = "([A-Z_]+)"', text))
    from tools.setup_helpers.options import CANNOT_HONOUR, FORWARDED

    return found | set(CANNOT_HONOUR) | set(FORWARDED)


def test_every_environment_variable_is_in_the_table():
    if not (ROOT / ".git").exists():
        pytest.skip("asks git which files there are")
    rows = [line.split("|")[1] for line in (ROOT / "docs" / "environment.md").read_text().splitlines() if line.startswith("| `")]
    named = {name for row in rows for name in re.findall(r"`([A-Z][A-Z0-9_]+)", row)}
    more = {"RANK", "WORLD_SIZE", "XDG_CACHE_HOME"}  # described in the row of another variable
    assert not variables_read() - named - NOT_OURS - more
    # Read by CMake and the compilers, by a name in a variable, by the shell scripts.
    elsewhere = {
        "CC",
        "CUBLASLT_WORKSPACE_SIZE",
        "CUDAHOSTCXX",
        "TORCH_CUDA_EMULATED_BUSY",
        "TORCH_CUDA_EMULATED_DEVICES",
        "TORCH_CUDA_EMULATED_DRIVER",
        "TORCH_CUDA_EMULATED_MEMORY",
        "TORCH_CUDA_EMULATED_PEERS",
        "TORCH_CUDA_EMULATED_VMM",
        "TORCH_CUDA_EMULATED_SHUFFLE",
        "LDFLAGS",
        "BUILD_CPU_CAPABILITY",
        "MAX_JOBS",
        "CMAKE_BUILD_PARALLEL_LEVEL",
        "TORCH_VENV",
        "PYTHON",
    }
    assert not named - variables_read() - elsewhere


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
