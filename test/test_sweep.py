"""The sweep of all operators: its cases, a small run beside this same interpreter, and what it prints."""

import json
import subprocess
import sys

from surroundings import ROOT

sys.path.insert(0, str(ROOT / "benchmarks" / "sweep"))

import cases  # noqa: E402
import report  # noqa: E402

import torch  # noqa: E402


def test_cases_of_a_family():
    table = cases.Table(["flip"])
    found = table.cases(("small", "medium"), ("float32", "bool"))
    assert {c.op for c in found} == {"roll", "flip", "fliplr", "flipud", "rot90"}
    assert {c.dtype for c in found} == {"float32", "bool"}
    assert {c.direction for c in found if c.dtype == "float32"} == {"forward", "backward"}
    medium = next(
        c for c in found if c.op == "flip" and c.size == "medium" and c.layout == "contiguous" and c.direction == "forward"
    )
    run, moved = table.call(medium)
    assert 1 << 15 < run().numel() <= 1 << 17 and moved >= 2 * run().numel()


def test_larger_samples_fit():
    a, b = torch.ones(3, 4), torch.ones(4, 5)
    for larger in cases.scaled([a, b], 10_000):
        assert (larger[0] @ larger[1]).numel() > 0 and max(t.numel() for t in larger) > 1_000


def test_run(tmp_path):
    command = [sys.executable, "-m", "benchmarks.sweep", "--peer", sys.executable, "--family", "flip", "--op", "flipud"]
    command += ["--size", "small", "--seconds", "0.001", "--json", str(tmp_path / "a.json"), "--picture", str(tmp_path / "a.svg")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    rows = json.loads((tmp_path / "a.json").read_text())
    assert "flip/flipud float32 small contiguous forward" in rows and "the slowest 30:" in done.stdout
    assert (tmp_path / "a.svg").read_text().count("<circle") == len(rows)


def test_report(capsys):
    row = {"ours": 1e-3, "peer": 2e-3, "ratio": 2.0, "bytes": 9_000_000}
    slow = {"ours": 1e-6, "peer": 5e-7, "ratio": 0.5, "bytes": 10}
    rows = {"sum/sum float32 large contiguous forward": row, "sum/sum int64 small contiguous forward": slow}
    report.print_report(rows, 1e10, 5)
    text = capsys.readouterr().out
    assert "mean 1.00, 1 slower" in text and "memory,  90% of the bandwidth" in text and "under budget" in text
    report.print_changes(rows, {name: {**r, "ratio": 1.0} for name, r in rows.items()}, 5)
    assert "1.00 to 0.50" in capsys.readouterr().out
