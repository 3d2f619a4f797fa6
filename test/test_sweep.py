"""The sweep of all operators: its cases, a small run beside this same interpreter, and what it prints."""

import json
import subprocess
import sys
import time

from surroundings import ROOT

sys.path.insert(0, str(ROOT / "benchmarks" / "sweep"))

import cases  # noqa: E402
import report  # noqa: E402

import torch  # noqa: E402
from benchmarks.sweep.__main__ import in_turns, time_slow_cases_again  # noqa: E402


def test_cases_of_a_family():
    table = cases.Table(["flip"])
    found = table.cases(("small", "medium"), ("float32", "bool"), (1, 2))
    assert {c.op for c in found} == {"roll", "flip", "fliplr", "flipud", "rot90"}
    assert {c.threads for c in found if c.size == "small"} == {1} and {c.threads for c in found if c.size == "medium"} == {1, 2}
    assert {c.dtype for c in found} == {"float32", "bool"}
    assert {c.direction for c in found if c.dtype == "float32"} == {"forward", "backward"}
    medium = next(
        c for c in found if c.op == "flip" and c.size == "medium" and c.layout == "contiguous" and c.direction == "forward"
    )
    run, moved, operations = table.call(medium)
    assert 1 << 15 < run().numel() <= 1 << 17 and moved >= 2 * run().numel() and operations == 0


def test_some_cases_have_all_pairs():
    found = cases.Table(["flip"]).cases(("small", "medium"), ("float32", "float64", "bool"), (1, 2), count=12)
    flips = [c for c in found if c.op == "flip"]
    assert len(flips) == len(set(flips)) == 12
    assert {(c.dtype, c.layout) for c in flips} >= {
        (d, a) for d in ("float32", "bool") for a in ("contiguous", "transposed", "broadcast")
    }
    assert {(c.size, c.direction) for c in flips} == {(s, d) for s in ("small", "medium") for d in ("forward", "backward")}


def test_every_operator_has_its_turn():
    found = [["a", op, 0, dtype, "small"] for op in ("x", "y") for dtype in ("int64", "float32", "bool") for _ in range(2)]
    groups = [(group[0][1], group[0][3], len(group)) for group in in_turns(found)]
    assert len(groups) == 6 and {g[1:] for g in groups[:2]} == {("float32", 2)}
    assert all({g[0] for g in groups[k : k + 2]} == {"x", "y"} for k in (0, 2, 4))


def test_operations_of_products():
    a, b, bias = torch.ones(3, 4), torch.ones(4, 5), torch.ones(5)
    assert cases.multiplications("addmm", [bias, a, b], torch.addmm(bias, a, b)) == 2 * 3 * 4 * 5
    image, weight = torch.ones(1, 2, 6, 6), torch.ones(3, 2, 3, 3)
    assert cases.multiplications("conv2d", [image, weight], torch.conv2d(image, weight)) == 2 * 3 * 16 * 18


def test_layouts():
    x = torch.arange(6.0).reshape(2, 3)
    assert cases.laid_out([x], "transposed")[0].stride() == (1, 2) and cases.laid_out([x], "broadcast")[0].stride() == (0, 1)
    assert cases.layouts_of("sin", 1) == ["contiguous"] and "channels_last" in cases.layouts_of("sin", 4)
    assert "even" in cases.layouts_of("mm", 2) and "even" not in cases.layouts_of("sin", 2)


def test_larger_samples_fit():
    a, b = torch.ones(3, 4), torch.ones(4, 5)
    for larger in cases.scaled([a, b], 10_000):
        assert (larger[0] @ larger[1]).numel() > 0 and max(t.numel() for t in larger) > 1_000
    (a, b), *rest = cases.scaled([a, b], 100_000, even=True)
    assert not rest and a.shape == (192, 256) and b.shape == (256, 384)  # multiples of 64


def test_run(tmp_path):
    command = [sys.executable, "-m", "benchmarks.sweep", "--peer", sys.executable, "--family", "flip", "--op", "flipud"]
    command += ["--size", "small", "--seconds", "0.001", "--json", str(tmp_path / "a.json"), "--picture", str(tmp_path / "a.svg")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    rows = json.loads((tmp_path / "a.json").read_text())
    assert "flip/flipud float32 small contiguous forward 1 thread" in rows and "the slowest 30:" in done.stdout
    assert (tmp_path / "a.svg").read_text().count("<circle") == len(rows)


def test_report(capsys):
    row = {"ours": 1e-3, "peer": 2e-3, "ratio": 2.0, "bytes": 9_000_000}
    slow = {"ours": 1e-6, "peer": 5e-7, "ratio": 0.5, "bytes": 10}
    rows = {
        "reduce/sum float32 large contiguous forward 2 threads": row,
        "reduce/sum int64 small contiguous forward 1 thread": slow,
    }
    rows["special/zeta float32 large contiguous forward 2 threads"] = row  # limited by its instructions
    product = {"ours": 1e-3, "peer": 2e-3, "ratio": 2.0, "bytes": 1_000, "operations": 6e8}
    rows["matmul/mm float32 large contiguous forward 1 thread"] = product
    report.print_report(rows, 1e10, 5, {"float32 1": 1e12}, 3)
    text = capsys.readouterr().out
    assert "half of 1 cases reach 90% of the bandwidth" in text and "60%  matmul/mm" in text
    assert (
        "mean 1.41, 1 slower than the peer (3 at first, of which 0 were timed again)" in text
        and "1 thread: mean 1.00 of 2, 2 threads: mean 2.00 of 2" in text
        and "memory,  90% of the bandwidth" in text
        and "under budget" in text
    )
    report.print_changes(rows, {name: {**r, "ratio": 1.0} for name, r in rows.items()}, 5)
    assert "1.00 to 0.50" in capsys.readouterr().out


class Script:
    """A worker whose times are written down."""

    def __init__(self, *times):
        self.times = list(times)

    def ask(self, **question):
        assert question["do"] == "time"
        return self.times.pop(0)


def test_slow_cases_are_timed_again():
    def row(ratio, name):
        return {"case": [name], "ours": 1.0, "peer": ratio, "ratio": ratio, "bytes": 1, "operations": 0}

    def rows():
        return {"a": row(0.9, "a"), "b": row(2.0, "b"), "c": row(0.5, "c")}

    # The slowest case first; of each case the best time of four.
    ours = Script(*[[3.0, 1, 0]] * 3, [2.0, 1, 0], *[[1.0, 1, 0]] * 4)
    peer = Script(*[[4.0, 1, 0]] * 4, *[[0.9, 1, 0]] * 4)
    found = rows()
    assert time_slow_cases_again({"ours": ours, "peer": peer}, found, time.monotonic() + 60) == 2
    assert found["c"]["ratio"] == 2.0 and found["c"]["first_ratio"] == 0.5 and found["c"]["ours"] == 2.0
    assert found["a"]["ratio"] == 0.9 and found["a"]["first_ratio"] == 0.9
    assert found["b"] == row(2.0, "b") and not ours.times and not peer.times
    # A case that fails keeps its first time, and so do all when the time is up.
    failing = {"ours": Script({"error": "no"}, {"error": "no"}), "peer": Script()}
    found = rows()
    assert time_slow_cases_again(failing, found, time.monotonic() + 60) == 2 and found == rows()
    assert time_slow_cases_again({}, found, time.monotonic() - 1) == 2 and found == rows()
