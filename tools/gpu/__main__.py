"""Runs tests, examples, a memory checker and timings on a GPU, and writes gpu_report.md. Ends with 1 if a section failed."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import site
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tools.gpu.report import ROOT, Clock, Done, Report, run

TESTS = ROOT / "test" / "cuda"
FILES = sorted(path.name for path in TESTS.glob("*.py"))
EXAMPLES = {"digits.py": ["--epochs", "3"], "char_gpt.py": ["--steps", "60", "--report", "30"]}
# Sections in small: what the test of this program runs on the emulated device.
SMALL_FILES = ["settings.py"]
SMALL_EXAMPLES = {
    "char_gpt.py": "--steps 1 --batch-size 2 --context 4 --width 4 --heads 1 --layers 1 --length 2".split(),
}
SMALL_OPERATORS = ["add", "neg"]
CHECKED = """import torch
x = torch.randn(33, 65, device="cuda", requires_grad=True)
(x.softmax(1) @ x.t()).cumsum(0).sum().backward()
image = torch.randn(2, 3, 9, 9, device="cuda", requires_grad=True)
torch.nn.functional.conv2d(image, torch.randn(4, 3, 3, 3, device="cuda")).relu().mean().backward()
q = torch.randn(1, 2, 40, 64, device="cuda", dtype=torch.bfloat16, requires_grad=True)
torch.backends.cuda.enable_cudnn_sdp(False)  # the kernel of our own
torch.nn.functional.scaled_dot_product_attention(q, q, q, is_causal=True).sum().backward()
image.grad.flatten().sort().values[::7].unique()
torch.cuda.synchronize()"""
# The device that the tests are for: the emulated one only if the caller says so.
ON_GPU = {"TEST_DEVICES": "cuda", "TORCH_CUDA_EMULATED": os.environ.get("TORCH_CUDA_EMULATED", "0")}


def driver_version() -> str:
    """What nvidia-smi says, if there is one."""
    try:
        command = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
        version = subprocess.run(command, capture_output=True, text=True, check=False, timeout=20).stdout
    except (OSError, subprocess.TimeoutExpired):
        return "unknown (there is no nvidia-smi)"
    return version.split("\n")[0].strip() or "unknown"


SAY = """import torch
p = torch.cuda.get_device_properties()
print(f"{p.name}, capability {p.major}.{p.minor}, {p.total_memory / 2**30:.1f} GiB, devices: {torch.cuda.device_count()}")"""


def machine(report: Report, clock: Clock, options: argparse.Namespace) -> None:
    """The GPU and its driver."""
    done = run([sys.executable, "-W", "ignore", "-c", SAY], clock.at_most(60), **ON_GPU)
    text = done.output.strip() if done.passed else f"{done.verdict()}\n\n{done.tail()}"
    report.add("Machine", f"{text}, driver {driver_version()}", done.passed)


def first_use(report: Report, clock: Clock, options: argparse.Namespace) -> None:
    """The first x.cuda() in a new process, beyond what the driver takes."""
    rows, passed = [], True
    for label, python in pythons(options).items():
        found, done = [], None
        for _ in range(1 if options.small else 3):
            done = run([python, "-W", "ignore", script("first_use.py")], clock.at_most(20), **paths(label))
            if done.passed:
                found.append(json.loads(done.output.splitlines()[-1]))
        if found:
            best = min(found, key=lambda times: times["beyond"])
            verdict = "met" if best["beyond"] <= 0.5 else "missed"
            rows.append(f"| {label} | {best['driver']:.2f} s | {best['beyond']:.2f} s | 0.5 s | {verdict} |")
        elif done is not None:
            rows.append(f"| {label} | {done.verdict()} | | | |")
            passed = passed and label != "here"
    head = "| | driver | beyond it | budget | |\n| --- | --- | --- | --- | --- |\n"
    report.add("First use in a process", head + "\n".join(rows), passed)


def pythons(options: argparse.Namespace) -> dict[str, str]:
    """The interpreters that timings run in."""
    return {"here": sys.executable, **({"PyTorch": options.peer} if options.peer else {})}


def script(name: str) -> str:
    return str(ROOT / "tools" / "gpu" / name)


def paths(label: str) -> dict[str, str]:
    """Where an interpreter finds torch."""
    return {"PYTHONPATH": str(ROOT) if label == "here" else "", **ON_GPU}


def verdict_of(figure: dict, peer: dict | None) -> tuple[str, str]:
    """(budget, whether it is met) in words."""
    share = figure.get("share")
    if "at_most" in figure:
        return f"{figure['at_most']} {figure['unit']}", "met" if figure["value"] <= figure["at_most"] else "missed"
    if "least_share" in figure:
        minimum = f"{figure['least_share']:.0%}"
        return minimum, "share unknown" if share is None else "met" if share >= figure["least_share"] else "missed"
    if "beside_peer" in figure:
        if peer is None:
            return "PyTorch", "no PyTorch"
        return "PyTorch", "met" if figure["value"] <= peer["value"] else "missed"
    return "", ""


def timings(report: Report, clock: Clock, options: argparse.Namespace) -> None:
    """Every figure that has a budget, and others, beside PyTorch's."""
    found: dict[str, dict] = {}
    notes, passed = [], True
    for label, python in pythons(options).items():
        command = [python, "-W", "ignore", script("timings.py"), *(["--small"] if options.small else [])]
        done = run(command, clock.at_most(100), **paths(label))
        lines = [json.loads(line) for line in done.output.splitlines() if line.startswith('{"figures"')]
        found[label] = lines[-1]["figures"] if lines else {}
        failed = lines[-1]["failed"] if lines else []
        notes += [f"{label}: {problem}" for problem in failed]
        if not done.passed and not failed:
            notes.append(f"{label}: {done.verdict()}\n\n{done.tail()}")
        passed = passed and (done.passed or label != "here")
    names = list(dict.fromkeys(name for figures in found.values() for name in figures))
    labels = list(found)
    rows = [f"| what | {' | '.join(labels)} | share | budget | |", "|" + " --- |" * (len(labels) + 4)]
    for name in names:
        figures = [found[label].get(name) for label in labels]
        values = " | ".join(f"{figure['value']} {figure['unit']}" if figure else "" for figure in figures)
        mine, peer = figures[0], figures[1] if len(figures) > 1 else None
        share = "" if mine is None or mine.get("share") is None else f"{mine['share']:.0%}"
        budget, verdict = verdict_of(mine, peer) if mine else ("", "")
        rows.append(f"| {name} | {values} | {share} | {budget} | {verdict} |")
    note = "Shares are of the peak at the highest clocks, or of what is named.\n\n"
    report.add("Timings", note + "\n".join([*rows, "", *notes]), passed)


