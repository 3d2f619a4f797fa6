"""The profiler's records of a GPU: kernels, copies, the calls that started them, memory, and ranges of NVTX."""

import ctypes
import json
import os
import re
import threading
import warnings

import pytest
from gpus import IS_EMULATED, emulated, two_devices
from torch._C._profiler import _ExperimentalConfig

import torch
from torch.autograd import profiler as autograd_profiler
from torch.profiler import DeviceType, ProfilerActivity, profile, record_function, supported_activities

BOTH = [ProfilerActivity.CPU, ProfilerActivity.CUDA]


@pytest.fixture(autouse=True)
def device_in_use():
    torch.ones(1, device="cuda")
    torch.cuda.synchronize()


def on_device(events, kind="kernel"):
    return [e for e in events if e.device_type is DeviceType.CUDA and e.activity_type == kind]


def is_launch(name):
    return name.endswith("cudaLaunchKernel")


def named(events, name):
    return next(e for e in events if e.name == name)


def trace_of(prof, tmp_path):
    prof.export_chrome_trace(str(tmp_path / "trace.json"))
    return json.loads((tmp_path / "trace.json").read_text())


def test_a_kernel_belongs_to_its_operator():
    x = torch.rand(1000, device="cuda")
    with profile(activities=BOTH) as prof:
        with record_function("mine"):
            x.exp()
    (kernel,) = on_device(prof.events())
    exp, mine = named(prof.events(), "aten::exp"), named(prof.events(), "mine")
    assert "exp" in kernel.name.lower() and kernel.device_index == 0 and kernel.use_device == "cuda"
    assert [k.name for k in exp.kernels] == [kernel.name] and mine.kernels == []
    took = kernel.time_range.elapsed_us()
    assert took > 0 and kernel.time_range.start >= exp.time_range.start
    assert exp.device_time_total == exp.self_device_time_total == kernel.device_time_total == exp.kernels[0].duration == took
    assert mine.device_time_total == mine.cuda_time_total == mine.device_time == took and mine.self_device_time_total == 0
    assert kernel.cpu_time_total == kernel.self_cpu_time_total == 0
    assert kernel.linked_correlation_id == exp.external_id


def test_a_launch_is_a_call_of_the_operator():
    x = torch.rand(10, device="cuda")
    with profile(activities=BOTH) as prof:
        x.exp()
    (launch,) = [e for e in prof.events() if is_launch(e.name)]
    exp = named(prof.events(), "aten::exp")
    assert launch.cpu_parent is exp and launch in exp.cpu_children
    assert launch.device_type is DeviceType.CPU and launch.thread == exp.thread and launch.device_time_total == 0
    assert exp.time_range.start <= launch.time_range.start <= launch.time_range.end <= exp.time_range.end
    assert exp.self_cpu_time_total == pytest.approx(exp.cpu_time_total - launch.cpu_time_total)


def test_backward_kernels_belong_to_backward_operators():
    x = torch.rand(100, device="cuda", requires_grad=True)
    with profile(activities=BOTH) as prof:
        x.exp().sum().backward()
    node = named(prof.events(), "ExpBackward0")
    assert node.device_time_total > 0 and node.self_device_time_total == 0
    (product,) = [e for e in node.cpu_children if e.name == "aten::mul"]
    assert len(product.kernels) == 1


def test_copies():
    pinned, pageable = torch.ones(100, pin_memory=True), torch.ones(100)
    with profile(activities=BOTH) as prof:
        x = pinned.to("cuda", non_blocking=True)
        x.copy_(pageable)
        x.cpu()
    assert [e.name for e in on_device(prof.events(), "gpu_memcpy")] == [
        "Memcpy HtoD (Pinned -> Device)",
        "Memcpy HtoD (Pageable -> Device)",
        "Memcpy DtoH (Device -> Pageable)",
    ]


@two_devices
def test_two_devices(tmp_path):
    with profile(activities=BOTH) as prof:
        x = torch.rand(10, device="cuda:1")
        y = x.exp()
        y.to("cuda:0")
    assert {e.device_index for e in on_device(prof.events())} >= {1}
    assert "Memcpy PtoP (Device -> Device)" in [e.name for e in on_device(prof.events(), "gpu_memcpy")]
    labels = [r["args"]["labels"] for r in trace_of(prof, tmp_path)["traceEvents"] if r["name"] == "process_labels"]
    assert labels[0] == "CPU" and "GPU 1" in labels


