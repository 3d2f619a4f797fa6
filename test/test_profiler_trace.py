"""The Chrome trace, checked as Perfetto reads it: types, nesting of the spans of a thread, arrows with two ends."""

import gzip
import json
import os
import threading
from collections import defaultdict
from numbers import Real

import pytest

import torch
from torch.profiler import profile, record_function

KNOWN_PHASES = {"X", "M", "i", "s", "f"}
ROUNDING_US = 0.002  # times have three digits, so that sums of two may be off by one in the last


def check_trace(rows):
    """Asserts that `rows` are what the Trace Event Format asks for."""
    spans, starts, ends = defaultdict(list), {}, {}
    for row in rows:
        assert row["ph"] in KNOWN_PHASES and isinstance(row["name"], str) and row["name"]
        assert isinstance(row["ts"], Real) and row["ts"] >= 0
        assert isinstance(row["pid"], (int, str)) and isinstance(row["tid"], (int, str))
        assert isinstance(row.get("args", {}), dict)
        if row["ph"] == "X":
            assert isinstance(row["dur"], Real) and row["dur"] >= 0 and row["cat"]
            spans[row["pid"], row["tid"]].append((row["ts"], row["ts"] + row["dur"], row["name"]))
            check_args(row["args"])
        elif row["ph"] == "M":
            assert set(row["args"]) <= {"name", "labels", "sort_index"} and len(row["args"]) == 1
        elif row["ph"] == "i":
            assert row["s"] in ("t", "g", "p")
        else:
            where = starts if row["ph"] == "s" else ends
            where.setdefault((row["cat"], row["id"]), []).append((row["ts"], row["pid"], row["tid"]))
            assert row["ph"] == "s" or row["bp"] == "e"
    for thread in spans.values():
        check_nesting(thread)
    assert set(starts) == set(ends)
    for key, (start, *more) in starts.items():
        assert not more, "an arrow begins once"
        begins = {(ts, *thread) for thread, inside in spans.items() for ts, _, _ in inside}
        assert start in begins and all(end in begins and start[0] <= end[0] for end in ends[key])


def check_args(args):
    kinds = {
        "External id": int,
        "Sequence number": int,
        "Fwd thread id": int,
        "Record function id": int,
        "Python id": int,
        "Call stack": str,
        "Module Hierarchy": str,
        "Bytes": int,
        "FLOPs": int,
    }
    for name, value in args.items():
        if name in kinds:
            assert type(value) is kinds[name], name
    lists = [args[name] for name in ("Input Dims", "Input type", "Input Strides", "Concrete Inputs") if name in args]
    assert len({len(given) for given in lists}) <= 1
    if lists:
        assert all(isinstance(t, str) for t in args["Input type"] + args["Concrete Inputs"])


def check_nesting(spans):
    open_spans = []
    for begin, end, name in sorted(spans, key=lambda s: (s[0], -s[1])):
        while open_spans and open_spans[-1][1] <= begin + ROUNDING_US and open_spans[-1][1] < end:
            open_spans.pop()
        if open_spans:
            assert end <= open_spans[-1][1] + ROUNDING_US, f"{name} crosses the end of {open_spans[-1][2]}"
        open_spans.append((begin, end, name))


def generator():
    with record_function("in a generator"):
        yield torch.ones(2).exp()
        yield torch.ones(2).log()


def work():
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(144, 2))
    with record_function("forward"):
        loss = model(torch.rand(2, 3, 8, 8)).sum()
    loss.backward()
    thread = threading.Thread(target=lambda: torch.rand(3, requires_grad=True).exp().sum().backward())
    thread.start()
    thread.join()
    torch.cat([torch.ones(2), *generator()])
    kept = generator()
    next(kept)
    torch.ones(2).sin()
    return kept


def written(prof, path):
    prof.export_chrome_trace(str(path))
    with gzip.open(path, "rt") if path.name.endswith(".gz") else open(path) as f:
        return json.load(f)


OPTIONS = [
    {},
    {"record_shapes": True, "profile_memory": True, "with_flops": True},
    {"with_stack": True},
    {"with_modules": True},
    {"with_stack": True, "with_modules": True, "record_shapes": True, "profile_memory": True, "with_flops": True},
    {"with_stack": "cpp"},
]


@pytest.mark.parametrize("options", OPTIONS, ids=lambda o: "+".join(o) or "bare")
def test_trace_is_valid(tmp_path, options):
    with profile(**options) as prof:
        work()
    document = written(prof, tmp_path / "trace.json")
    check_trace(document["traceEvents"])
    prof.events().export_chrome_trace(str(tmp_path / "events.json"))
    check_trace(json.loads((tmp_path / "events.json").read_text()))


