"""with_stack and with_modules: Python functions, C++ frames, module hierarchies."""

import sys
import threading
from contextlib import contextmanager

import pytest

import torch
from torch.profiler import profile, record_function


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = torch.nn.Linear(4, 4), torch.nn.Linear(4, 4)

    def forward(self, x):
        return self.b(self.a(x).relu())


def one(events, name):
    return next(e for e in events if e.name == name)


def inner(x):
    return x.exp()


def outer(x):
    y = inner(x)
    return y + 1


def functions_of(frames):
    return [f.rpartition(": ")[2] for f in frames]


def test_stack_of_an_operator():
    with profile(with_stack=True) as prof:
        outer(torch.ones(2))
    events = prof.events()
    exp, add = one(events, "aten::exp"), one(events, "aten::add")
    assert functions_of(exp.stack[:3]) == ["inner", "outer", "test_stack_of_an_operator"]
    assert functions_of(add.stack[:2]) == ["outer", "test_stack_of_an_operator"]
    # Each frame says the line of the call.
    line = outer.__code__.co_firstlineno
    assert exp.stack[1].endswith(f"test_profiler_stacks.py({line + 1}): outer")
    assert add.stack[0].endswith(f"test_profiler_stacks.py({line + 2}): outer")
    assert exp.stack[0].endswith(f"test_profiler_stacks.py({inner.__code__.co_firstlineno + 1}): inner")


def test_python_functions_are_events():
    with profile(with_stack=True) as prof:
        outer(torch.ones(2))
    events = prof.events()
    call = next(e for e in events if e.name.endswith(": inner"))
    assert call.is_python_function and call.activity_type == "python_function" and call.python_id > 0
    assert call.cpu_parent.name.endswith(": outer") and call.python_parent_id == call.cpu_parent.python_id
    method = call.cpu_children[0]
    assert method.name == "<built-in method exp of Tensor object>" and method.cpu_children[0].name == "aten::exp"
    assert not any("profiler" in e.name and e.is_python_function and "test_" not in e.name for e in events)
    with profile() as plain:
        outer(torch.ones(2))
    assert not any(e.is_python_function for e in plain.events()) and one(plain.events(), "aten::exp").stack == []


def test_tables_and_files_of_stacks(tmp_path):
    with profile(with_stack=True) as prof:
        for _ in range(50):  # a line is left out that comes to less than a microsecond
            outer(torch.ones(2))
    table = prof.key_averages(group_by_stack_n=2).table(sort_by="self_cpu_time_total", row_limit=-1)
    assert "Source Location" in table and ": inner" in table
    assert "Source Location" not in prof.key_averages().table()
    path = tmp_path / "stacks"
    prof.export_stacks(str(path), "self_cpu_time_total")
    lines = path.read_text().splitlines()
    assert any("_outer;" in line and line.rsplit(" ", 1)[0].endswith("_inner") for line in lines), lines
    assert all(line.rsplit(" ", 1)[1].isdigit() for line in lines)
    prof.export_stacks(str(path), "self_cuda_time_total")
    assert path.read_text() == ""
    with pytest.raises(ValueError, match="metric should be one of"):
        prof.export_stacks(str(path), "beauty")
    with profile() as plain:
        outer(torch.ones(2))
    with pytest.raises(AssertionError, match="requires with_stack=True"):
        plain.export_stacks(str(path))


def test_cpp_frames():
    with profile(with_stack="cpp") as prof:
        outer(torch.ones(2))
    stack = one(prof.events(), "aten::exp").stack
    python = next(k for k, f in enumerate(stack) if f.endswith(": inner"))
    assert python > 0 and any("at::" in f or "torch::" in f for f in stack[:python])
    assert not any("at::profiler" in f for f in stack)
    assert functions_of(stack[python : python + 2]) == ["inner", "outer"]
    with pytest.raises(ValueError, match='"cpp"'):
        torch.autograd.profiler.profile(with_stack="c")


def test_modules():
    model = Block()
    with profile(with_modules=True) as prof:
        model(torch.rand(2, 4)).sum().backward()
    events = prof.events()
    linears = [e for e in events if e.name == "aten::linear"]
    assert [e.module_hierarchy for e in linears] == [("Block_0", "Linear_0"), ("Block_0", "Linear_1")]
    assert one(events, "aten::relu").module_hierarchy == ("Block_0",)
    assert one(events, "aten::sum").module_hierarchy == ()
    assert not any(e.is_python_function for e in events) and one(events, "aten::linear").cpu_parent is None
    # A backward belongs to its forward's module, with the operators that it calls.
    backward = [e for e in events if e.name == "AddmmBackward0"]
    assert [e.module_hierarchy[-1] for e in backward] == ["Linear_1", "Linear_0"]
    assert {e.module_hierarchy for e in backward[0].cpu_children} == {("Block_0", "Linear_1")}


