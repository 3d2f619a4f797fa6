"""torch.profiler and torch.autograd.profiler: events, their averages and tables."""

import os
import threading

import pytest

import torch
from torch.autograd import profiler as autograd_profiler
from torch.profiler import profile, record_function


def work():
    x = torch.rand(8, 8, requires_grad=True)
    with record_function("mine"):
        y = (x @ x).relu().sum()
    y.backward()


def by_key(averages):
    return {a.key: a for a in averages}


def one(events, name):
    return next(e for e in events if e.name == name)


def test_events_nest():
    with profile(record_shapes=True) as prof:
        work()
    events = prof.events()
    mine, matmul, mm = one(events, "mine"), one(events, "aten::matmul"), one(events, "aten::mm")
    assert matmul.cpu_parent is mine and mm.cpu_parent is matmul and mine.is_user_annotation
    assert mine.time_range.start <= mm.time_range.start <= mm.time_range.end <= mine.time_range.end
    assert mine.self_cpu_time_total == pytest.approx(mine.cpu_time_total - sum(c.cpu_time_total for c in mine.cpu_children))
    node = one(events, "autograd::engine::evaluate_function: MmBackward0")
    assert [c.name for c in node.cpu_children if c.scope == 1] == ["MmBackward0"]
    assert sum(e.name == "aten::mm" for e in events) == 3
    assert [e.time_range.start for e in events] == sorted(e.time_range.start for e in events)


def test_arguments():
    x = torch.rand(2, 3)
    with profile(record_shapes=True) as prof:
        torch.cat([x, x.t().contiguous().t()], 1)
        torch.add(x, x.double(), alpha=2)
        torch.transpose(x, 0, 1)
        torch.nn.functional.linear(x, torch.rand(4, 3), None)
        x.half(), x.long(), x.bool()
        x * 2.5
    events = prof.events()
    cat = one(events, "aten::cat")
    assert cat.input_shapes == [[], []] and cat.input_dtypes == ["TensorList", "Scalar"] and cat.concrete_inputs == [None, 1]
    assert cat.structured_input_shapes == [[[2, 3], [2, 3]], []]
    assert cat.structured_input_strides == [[[3, 1], [1, 2]], []]
    add = one(events, "aten::add")
    assert add.input_shapes == [[2, 3], [2, 3], []] and add.input_dtypes == ["float", "double", "Scalar"]
    assert add.concrete_inputs == [None, None, 2]
    assert one(events, "aten::transpose").concrete_inputs == [None, 0, 1]
    linear = one(events, "aten::linear")
    assert linear.input_shapes == [[2, 3], [4, 3], []] and linear.input_dtypes == ["float", "float", ""]
    with profile() as plain:
        torch.transpose(x, 0, 1)
    assert one(plain.events(), "aten::transpose").input_shapes == []


def test_averages_and_table():
    with profile(record_shapes=True, profile_memory=True) as prof:
        work()
        work()
    found = by_key(prof.key_averages())
    assert found["aten::mm"].count == 6 and found["mine"].count == 2
    assert found["aten::mm"].cpu_time_total >= found["aten::mm"].self_cpu_time_total > 0
    assert found["aten::mm"].cpu_time == pytest.approx(found["aten::mm"].cpu_time_total / 6)
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


def test_averages_by_overload():
    x = torch.ones(2)
    with profile() as prof:
        torch.pow(x, 2), torch.pow(2, x)
    averages = prof.key_averages(group_by_overload_name=True)
    assert {"Tensor_Scalar", "Scalar"} <= {a.overload_name for a in averages if a.key == "aten::pow"}
    assert "Overload Name" in averages.table() and "Overload Name" not in prof.key_averages().table()


def test_memory_of_events_and_outside_of_them():
    with profile(profile_memory=True) as prof:
        y = torch.rand(1000)
        z = y + 1
        del y
        with record_function("r"):
            w = z * 2
            del z
        w.exp_()
    events = prof.events()
    assert one(events, "aten::rand").cpu_memory_usage == 4000
    assert one(events, "r").cpu_memory_usage == 0 and one(events, "r").self_cpu_memory_usage == -4000
    outside = [e.cpu_memory_usage for e in events if e.name == "[memory]"]
    assert outside.count(-4000) == 1 and all(e.cpu_time_total == 0 for e in events if e.name == "[memory]")
    before = torch.rand(1000)
    with profile(profile_memory=True) as prof:
        del before  # not part of this profile
    assert len(prof.events()) == 0


def test_memory_is_recorded_in_each_profile_anew():
    kept = []
    for _ in range(3):
        with profile(profile_memory=True) as prof:
            kept.append(torch.rand(100))
        assert one(prof.events(), "aten::rand").cpu_memory_usage == 400
    assert torch.equal(kept[0], kept[0].clone())


def test_sequence_numbers_link_backward_to_forward():
    with profile() as prof:
        work()
    events = prof.events()
    for op, node in (("aten::mm", "MmBackward0"), ("aten::relu", "ReluBackward0"), ("aten::sum", "SumBackward0")):
        forward, backward = one(events, op), one(events, node)
        assert forward.sequence_nr == backward.sequence_nr >= 0
        assert (forward.scope, backward.scope) == (0, 1)
        assert (forward.fwd_thread, backward.fwd_thread) == (0, forward.thread)
        assert forward.flow_id == backward.flow_id > 0 and forward.flow_start and not backward.flow_start
    assert one(events, "torch::autograd::AccumulateGrad").sequence_nr == -1
    assert one(events, "mine").sequence_nr == -1 and one(events, "mine").scope == 7
    for e in events:
        assert not (e.is_async or e.is_remote or e.is_legacy) and e.node_id == -1
    with profile() as prof, torch.no_grad():
        torch.ones(2) * 2
    assert one(prof.events(), "aten::mul").sequence_nr == -1