def sanitizer() -> str | None:
    """compute-sanitizer: of PATH, of an installed toolkit, or of PyPI's package."""
    homes = [Path(os.environ[name]) for name in ("CUDA_HOME", "CUDA_PATH") if name in os.environ]
    homes += [Path(folder) / "nvidia" / "cu13" for folder in site.getsitepackages()]
    homes.append(Path("/usr/local/cuda"))
    found = [home / folder / "compute-sanitizer" for home in homes for folder in ("bin", "compute-sanitizer")]
    return shutil.which("compute-sanitizer") or next((str(path) for path in found if os.access(path, os.X_OK)), None)


def memory_checker(report: Report, clock: Clock, options: argparse.Namespace) -> None:
    """Some operators under compute-sanitizer."""
    tool = sanitizer()
    if tool is None:
        report.add("Memory checker", "not run: there is no compute-sanitizer (pip install nvidia-cuda-sanitizer-api)")
        return
    command = [tool, "--error-exitcode", "9", sys.executable, "-W", "ignore", "-c", CHECKED]
    done = run(command, clock.at_most(60), PYTORCH_NO_CUDA_MEMORY_CACHING="1", **ON_GPU)
    report.add("Memory checker", f"{done.verdict()}\n\n{done.tail()}", done.passed)


def examples(report: Report, clock: Clock, options: argparse.Namespace) -> None:
    """Examples that train on the GPU."""
    rows, passed = [], True
    with tempfile.TemporaryDirectory() as folder:
        for name, arguments in (SMALL_EXAMPLES if options.small else EXAMPLES).items():
            command = [sys.executable, "-W", "ignore", f"examples/{name}", "--device", "cuda", "--out", folder, *arguments]
            done = run(command, clock.at_most(45), **ON_GPU)
            rows.append(f"- {name}: {done.verdict()}\n\n{done.tail(4)}")
            passed = passed and done.passed
    report.add("Examples", "\n".join(rows), passed)


