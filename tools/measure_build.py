"""Measures the cost of building and starting torch, against the budgets of the design.

    python tools/measure_build.py                 measures everything; takes minutes, because it builds from scratch
    python tools/measure_build.py --capability all
    python tools/measure_build.py --only import size
    python tools/measure_build.py --only cuda     the kernels for GPUs; needs nvcc (requirements-nvcc.txt), no GPU
    python tools/measure_build.py --operators 5000 --only build import size

Works on a copy of the source tree in build/measure, without ccache; does not change the tree itself.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tools.measure.runtime import gdb_import_seconds, import_cost, installed_bytes  # noqa: E402
from tools.measure.synthetic import add_operators  # noqa: E402
from tools.measure.tree import Step, Tree  # noqa: E402
from tools.setup_helpers.version import write_version_file  # noqa: E402
from torchgen.gen import operators_of, read_entries  # noqa: E402

MAX_IMPORT_MIB = 30
PARTS = ("build", "headers", "import", "size", "cuda")
USUAL_PARTS = PARTS[:-1]
NATIVE = "aten/src/ATen/native"
EDITED_KERNEL = f"{NATIVE}/arithmetic/cpu/arithmetic_kernel.cpp"

# An operator of the simplest kind: one entry and one function.
NEW_ENTRY = """
- func: measured_operator(Tensor self) -> Tensor
  variants: function
  dispatch:
    CompositeImplicitAutograd: measured_operator
"""
NEW_KERNEL = """#include <ATen/core/Tensor.h>