def test_ranges_on_the_device(tmp_path):
    x = torch.rand(10, device="cuda")
    with profile(activities=BOTH) as prof:
        with record_function("outer"):
            x.exp()
            with record_function("inner"):
                x.sin()
        x.cos()
    exp, sin, _ = (e.time_range for e in on_device(prof.events()))
    spans = {e.name: e for e in on_device(prof.events(), "gpu_user_annotation")}
    outer, inner = spans["outer"].time_range, spans["inner"].time_range
    assert (outer.start, outer.end, inner.start, inner.end) == (exp.start, sin.end, sin.start, sin.end)
    lines = prof.key_averages().table().splitlines()
    assert sum(line.split()[0] == "outer" for line in lines[3:-3]) == 2
    rows = [r for r in trace_of(prof, tmp_path)["traceEvents"] if r.get("cat") == "gpu_user_annotation"]
    assert sorted(r["name"] for r in rows) == ["inner", "outer"] and all(r["pid"] == 0 for r in rows)


def test_threads():
    x = torch.rand(10, device="cuda")
    with profile(activities=BOTH) as prof:
        thread = threading.Thread(target=x.exp)
        thread.start()
        thread.join()
        x.sin()
    exp, sin = named(prof.events(), "aten::exp"), named(prof.events(), "aten::sin")
    assert [len(exp.kernels), len(sin.kernels)] == [1, 1] and exp.thread != sin.thread
    assert [is_launch(e.cpu_children[0].name) and e.cpu_children[0].thread == e.thread for e in (exp, sin)] == [True, True]


def test_work_of_an_error():
    with pytest.raises(RuntimeError, match="mine"), profile(activities=BOTH) as prof:
        torch.rand(10, device="cuda").exp()
        raise RuntimeError("mine")
    assert len(named(prof.events(), "aten::exp").kernels) == 1


def test_without_correlation():
    x = torch.rand(10, device="cuda")
    with profile(activities=BOTH, experimental_config=_ExperimentalConfig(disable_external_correlation=True)) as prof:
        x.exp()
    assert len(on_device(prof.events())) == 1 and named(prof.events(), "aten::exp").kernels == []


def test_streams():
    stream = torch.cuda.Stream()
    x = torch.rand(10, device="cuda")
    torch.cuda.synchronize()
    with profile(activities=BOTH) as prof:
        x.exp()
        with torch.cuda.stream(stream):
            x.sin()
    first, second = on_device(prof.events())
    assert {first.device_resource_id, second.device_resource_id} >= {7} or not IS_EMULATED
    assert first.device_resource_id != second.device_resource_id