PYTEST = [sys.executable, "-m", "pytest", "-q", "-W", "ignore", "-p", "no:cacheprovider", "--tb=line", "-rfE"]


def tests(report: Report, clock: Clock, options: argparse.Namespace) -> None:
    """The files of test/cuda, each in a process of its own: what one leaves on the device is not seen by others."""

    def one(name: str) -> Done:
        return run([*PYTEST, "-p", "no:xdist", f"test/cuda/{name}"], clock.at_most(100), **ON_GPU)

    names = options.files.split(",") if options.files else SMALL_FILES if options.small else FILES
    with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as several:
        found = list(several.map(one, names))
    rows = []
    for name, done in zip(names, found):
        lines = done.output.strip().splitlines() or [""]
        rows.append(f"- {name}: {done.verdict()}: {lines[-1].strip('= ')}")
        rows += ["  " + line for line in done.failures().splitlines()]
    report.add("Tests of the device", "\n".join(rows), all(done.passed for done in found))


def table(report: Report, clock: Clock, options: argparse.Namespace) -> None:
    """The table of operators beside NumPy, and derivatives beside the CPU's."""
    with tempfile.TemporaryDirectory() as folder:
        listed = TESTS / "operators.txt"
        if options.small:
            listed = Path(folder) / "operators.txt"
            listed.write_text("\n".join(SMALL_OPERATORS))
        workers = [] if options.small else ["-n", str(min(8, os.cpu_count() or 1))]
        files = ["test/test_ops.py", "test/test_ops_devices.py"]
        chosen = [*workers, *files, "-k", "cuda and not gradients and not errors"]
        done = run([*PYTEST, *chosen], clock.at_most(600), TEST_OPERATORS=str(listed), **ON_GPU)
    report.add("Operator table", f"{done.verdict()}\n\n{done.tail(2)}\n\n{done.failures()}", done.passed)


SECTIONS = {
    "machine": machine,
    "first_use": first_use,
    "timings": timings,
    "memory_checker": memory_checker,
    "examples": examples,
    "tests": tests,
    "table": table,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer", help="a Python that has PyTorch with CUDA")
    parser.add_argument("--minutes", type=float, default=10, help="in all")
    parser.add_argument("--out", type=Path, default=ROOT / "gpu_report.md")
    parser.add_argument("--sections", default=",".join(SECTIONS), help="some of these, with commas between them")
    parser.add_argument("--files", help="of test/cuda, with commas between them")
    parser.add_argument("--small", action="store_true", help="little of everything: tries this program out")
    options = parser.parse_args()
    chosen = options.sections.split(",")
    unknown = [name for name in chosen if name not in SECTIONS]
    if unknown:
        parser.error(f"--sections: there is no {unknown[0]}; expected some of {', '.join(SECTIONS)}")
    options.out = options.out.resolve()
    report, clock = Report(options.out), Clock(options.minutes)
    for name in chosen:
        SECTIONS[name](report, clock, options)
    print(f"\nwritten to {options.out}")
    print(f"failed: {', '.join(report.failed)}" if report.failed else "nothing failed")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