def test_the_checker_finds_mistakes():
    span = {"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "ts": 0.0, "dur": 10.0, "args": {}}
    check_trace([span, {**span, "ts": 2.0, "dur": 8.0}, {**span, "ts": 10.0}])
    arrow = {"ph": "s", "id": 1, "cat": "fwdbwd", "name": "fwdbwd", "pid": 1, "tid": 1, "ts": 0.0}
    for wrong in (
        [span, {**span, "ts": 5.0}],  # crosses
        [{**span, "dur": -1.0}],
        [{k: v for k, v in span.items() if k != "tid"}],
        [{**span, "args": {"Call stack": 3}}],
        [span, arrow],  # no end
        [span, arrow, {**arrow, "ph": "f", "bp": "e", "ts": 3.0}],  # an end where nothing begins
    ):
        with pytest.raises((AssertionError, KeyError)):
            check_trace(wrong)


def test_contents(tmp_path):
    with profile(record_shapes=True, profile_memory=True, with_flops=True) as prof:
        work()
    document = written(prof, tmp_path / "trace.json.gz")
    rows = document["traceEvents"]
    assert document["schemaVersion"] == 1 and document["displayTimeUnit"] == "ms" and document["with_flops"] == 1
    now_us = document["baseTimeNanoseconds"] / 1e3 + max(r["ts"] for r in rows)
    assert abs(now_us / 1e6 - os.stat(tmp_path / "trace.json.gz").st_mtime) < 60
    named = defaultdict(list)
    for row in rows:
        named[row["name"]].append(row)
    assert named["forward"][0]["cat"] == "user_annotation" and named["aten::conv2d"][0]["cat"] == "cpu_op"
    conv = named["aten::conv2d"][0]["args"]
    assert conv["Input Dims"] == [[2, 3, 8, 8], [4, 3, 3, 3], [4], [], [], [], []]
    assert conv["Input type"] == ["float", "float", "float", "ScalarList", "ScalarList", "ScalarList", "Scalar"]
    assert conv["Input Strides"][0] == [192, 64, 8, 1]
    assert conv["Concrete Inputs"] == ["", "", "", "[1, 1]", "[0, 0]", "[1, 1]", "1"]
    assert conv["FLOPs"] == 2 * 2 * 36 * 4 * 27
    node = named["ConvolutionBackward0"][0]["args"]
    assert node["Sequence number"] == named["aten::convolution"][0]["args"]["Sequence number"] and node["Fwd thread id"] > 0
    assert len(named["fwdbwd"]) >= 10 and {r["cat"] for r in named["fwdbwd"]} == {"fwdbwd"}
    assert named["process_name"][0]["args"] == {"name": "python"}
    tids = {r["tid"] for r in rows if r.get("cat") == "cpu_op"}
    assert len(tids) == 2 and tids <= {r["tid"] for r in named["thread_name"]}
    changes = named["[memory]"]
    assert {r["cat"] for r in changes} == {"cpu_instant_event"} and all(r["args"]["Addr"] > 0 for r in changes)
    total = 0
    for row in sorted(changes, key=lambda r: r["ts"]):
        total += row["args"]["Bytes"]
        assert row["args"]["Total Allocated"] == total or len(tids) > 1
    assert any(r["args"]["Bytes"] < 0 for r in changes)


def test_modules_and_functions(tmp_path):
    with profile(with_modules=True) as prof:
        work()
    rows = written(prof, tmp_path / "modules.json")["traceEvents"]
    assert {r["name"] for r in rows if r.get("cat") == "python_function"} == {
        "nn.Module: Sequential_0",
        "nn.Module: Conv2d_0",
        "nn.Module: ReLU_0",
        "nn.Module: Flatten_0",
        "nn.Module: Linear_0",
    }
    assert all(r["args"]["Python module id"] == 0 for r in rows if r["name"] == "nn.Module: Linear_0")
    conv = next(r for r in rows if r["name"] == "aten::conv2d")
    assert conv["args"]["Module Hierarchy"] == "Sequential_0.Conv2d_0"
    with profile(with_stack=True) as prof:
        work()
    rows = written(prof, tmp_path / "stacks.json")["traceEvents"]
    conv = next(r for r in rows if r["name"] == "aten::conv2d")
    frames = conv["args"]["Call stack"].split(";")
    assert "nn.Module: Conv2d_0" in frames and any("test_profiler_trace.py" in f and f.endswith(": work") for f in frames)
    functions = [r for r in rows if r.get("cat") == "python_function"]
    assert len({r["args"]["Python id"] for r in functions}) == len(functions)
    assert {r["args"]["Python parent id"] for r in functions} <= {None, *(r["args"]["Python id"] for r in functions)}


def test_a_trace_appears_whole_or_not_at_all(tmp_path):
    with profile() as prof:
        torch.ones(1)
    prof.add_metadata_json("x", "1")
    prof._trace_metadata["x"] = object()  # what JSON cannot write
    with pytest.raises(TypeError):
        prof.export_chrome_trace(str(tmp_path / "t.json"))
    assert list(tmp_path.iterdir()) == []
    prof._trace_metadata["x"] = 1
    with pytest.raises(FileNotFoundError):
        prof.export_chrome_trace(str(tmp_path / "none" / "t.json"))