def test_threads():
    with profile() as prof:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        work()
    mine = [e for e in prof.events() if e.name == "mine"]
    assert len({e.thread for e in mine}) == len({e.device_resource_id for e in mine}) == 2
    for e in prof.events():
        assert e.cpu_parent is None or e.cpu_parent.thread == e.thread
    # Both threads count their nodes from 0: the links must not mix them up.
    for node in (e for e in prof.events() if e.scope == 1 and e.sequence_nr >= 0):
        assert node.fwd_thread == node.thread


def test_backward_in_another_thread():
    with profile() as prof:
        x = torch.rand(4, requires_grad=True)
        y = (x * 2).sum()
        thread = threading.Thread(target=y.backward)
        thread.start()
        thread.join()
    forward, backward = one(prof.events(), "aten::mul"), one(prof.events(), "MulBackward0")
    assert backward.thread != forward.thread == backward.fwd_thread
    assert backward.flow_id == forward.flow_id > 0


def test_autograd_profiler():
    with autograd_profiler.profile(record_shapes=True) as prof:
        assert str(prof) == "<unfinished torch.autograd.profile>" and prof.function_events is None
        work()
    assert by_key(prof.key_averages())["aten::relu"].count == 1
    assert prof.self_cpu_time_total > 0 and "aten::relu" in prof.table() and "aten::relu" in str(prof)
    total = prof.total_average()
    assert total.key == "Total" and total.count == len(prof.function_events)
    assert total.self_cpu_time_total == pytest.approx(prof.self_cpu_time_total)
    with autograd_profiler.profile(enabled=False) as off:
        work()
    with pytest.raises(RuntimeError, match="didn't finish"):
        off.key_averages()
    with pytest.raises(RuntimeError, match="not reentrant"), prof:
        pass


def test_record_function_as_decorator_and_without_a_profiler():
    @record_function("decorated")
    def f(depth):
        return torch.ones(1) + (f(depth - 1) if depth else 0)

    f(0)
    with profile() as prof:
        f(0)
        f(2)
    found = by_key(prof.key_averages())["decorated"]
    # The inner ones are part of the outer one's total, not once more.
    outer = [e for e in prof.events() if e.name == "decorated" and e.cpu_parent is None]
    assert found.count == 4 and found.cpu_time_total < 1.01 * sum(e.cpu_time_total for e in outer)
    with profile() as prof, record_function("with", "some text"):
        pass
    assert [e.name for e in prof.events()] == ["with"]
    with pytest.raises(TypeError, match="name must be a str"), profile(), record_function(3):
        pass


def test_profiles_within_profiles():
    with profile() as outer:
        torch.ones(2)
        with profile(record_shapes=True) as inner:
            torch.ones(2).exp()
        torch.ones(2).log()
    assert [e.name for e in inner.events() if e.cpu_parent is None] == ["aten::ones", "aten::exp"]
    assert one(inner.events(), "aten::exp").input_shapes == [[2]]
    assert {"aten::exp", "aten::log"} <= {e.name for e in outer.events()}
    first, second = profile(), profile()
    first.start(), second.start()
    torch.ones(2).exp()
    first.stop()
    torch.ones(2).log()
    second.stop()
    assert "aten::log" not in by_key(first.events()) and {"aten::exp", "aten::log"} <= set(by_key(second.events()))


def test_an_exception_ends_ranges():
    with profile() as prof:
        with pytest.raises(RuntimeError):
            with record_function("fails"):
                torch.ones(2) + torch.ones(3)
        torch.ones(2).exp()
    assert one(prof.events(), "aten::exp").cpu_parent is None


def test_the_profile_may_end_while_another_thread_works():
    stop = threading.Event()

    def busy():
        x = torch.ones(4)
        while not stop.is_set():
            x = x * 1

    threads = [threading.Thread(target=busy) for _ in range(2)]
    for t in threads:
        t.start()
    try:
        for _ in range(20):
            with profile(record_shapes=True, profile_memory=True, with_stack=True) as prof:
                torch.ones(3).exp()
            assert one(prof.events(), "aten::exp")
    finally:
        stop.set()
        for t in threads:
            t.join()


def test_a_forked_child_is_no_part_of_the_profile():
    with profile(profile_memory=True, record_shapes=True) as prof:
        kept = torch.ones(100)
        child = os.fork()
        if child == 0:
            # Runs operators, frees what the profile recorded, and profiles again.
            ok = not torch._C._profiler_enabled()
            del kept
            with profile(profile_memory=True) as own:
                torch.ones(7).exp()
            ok = ok and [e.name for e in own.events() if e.name.startswith("aten")] == ["aten::ones", "aten::exp"]
            os._exit(0 if ok else 1)
        assert os.waitpid(child, 0)[1] == 0
        kept.sin()
    assert [e.name for e in prof.events() if e.name.startswith("aten")] == ["aten::ones", "aten::sin"]


class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x)
        return x.exp()

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.saved_tensors[0].exp(), None


def test_custom_functions():
    x = torch.rand(3, requires_grad=True)
    with profile(record_shapes=True) as prof:
        Exp.apply(x, 2).sum().backward()
    events = prof.events()
    forward, backward = one(events, "Exp"), one(events, "ExpBackward")
    assert forward.input_shapes == [[3], []] and backward.input_shapes == [[3]]
    assert one(events, "aten::exp").cpu_parent is forward and forward.scope == 0 and backward.scope == 1
    assert forward.sequence_nr == backward.sequence_nr and backward.fwd_thread == forward.thread
    assert forward.flow_id == backward.flow_id > 0