def test_graphs():
    x = torch.rand(10, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = x.exp()
        y.sin()
    with profile(activities=BOTH) as prof:
        with record_function("replays"):
            graph.replay()
    kernels = on_device(prof.events())
    assert len(kernels) == 2
    assert len(named(prof.events(), "replays").kernels) == 2
    assert "cudaGraphLaunch" in [e.name for e in prof.events()]


def test_the_table():
    x = torch.rand(1000, device="cuda")
    with profile(activities=BOTH, profile_memory=True) as prof:
        x.exp()
        x.sum()
    averages = prof.key_averages()
    lines = averages.table(sort_by="cuda_time_total", row_limit=20).split("\n")
    for heading in ("Self CUDA", "Self CUDA %", "CUDA total", "CUDA time avg", "CUDA Mem", "Self CUDA Mem"):
        assert f" {heading} " in lines[1]
    total = sum(e.device_time_total for e in averages if e.device_type is DeviceType.CUDA)
    assert lines[-3].startswith("Self CPU time total: ") and lines[-2].startswith("Self CUDA time total: ")
    assert sum(e.self_device_time_total for e in averages if e.device_type is DeviceType.CPU) == pytest.approx(total)
    first = max(averages, key=lambda e: e.device_time_total)
    assert lines[3].split()[0] == first.key.split()[0]


def test_a_profile_of_the_cpu_has_no_such_columns():
    with profile(activities=[ProfilerActivity.CPU]) as prof:
        torch.rand(10, device="cuda").exp()
    assert prof.use_device is None and on_device(prof.events()) == [] and "CUDA" not in prof.key_averages().table()
    assert not any(is_launch(e.name) for e in prof.events())


def test_memory():
    with profile(activities=BOTH, profile_memory=True) as prof:
        x = torch.empty(1000, device="cuda")
        del x
    empty = named(prof.events(), "aten::empty")
    assert empty.device_memory_usage == empty.self_device_memory_usage == 4096 and empty.cpu_memory_usage == 0
    freed = [e.device_memory_usage for e in prof.events() if e.name == "[memory]"]
    assert freed == [-4096]
    with profile(activities=BOTH, profile_memory=True) as outer:
        with profile(activities=BOTH, profile_memory=True):
            pass
        torch.empty(1000, device="cuda")
    assert any(e.device_memory_usage for e in outer.events())
    with profile(activities=BOTH) as prof:
        torch.empty(1000, device="cuda")
    assert named(prof.events(), "aten::empty").device_memory_usage == 0


def test_the_trace(tmp_path):
    x = torch.rand(1000, device="cuda")
    with profile(activities=BOTH, profile_memory=True, record_shapes=True) as prof:
        x.exp()
        torch.empty(10, device="cuda").copy_(torch.ones(10))
    trace = trace_of(prof, tmp_path)
    (first, *_) = trace["deviceProperties"]
    assert first["id"] == 0 and first["name"] == torch.cuda.get_device_name() and first["numSms"] > 0
    rows = trace["traceEvents"]

    def one(category, phase="X"):
        return next(r for r in rows if r.get("cat") == category and r["ph"] == phase)

    operator, launch, kernel, copy = one("cpu_op"), one("cuda_runtime"), one("kernel"), one("gpu_memcpy")
    assert (operator["name"], launch["name"], copy["name"]) == (
        "aten::exp",
        "cudaLaunchKernel",
        "Memcpy HtoD (Pageable -> Device)",
    )
    assert kernel["pid"] == 0 and kernel["tid"] == kernel["args"]["stream"] and launch["tid"] == operator["tid"]
    assert kernel["args"]["External id"] == operator["args"]["External id"] == launch["args"]["External id"]
    assert launch["args"]["correlation"] == kernel["args"]["correlation"] and launch["args"]["cbid"] > 0
    assert kernel["args"]["grid"][0] > 0 and kernel["args"]["block"][0] % 32 == 0 and copy["args"]["bytes"] == 40
    assert kernel["args"]["blocks per SM"] > 0 and 0 <= kernel["args"]["est. achieved occupancy %"] <= 100
    begin, end = one("ac2g", "s"), one("ac2g", "f")
    assert begin["id"] == end["id"] == kernel["args"]["correlation"] and end["bp"] == "e"
    assert (begin["tid"], begin["ts"]) == (launch["tid"], launch["ts"]) and (end["pid"], end["ts"]) == (0, kernel["ts"])
    named_rows = {(r["name"], r["pid"], r["tid"]): r["args"] for r in rows if r["ph"] == "M"}
    assert named_rows["process_labels", 0, 0] == {"labels": "GPU 0"}
    assert named_rows["thread_name", 0, kernel["tid"]] == {"name": f"stream {kernel['tid']}"}
    memory = [r["args"] for r in rows if r["name"] == "[memory]" and r["args"]["Device Type"] == 1]
    assert memory and memory[0]["Device Id"] == 0 and memory[0]["Total Reserved"] >= memory[0]["Total Allocated"] > 0


def test_activities():
    assert supported_activities() == set(BOTH)
    assert profile().use_device == "cuda"
    with profile(activities=[ProfilerActivity.CUDA]) as prof:
        torch.rand(10, device="cuda").exp()
    names = [e.name for e in prof.events()]
    assert any(map(is_launch, names)) and on_device(prof.events()) and "aten::exp" not in names
    with autograd_profiler.profile(use_device="cuda") as prof:
        torch.rand(10, device="cuda").exp()
    assert prof.use_device == "cuda" and named(prof.function_events, "aten::exp").cuda_time_total > 0
    with pytest.warns(FutureWarning, match="use_cuda"):
        assert autograd_profiler.profile(use_cuda=True).use_device == "cuda"


def test_toggled_collection():
    x = torch.rand(10, device="cuda")
    with profile(activities=BOTH) as prof:
        prof.toggle_collection_dynamic(False, [ProfilerActivity.CUDA])
        x.exp()
        torch.cuda.synchronize()
        prof.toggle_collection_dynamic(True, [ProfilerActivity.CUDA])
        prof.toggle_collection_dynamic(False, [ProfilerActivity.CPU])
        x.sin()
        torch.cuda.synchronize()
        prof.toggle_collection_dynamic(True, [ProfilerActivity.CPU])
    assert "aten::exp" in [e.name for e in prof.events()] and "aten::sin" not in [e.name for e in prof.events()]
    (kernel,) = on_device(prof.events())
    assert "sin" in kernel.name.lower()


def test_profiles_in_profiles():
    x = torch.rand(10, device="cuda")
    with profile(activities=BOTH) as outer:
        x.exp()
        torch.cuda.synchronize()
        with profile(activities=BOTH) as inner:
            x.sin()
        x.cos()
    assert [len(named(inner.events(), "aten::sin").kernels), len(on_device(inner.events()))] == [1, 1]
    assert [len(named(outer.events(), f"aten::{name}").kernels) for name in ("exp", "sin", "cos")] == [1, 1, 1]


def test_nothing_is_left_of_an_earlier_profile():
    x = torch.rand(10, device="cuda")
    mine = record_function("mine")
    with profile(activities=BOTH):
        mine.__enter__()
        x.exp()
    mine.__exit__(None, None, None)
    with profile(activities=BOTH) as prof:
        x.sin()
    assert len(on_device(prof.events())) == 1
    assert [len(e.kernels) for e in prof.events() if e.name == "aten::sin"] == [1]


def test_schedules_and_accumulated_events():
    ready = []
    schedule = torch.profiler.schedule(wait=1, warmup=1, active=1, repeat=2)
    x = torch.rand(10, device="cuda")
    with profile(activities=BOTH, schedule=schedule, on_trace_ready=lambda p: ready.append(len(on_device(p.events())))) as prof:
        for _ in range(6):
            x.exp()
            prof.step()
    assert ready == [1, 1]


def test_a_profile_that_is_prepared_and_not_started():
    prof = torch.profiler.profile(activities=BOTH)
    prof.prepare_trace()
    torch.rand(10, device="cuda").exp()
    torch.cuda.synchronize()
    prof.prepare_trace()
    prof.start_trace()
    torch.rand(10, device="cuda").sin()
    prof.stop_trace()
    assert len([e for e in on_device(prof.events()) if "exp" in e.name.lower()]) == 0
    assert len(named(prof.events(), "aten::sin").kernels) == 1
    extension = torch.cuda._runtime.extension()
    with pytest.raises(RuntimeError, match="not recorded"):  # every one has ended
        extension.stop_activities(0, 0)


def test_python_functions():
    def inner(x):
        return x.exp()

    x = torch.rand(10, device="cuda")
    with profile(activities=BOTH, with_stack=True) as prof:
        inner(x)
    function = next(e for e in prof.events() if e.name.endswith(": inner"))
    assert function.device_time_total == on_device(prof.events())[0].time_range.elapsed_us()


@emulated  # the lines come from its NVTX
def test_ranges_of_nvtx():
    library = ctypes.CDLL(os.path.join(torch.__path__[0], "lib", "libc10_cuda_emulated.so"))
    library.torch_emulated_nvtx_lines.restype = ctypes.c_char_p
    library.torch_emulated_nvtx_lines()
    x = torch.rand(2, 3, device="cuda", requires_grad=True)
    with autograd_profiler.emit_nvtx():
        with record_function("mine"):
            y = x.exp()
        y.sum().backward()
    lines = library.torch_emulated_nvtx_lines().decode().splitlines()
    assert lines[0] == "push mine" and lines[1].startswith("push aten::exp, seq = ") and lines[2:4] == ["pop", "pop"]
    number = lines[1].rpartition(" ")[2]
    assert f"push ExpBackward0, seq = {number}" in lines
    assert sum(line == "pop" for line in lines) == sum(line.startswith("push ") for line in lines)
    with autograd_profiler.emit_nvtx(record_shapes=True):
        torch.cat([x + 1, x])
    lines = library.torch_emulated_nvtx_lines().decode()
    assert re.search(r"^push aten::add, seq = \d+, sizes = \[\[2, 3\], \[\], \[\]\]$", lines, re.MULTILINE)
    assert "sizes = [[[2, 3], [2, 3]], []]" in lines
    x.exp()
    assert library.torch_emulated_nvtx_lines() == b""
    torch.cuda.nvtx.range_push("own")
    assert torch.cuda.nvtx.range_pop() == 0 and library.torch_emulated_nvtx_lines() == b"push own\npop\n"


def test_emit_nvtx_is_entered_once():
    if not hasattr(torch.cuda._runtime.extension(), "nvtx_mark"):
        pytest.skip("built without NVTX")
    marker = autograd_profiler.emit_nvtx()
    with marker, profile(activities=BOTH) as prof:
        torch.rand(10, device="cuda").exp()
    assert len(named(prof.events(), "aten::exp").kernels) == 1
    with pytest.raises(RuntimeError, match="not reentrant"):
        marker.__enter__()


def test_without_cupti_the_cpu_is_profiled(monkeypatch):
    def refuse():
        raise RuntimeError("cannot open libcupti.so.13")

    extension = torch.cuda._runtime.extension()
    monkeypatch.setattr(extension, "start_activities", refuse)
    with pytest.warns(UserWarning, match="the work of GPUs is not recorded: cannot open libcupti"):
        prof = profile(activities=BOTH).__enter__()
    x = torch.rand(10, device="cuda").exp()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        prof.__exit__(None, None, None)
    assert "aten::exp" in [e.name for e in prof.events()] and on_device(prof.events()) == [] and x.device.type == "cuda"
