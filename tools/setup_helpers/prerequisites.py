"""Checks the requirements that must be met before setuptools is imported. Imports only the standard library."""

from __future__ import annotations

import os
import platform
import re
import sys
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PYTHON = (3, 10)
# What setup.py and torchgen import. CMake names the libraries that it does not find itself.
NEEDED = {"setuptools": 77, "pyyaml": 0}


def missing(needed: dict[str, int] = NEEDED) -> list[str]:
    """Requirements that this Python does not meet."""
    found = []
    for name, minimum in needed.items():
        try:
            version = metadata.version(name)
        except metadata.PackageNotFoundError:
            found.append(f"{name} is not there")
            continue
        number = re.match(r"\d+", version)
        if number and int(number[0]) < minimum:
            found.append(f"{name} {version} is there, {minimum} or newer is needed")
    return found


def how_to_get_them() -> str:
    """The command that activates the environment of this clone, and creates it first if needed."""
    environment = Path(os.environ.get("TORCH_VENV", ROOT / ".venv"))
    if (environment / "bin" / "python").exists() and Path(sys.prefix) != environment:
        return f"This clone's environment has them. Activate it and try again:\n\n    . {environment}/bin/activate"
    return "Make this clone's environment, which has them, and build in it:\n\n    bash tools/quickstart.sh"


def problem(machine: str = "", system: str = "") -> str:
    """The reason why nothing can be built here; empty if building is possible."""
    machine, system = machine or platform.machine(), system or platform.system()
    if system != "Linux" or machine not in ("x86_64", "AMD64"):
        return (
            f"torch builds on 64-bit x86 machines with Linux only, and this is {machine} with {system}: its kernels are "
            "written for the vectors of x86, and the packages of oneDNN and OpenBLAS that it links exist for nothing else."
        )
    if sys.version_info < PYTHON:
        return f"Python {PYTHON[0]}.{PYTHON[1]} or newer is needed; {sys.executable} is {platform.python_version()}."
    lacks = missing()
    return f"{sys.executable} cannot build torch: {'; '.join(lacks)}. {how_to_get_them()}" if lacks else ""


def check() -> None:
    """Exits with a message if nothing can be built here."""
    text = problem()
    if text:
        sys.exit(f"error: {text}")
