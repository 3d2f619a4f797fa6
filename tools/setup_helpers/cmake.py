"""Running CMake and ninja."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from .env import ROOT, fail, flag, max_jobs
from .options import Build


def find_tool(name: str, package: str) -> str:
    """The path of a program in this Python's environment or, failing that, on PATH."""
    beside_python = Path(sys.executable).parent / name
    if os.access(beside_python, os.X_OK):
        return str(beside_python)
    found = shutil.which(name)
    if not found:
        fail(f"{name} was not found. It comes with the package {package}: pip install {package}")
    return found


def check_compiler() -> None:
    compiler = os.environ.get("CXX", "c++").split()[0]
    if not shutil.which(compiler):
        fail(f"the C++ compiler {compiler} was not found. Debian: apt-get install g++")


def run(command: list[str], environment: dict[str, str]) -> None:
    print("+", " ".join(command), flush=True)
    code = subprocess.run(command, cwd=ROOT, env=environment).returncode
    if code != 0:
        # The tool has already printed the reason.
        sys.exit(code if code > 0 else 1)


def tool_environment() -> dict[str, str]:
    environment = dict(os.environ)
    # CFLAGS is passed to C and C++ through TORCH_EXTRA_FLAGS; CMake would pass it to C only.
    environment.pop("CFLAGS", None)
    environment.pop("CMAKE_BUILD_PARALLEL_LEVEL", None)
    return environment


def configured_by_another(build: Build) -> bool:
    """Whether the tree was configured in another place, or for another Python."""
    cache = build.build_dir / "CMakeCache.txt"
    if not cache.exists():
        return False
    text = cache.read_text()
    home = re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", text, re.MULTILINE)
    # CMake caches the folders of headers and modules that it found for a Python.
    python = re.search(r"^Python3_EXECUTABLE:[A-Z]+=(.*)$", text, re.MULTILINE)
    return (home is not None and Path(home[1]) != ROOT) or (python is not None and python[1] != sys.executable)


def configure(build: Build, again: bool = False) -> None:
    """Runs CMake unless the tree is already configured as requested; `again` runs it in any case."""
    record = build.build_dir / "setup_options.json"
    requested = json.dumps(build.definitions, indent=1, sort_keys=True)
    configured = record.read_text() if record.exists() else ""
    discard_cache = flag("CMAKE_FRESH") or configured_by_another(build)
    if configured == requested and (build.build_dir / "build.ninja").exists() and not (again or discard_cache):
        print((build.build_dir / "report.txt").read_text(), end="", flush=True)
        return
    check_compiler()
    build.build_dir.mkdir(parents=True, exist_ok=True)
    record.unlink(missing_ok=True)
    command = [find_tool("cmake", "cmake"), "-G", "Ninja", "-S", str(ROOT), "-B", str(build.build_dir)]
    command.append(f"-DCMAKE_MAKE_PROGRAM={find_tool('ninja', 'ninja')}")
    command += [f"-D{name}={value}" for name, value in sorted(build.definitions.items())]
    if discard_cache:
        command.append("--fresh")
    run(command, tool_environment())
    record.write_text(requested)
    if build.in_tree:
        link_compile_commands(build.build_dir)


def link_compile_commands(build_dir: Path) -> None:
    """compile_commands.json in the root, where editors and clang tools look for it."""
    link = ROOT / "compile_commands.json"
    target = os.path.relpath(build_dir / "compile_commands.json", ROOT)
    if not (link.is_symlink() and os.readlink(link) == target):
        link.unlink(missing_ok=True)
        link.symlink_to(target)


def build_all(build: Build) -> None:
    run([find_tool("ninja", "ninja"), "-C", str(build.build_dir), "-j", str(max_jobs())], tool_environment())
