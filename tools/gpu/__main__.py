"""Runs tests, examples, a memory checker and timings on a GPU, and writes gpu_report.md."""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(path.name for path in (ROOT / "test" / "cuda").glob("*.py"))
EXAMPLES = {"digits.py": ["--epochs", "2"], "char_gpt.py": ["--steps", "60", "--report", "30"]}
# New tensors of an example are made on the GPU; it says nothing about devices itself.
ON_THE_GPU = """import runpy, sys, torch
torch.set_default_device("cuda")
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")"""
CHECKED = """import torch
x = torch.randn(33, 65, device="cuda", requires_grad=True)
(x.softmax(1) @ x.t()).cumsum(0).sum().backward()
torch.cuda.synchronize()"""


class Report:
    """Sections of Markdown, written to disk after each one: a run that is killed leaves what it found."""

    def __init__(self, path: Path) -> None:
        self.path, self.parts = path, ["# On a GPU\n"]

    def add(self, title: str, text: str) -> None:
        print(f"\n== {title}\n{text}", flush=True)
        self.parts.append(f"## {title}\n\n{text}\n")
        self.path.write_text("\n".join(self.parts))


def run(command: list[str], seconds: float, **environment: str) -> tuple[int | None, str, float]:
    """The exit status, or None if the time was up, with the output and the seconds. Pytest reports when it is interrupted."""
    began = time.monotonic()
    process = subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, **environment}, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    try:
        output, _ = process.communicate(timeout=seconds)
        return process.returncode, output, time.monotonic() - began
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        try:
            output, _ = process.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            output, _ = process.communicate()
        return None, output, time.monotonic() - began


def verdict(status: int | None, seconds: float) -> str:
    state = "stopped when its time was up" if status is None else "passed" if status == 0 else f"failed ({status})"
    return f"{state}, {seconds:.0f} s"


def tail(output: str, lines: int = 12) -> str:
    return "```\n" + "\n".join(output.strip().splitlines()[-lines:]) + "\n```"


def failures(output: str) -> str:
    names = re.findall(r"^(?:FAILED|ERROR) (\S+)", output, re.MULTILINE)
    return "\n".join(f"- {name}" for name in names[:200])


def machine() -> str:
    import torch

    p = torch.cuda.get_device_properties()
    driver = subprocess.run(
        ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"], capture_output=True, text=True, check=False
    )
    began = time.monotonic()
    torch.ones(1).cuda().item()
    first = time.monotonic() - began
    return (
        f"{p.name}, capability {p.major}.{p.minor}, {p.total_memory / 2**30:.0f} GiB, "
        f"driver {driver.stdout.strip() or 'unknown'}. First copy to it: {first:.2f} s, the driver's part included."
    )


def tests(report: Report, minutes: float) -> None:
    pytest = [sys.executable, "-m", "pytest", "-q", "-W", "ignore", "-p", "no:cacheprovider"]
    on_gpu = {"TEST_DEVICES": "cuda", "TORCH_CUDA_EMULATED": "0"}
    status, output, took = run([*pytest, *(f"test/cuda/{name}" for name in FILES)], 180, **on_gpu)
    report.add("Tests of the device", f"{verdict(status, took)}\n\n{tail(output, 3)}\n\n{failures(output)}")
    workers = str(min(8, os.cpu_count() or 1))
    table = [*pytest, "-n", workers, "--tb=line", "test/test_ops.py", "-k", "cuda and not gradients and not errors"]
    status, output, took = run(table, minutes * 60, **on_gpu)
    report.add("Operator table", f"{verdict(status, took)}\n\n{tail(output, 2)}\n\n{failures(output)}")


def examples(report: Report) -> None:
    rows = []
    for name, arguments in EXAMPLES.items():
        status, output, took = run([sys.executable, "-c", ON_THE_GPU, f"examples/{name}", *arguments], 60)
        rows.append(f"- {name}: {verdict(status, took)}\n\n{tail(output, 4)}")
    report.add("Examples", "\n".join(rows))


def memory_checker(report: Report) -> None:
    tool = shutil.which("compute-sanitizer")
    if tool is None:
        return report.add("Memory checker", "compute-sanitizer is not installed (pip install nvidia-cuda-sanitizer-api)")
    status, output, took = run(
        [tool, "--error-exitcode", "9", sys.executable, "-c", CHECKED], 120, PYTORCH_NO_CUDA_MEMORY_CACHING="1"
    )
    report.add("Memory checker", f"{verdict(status, took)}\n\n{tail(output)}")


def timings(report: Report, peer: str | None) -> None:
    found = {}
    for label, python in {"here": sys.executable, "PyTorch": peer}.items():
        if python is None:
            continue
        script = str(ROOT / "tools" / "gpu" / "timings.py")
        status, output, _ = run([python, script], 90, PYTHONPATH="" if label == "PyTorch" else str(ROOT))
        lines = [line for line in output.splitlines() if line.startswith("{")]
        if status != 0 or not lines:
            report.add(f"Timings, {label}", tail(output))
            continue
        found[label] = json.loads(lines[-1])
    if not found:
        return
    names = list(next(iter(found.values())))
    head = "| what | " + " | ".join(found) + " |\n|" + " --- |" * (1 + len(found))
    rows = [f"| {name} | " + " | ".join(str(values.get(name, "")) for values in found.values()) + " |" for name in names]
    report.add("Timings", "\n".join([head, *rows]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer", help="a Python that has PyTorch with CUDA")
    parser.add_argument("--minutes", type=float, default=5, help="for the operator table")
    parser.add_argument("--out", type=Path, default=ROOT / "gpu_report.md")
    options = parser.parse_args()
    report = Report(options.out)
    report.add("Machine", machine())
    timings(report, options.peer)
    memory_checker(report)
    examples(report)
    tests(report, options.minutes)
    print(f"\nwritten to {options.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
