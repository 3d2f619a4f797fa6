"""torch.profiler and torch.autograd.profiler."""

import gzip
import json
import threading

import pytest

import torch
from torch.autograd import profiler as autograd_profiler
from torch.profiler import ProfilerAction, profile, record_function, schedule, tensorboard_trace_handler


def work():
    x = torch.rand(8, 8, requires_grad=True)
    with record_function("mine"):
        y = (x @ x).relu().sum()
    y.backward()


def by_key(averages):
    return {a.key: a for a in averages}


def test_events_nest():
    with profile(record_shapes=True) as prof:
        work()
    events = prof.events()
    mine = next(e for e in events if e.name == "mine")
    matmul = next(e for e in events if e.name == "aten::matmul")
    mm = next(e for e in events if e.name == "aten::mm")
    assert matmul.cpu_parent is mine and mm.cpu_parent is matmul and mine.is_user_annotation
    assert mm.input_shapes == [[8, 8], [8, 8]] and mm.input_dtypes == ["float32", "float32"]
    assert mine.time_range.start <= mm.time_range.start <= mm.time_range.end <= mine.time_range.end
    assert mine.self_cpu_time_total == pytest.approx(mine.cpu_time_total - sum(c.cpu_time_total for c in mine.cpu_children))
    node = next(e for e in events if e.name == "autograd::engine::evaluate_function: MmBackward0")
    assert [c.name for c in node.cpu_children] == ["MmBackward0"]
    assert sum(e.name == "aten::mm" for e in events) == 3


def test_averages_and_table():
    with profile(record_shapes=True, profile_memory=True) as prof:
        work()
        work()
    found = by_key(prof.key_averages())
    assert found["aten::mm"].count == 6 and found["mine"].count == 2
    assert found["aten::mm"].cpu_time_total >= found["aten::mm"].self_cpu_time_total > 0
    assert found["aten::mm"].self_cpu_memory_usage == 6 * 256
    total = sum(a.self_cpu_time_total for a in prof.key_averages())
    assert total == pytest.approx(prof.events().self_cpu_time_total)
    text = prof.key_averages().table(sort_by="cpu_time_total", row_limit=2, header="Header")
    assert "Self CPU %" in text and "# of Calls" in text and "CPU Mem" in text and "Header" in text
    assert "Self CPU time total: " in text and text.count("aten::") + text.count("mine") <= 3
    shaped = prof.key_averages(group_by_input_shape=True)
    assert "[[8, 8], [8, 8]]" in shaped.table(row_limit=-1)
    assert "ms" in prof.key_averages().table(time_unit="ms")
    with pytest.raises(AttributeError):
        prof.key_averages().table(sort_by="beauty")
    with pytest.raises(ValueError):
        prof.key_averages().table(time_unit="h")


def test_chrome_trace(tmp_path):
    with profile(with_stack=True) as prof:
        work()
    prof.add_metadata_json("run", '{"a": 1}')
    for name in ("trace.json", "trace.json.gz"):
        path = tmp_path / name
        prof.export_chrome_trace(str(path))
        with gzip.open(path, "rt") if name.endswith("gz") else open(path) as f:
            document = json.load(f)
        spans = [e for e in document["traceEvents"] if e["ph"] == "X"]
        assert document["run"] == {"a": 1} and {"aten::mm", "mine"} <= {e["name"] for e in spans}
        assert all(e["dur"] >= 0 and isinstance(e["ts"], float) and e["pid"] and e["tid"] for e in spans)
        assert next(e for e in spans if e["name"] == "mine")["cat"] == "user_annotation"


def test_stacks(tmp_path):
    with profile(with_stack=True) as prof:
        work()
    mm = next(e for e in prof.events() if e.name == "aten::mm")
    assert "test_profiler.py" in mm.stack[0] and mm.stack[0].endswith(": work")
    path = tmp_path / "stacks"
    prof.export_stacks(str(path), "self_cpu_time_total")
    lines = path.read_text().splitlines()
    assert lines and all(line.rsplit(" ", 1)[1].isdigit() and "work" in line for line in lines if "work" in line)
    assert prof.key_averages(group_by_stack_n=1).table()
    with profile() as plain:
        work()
    with pytest.raises(ValueError):
        plain.export_stacks(str(path))


def test_schedule():
    action = schedule(wait=1, warmup=1, active=2, repeat=1, skip_first=1)
    names = [action(k).name for k in range(7)]
    assert names == ["NONE", "NONE", "WARMUP", "RECORD", "RECORD_AND_SAVE", "NONE", "NONE"]
    assert schedule(wait=0, warmup=0, active=1)(5) is ProfilerAction.RECORD_AND_SAVE
    with pytest.raises(ValueError):
        schedule(wait=1, warmup=1, active=0)


def test_steps(tmp_path):
    ready = []
    with profile(
        schedule=schedule(wait=1, warmup=1, active=2, repeat=2), on_trace_ready=lambda p: ready.append(p.events())
    ) as prof:
        for _ in range(9):
            work()
            prof.step()
    assert len(ready) == 2
    for events, steps in zip(ready, ({2, 3}, {6, 7})):
        assert {int(e.name.split("#")[1]) for e in events if e.name.startswith("ProfilerStep#")} == steps
        assert sum(e.name == "mine" for e in events) == 2
    with profile(on_trace_ready=tensorboard_trace_handler(str(tmp_path))):
        work()
    (written,) = tmp_path.iterdir()
    assert written.name.endswith(".pt.trace.json")


def test_autograd_profiler():
    with autograd_profiler.profile(record_shapes=True) as prof:
        work()
    assert by_key(prof.key_averages())["aten::relu"].count == 1
    assert prof.self_cpu_time_total > 0 and "aten::relu" in prof.table()
    with autograd_profiler.profile(enabled=False) as off:
        work()
    with pytest.raises(RuntimeError, match="didn't finish"):
        off.key_averages()
    with pytest.raises(RuntimeError, match="CPU only"):
        autograd_profiler.profile(use_cuda=True)


def test_record_function_as_decorator_and_without_a_profiler():
    @record_function("decorated")
    def f():
        return torch.ones(1)

    f()
    with profile() as prof:
        f()
        f()
    assert by_key(prof.key_averages())["decorated"].count == 2


def test_threads():
    with profile() as prof:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        work()
    assert len({e.thread for e in prof.events() if e.name == "mine"}) == 2
    for e in prof.events():
        assert e.cpu_parent is None or e.cpu_parent.thread == e.thread


def test_two_at_once_are_refused():
    with profile(), pytest.raises(RuntimeError, match="running already"):
        with profile():
            pass
    with profile() as prof:  # and the collector works on
        work()
    assert prof.events()


def test_an_exception_ends_ranges():
    with profile() as prof:
        with pytest.raises(RuntimeError):
            with record_function("fails"):
                torch.ones(2) + torch.ones(3)
        torch.ones(2).exp()
    exp = next(e for e in prof.events() if e.name == "aten::exp")
    assert exp.cpu_parent is None