namespace at::native {
Tensor measured_operator(const Tensor& self) { return self; }
}  // namespace at::native
"""


class Report:
    """Lines of name, figure and budget; a figure over its budget is marked."""

    def __init__(self) -> None:
        self.figures: dict[str, object] = {}

    def line(self, name: str, value: float, unit: str, budget: float | None = None, note: str = "") -> None:
        self.figures[name] = value
        text = f"{name:44} {value:10.2f} {unit:6}"
        if budget is not None:
            text += f" budget {budget:g}" + (" OVER" if value > budget else "")
        print(f"{text}  {note}".rstrip(), flush=True)

    def step(self, name: str, step: Step, budget: float | None = None) -> None:
        self.line(name, step.seconds, "s", budget, f"({step.compiles} compiles, {step.links} links)")


def registered_operators(source_path: Path) -> int:
    return sum(len(operators_of(entry)) for entry in read_entries(str(source_path)))


def costliest_compiles(compiles: list[dict], report: Report, max_seconds: float, max_gib: float) -> None:
    if not compiles:
        return
    report.line("longest compile", compiles[0]["seconds"], "s", max_seconds)
    report.line("largest compile", max(record["bytes"] for record in compiles) / 2**30, "GiB", max_gib)
    print("  costliest compiles:")
    for record in compiles[:10]:
        name = record["object"].replace("CMakeFiles/", "")
        print(f"    {record['seconds']:6.1f} s {record['bytes'] / 2**20:7.0f} MiB  {name}")


def measure_build(tree: Tree, report: Report) -> None:
    report.line("configure", tree.configure(), "s")
    budget = {"native": 360.0, "all": 720.0}.get(tree.capability)
    report.step(f"clean build ({tree.capability})", tree.ninja(), budget)
    compiles = tree.compiles()
    total = sum(record["cpu_seconds"] for record in compiles)
    report.line("compile time, all files", total, "s", note=f"({len(compiles)} compiles)")
    entries = "".join(path.read_text() for path in (tree.source / NATIVE).glob("*/native_functions.yaml"))
    operators = len(re.findall(r"^- func:", entries, re.MULTILINE))
    report.line("compile time an entry", total / max(operators, 1), "s", note=f"({operators} entries)")
    costliest_compiles(compiles, report, max_seconds=40, max_gib=1.5)
    report.step("nothing edited", tree.ninja(), 1)

    kernel = tree.source / EDITED_KERNEL
    kernel.write_text(kernel.read_text() + "\n// edited\n")
    report.step(f"one kernel edited ({kernel.name})", tree.ninja(), 10)
    family = tree.source / NATIVE / "unary"
    (family / "native_functions.yaml").write_text((family / "native_functions.yaml").read_text() + NEW_ENTRY)
    (family / "measured_operator.cpp").write_text(NEW_KERNEL)
    step = tree.ninja()
    report.step("an operator added", step)
    report.line("an operator added: compiles", step.compiles, "", 8)


def measure_cuda(tree: Tree, report: Report) -> None:
    """What USE_CUDA=1 adds to a build for the CPU, for one architecture."""
    if not (tree.source / "torch" / "lib").is_dir():
        tree.configure()
        tree.ninja()
    tree.forget_compiles()
    tree.configure("-DUSE_CUDA=ON", "-DTORCH_CUDA_ARCH_LIST=9.0")
    report.step("clean build of the CUDA part", tree.ninja(), 600)
    costliest_compiles(tree.compiles(), report, max_seconds=60, max_gib=2)
    library = tree.source / "torch" / "lib" / "libtorch_cuda.so"
    report.line("libtorch_cuda", library.stat().st_size / 1e6, "MB", 60)


def measure_headers(tree: Tree, report: Report) -> None:
    """Each kernel file as the compiler sees it: lines after preprocessing, seconds of parsing."""
    rows = []
    for entry in tree.commands():
        if f"/{NATIVE}/" not in entry["file"] or "/cpu/" not in entry["file"]:
            continue
        command = shlex.split(entry["command"])
        command = command[command.index("-S") + 3 :] if "-S" in command else command
        del command[command.index("-o") : command.index("-o") + 2]
        text = subprocess.run([*command, "-E"], cwd=entry["directory"], capture_output=True, text=True, check=True).stdout
        lines = sum(1 for line in text.splitlines() if line.strip() and not line.startswith("#"))
        started = time.monotonic()
        subprocess.run([*command, "-fsyntax-only", "-O0"], cwd=entry["directory"], capture_output=True, check=True)
        rows.append((lines, time.monotonic() - started, Path(entry["file"]).name))
    if not rows:
        return
    rows.sort(reverse=True)
    lines, seconds, name = rows[0]
    report.line("kernel file, preprocessed: most lines", lines, "", 100_000, f"({name})")
    report.line("kernel file: slowest parse", max(row[1] for row in rows), "s", 2)
    report.line("kernel file, preprocessed: median lines", rows[len(rows) // 2][0], "")


def measure_import(package: Path, report: Report) -> None:
    cost = import_cost(package.parent)
    report.line("import torch", cost["seconds"], "s", 0.05)
    report.line("import torch: resident memory", cost["resident_bytes"] / 2**20, "MiB", MAX_IMPORT_MIB)
    report.line("import torch: resident memory added", cost["added_bytes"] / 2**20, "MiB")
    seconds = gdb_import_seconds(package.parent)
    if seconds is not None:
        report.line("import torch under gdb", seconds, "s", 1)


def measure_size(package: Path, report: Report) -> None:
    sizes = installed_bytes(package)
    for kind, size in sizes.items():
        report.line(f"installed size: {kind}", size / 1e6, "MB")
    report.line("installed size", sum(sizes.values()) / 1e6, "MB", 60)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=USUAL_PARTS, help="measure these parts (all but cuda)")
    parser.add_argument("--capability", default="native", help="BUILD_CPU_CAPABILITY of the build (native)")
    parser.add_argument("--operators", type=int, default=0, help="add dummy operators until the registry has about so many")
    parser.add_argument("--json", type=Path, help="write the figures here too")
    arguments = parser.parse_args()

    report = Report()
    package = ROOT / "torch"
    if "build" not in arguments.only and not (package / "lib").is_dir():
        sys.exit("error: nothing is built here: measure the build too, or pip install -e . first")
    if {"build", "headers", "cuda"} & set(arguments.only):
        tree = Tree(ROOT / "build" / "measure", arguments.capability)
        if arguments.operators:
            there = registered_operators(tree.source / NATIVE / "..")
            added = add_operators(tree.source / NATIVE, arguments.operators - there)
            report.line("operators", there + added, "", note=f"({added} of them dummies)")
        if "build" in arguments.only:
            measure_build(tree, report)
            package = tree.source / "torch"
            write_version_file(package / "version.py")
        elif "headers" in arguments.only:
            tree.configure()
        if "headers" in arguments.only:
            measure_headers(tree, report)
        if "cuda" in arguments.only:
            measure_cuda(tree, report)
    if "import" in arguments.only:
        measure_import(package, report)
    if "size" in arguments.only:
        measure_size(package, report)
    if arguments.json:
        arguments.json.write_text(json.dumps(report.figures, indent=1))


if __name__ == "__main__":
    main()