def test_modules_as_events():
    model = Block()
    with profile(with_stack=True, with_modules=True) as prof:
        model(torch.rand(2, 4))
        model(torch.rand(2, 4))
    found = {a.key: a.count for a in prof.key_averages() if a.key.startswith("nn.Module")}
    assert found == {"nn.Module: Block_0": 2, "nn.Module: Linear_0": 2, "nn.Module: Linear_1": 2}
    stack = one(prof.events(), "aten::linear").stack
    assert [f for f in stack if f.startswith("nn.Module")] == ["nn.Module: Linear_0", "nn.Module: Block_0"]


def test_ranges_that_outlive_their_function():
    @contextmanager
    def manager():
        with record_function("managed"):
            yield

    def started():
        held = record_function("held")
        held.__enter__()
        return held

    with profile(with_stack=True) as prof:
        with manager():
            torch.ones(2).exp()
        held = started()
        torch.ones(2).log()
        held.__exit__(None, None, None)
        torch.ones(2).sin()
    events = prof.events()
    assert one(events, "managed").cpu_time_total > one(events, "aten::exp").cpu_time_total

    def above(e):
        while e.cpu_parent is not None:
            e = e.cpu_parent
            yield e.name

    assert "managed" in above(one(events, "aten::exp")) and "held" in above(one(events, "aten::log"))
    assert "held" not in above(one(events, "aten::sin"))
    for e in events:
        p = e.cpu_parent
        assert p is None or p.time_range.start <= e.time_range.start <= e.time_range.end <= p.time_range.end


def test_exceptions_and_recursion():
    def fails(depth):
        if depth:
            return fails(depth - 1)
        torch.ones(2) + torch.ones(3)

    with profile(with_stack=True) as prof:
        for _ in range(3):
            with pytest.raises(RuntimeError):
                fails(3)
        torch.ones(2).exp()
    assert functions_of(one(prof.events(), "aten::exp").stack)[0] == "test_exceptions_and_recursion"
    recursive = next(a for a in prof.key_averages() if a.key.endswith(": fails"))
    outermost = [e for e in prof.events() if e.name == recursive.key and e.cpu_parent.name != recursive.key]
    assert recursive.count == 12 and recursive.cpu_time_total == pytest.approx(sum(e.cpu_time_total for e in outermost))


def test_threads_have_stacks_of_their_own():
    def in_thread():
        for _ in range(3):
            inner(torch.ones(2))

    with profile(with_stack=True) as prof:
        threads = [threading.Thread(target=in_thread) for _ in range(3)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    exps = [e for e in prof.events() if e.name == "aten::exp"]
    assert len(exps) == 9 and len({e.thread for e in exps}) == 3
    assert all(functions_of(e.stack[:2]) == ["inner", "in_thread"] for e in exps)


def test_the_hook_is_gone_afterwards():
    with profile(with_stack=True):
        outer(torch.ones(2))
    assert sys.getprofile() is None
    outer(torch.ones(2))
    with profile(with_stack=True) as prof:
        outer(torch.ones(2))
        sys.setprofile(None)  # another tool replaces the hook: later events have no functions, and nothing breaks
        outer(torch.ones(2))
    assert sum(e.name == "aten::exp" for e in prof.events()) == 2


def test_another_profiler_is_respected():
    sys.setprofile(lambda *event: None)
    try:
        with pytest.raises(RuntimeError, match="setprofile"), profile(with_stack=True):
            pass
        with profile() as prof:
            outer(torch.ones(2))
    finally:
        sys.setprofile(None)
    assert one(prof.events(), "aten::exp")


def test_profiles_with_and_without_stacks_at_once():
    with profile() as plain:
        with profile(with_stack=True) as deep:
            outer(torch.ones(2))
        outer(torch.ones(2))
    assert one(deep.events(), "aten::exp").stack and not one(plain.events(), "aten::exp").stack
    assert sum(e.name == "aten::exp" for e in plain.events()) == 2
