"""The shared libraries that a wheel must include because no PyPI dependency provides them."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

# Debian's SLEEF, Gloo with what it links, and the compiler's OpenMP. oneDNN and OpenBLAS are declared dependencies, and every
# Linux distribution includes a C++ runtime.
BUNDLED = ("libsleef.so", "libgomp.so", "libgloo.so", "libhiredis.so", "libibverbs.so", "libnl-3.so", "libnl-route-3.so")


def resolved_libraries(library: Path) -> dict[str, Path]:
    """The libraries that the loader finds for `library`: requested name -> path."""
    listing = subprocess.run(["ldd", str(library)], capture_output=True, text=True).stdout
    return {name: Path(path) for name, path in re.findall(r"(\S+) => (/\S+)", listing)}


def bundle_libraries(folder: Path) -> None:
    """Copies the bundled libraries beside our own, which search there first."""
    for library in sorted(folder.glob("lib*.so")):
        for name, path in resolved_libraries(library).items():
            target = folder / name
            if name.startswith(BUNDLED) and not target.exists():
                shutil.copyfile(path, target)


def copy_headers(root: Path, generated: Path, include: Path) -> None:
    """The headers that a C++ extension includes."""
    for source, pattern, inside in (
        (root, "c10/**/*.h", root),
        (root / "aten" / "src", "ATen/**/*.h", root / "aten" / "src"),
        (root / "aten" / "src", "ATen/**/*.inc", root / "aten" / "src"),
        (root, "torch/*.h", root),
        (root, "torch/csrc/**/*.h", root),
        (generated, "**/*.h", generated),
        (generated, "**/*.inc", generated),
    ):
        for header in source.glob(pattern):
            target = include / header.relative_to(inside)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(header, target)
