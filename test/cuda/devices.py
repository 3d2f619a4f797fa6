"""Devices, streams, events, memory and errors of the emulated CUDA device."""

import os
import subprocess
import sys

import pytest
from gpus import IS_EMULATED, LAST, emulated, two_devices

import torch


def in_new_process(code, **environment):
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, env={**os.environ, **environment}
    )
    return done.returncode, done.stdout + done.stderr


def test_devices():
    expected = int(os.environ.get("TORCH_CUDA_EMULATED_DEVICES", "2")) if IS_EMULATED else torch.cuda.device_count()
    assert torch.cuda.is_available() and torch.cuda.device_count() == expected > 0
    assert torch.cuda.current_device() == 0
    with torch.cuda.device(LAST):
        assert torch.ones(1, device="cuda").device == LAST
    assert torch.cuda.current_device() == 0
    properties = torch.cuda.get_device_properties(LAST)
    assert properties.warp_size == 32
    assert repr(properties).startswith(f"_CudaDeviceProperties(name='{torch.cuda.get_device_name(LAST)}', major=")
    assert f"total_memory={properties.total_memory >> 20}MB" in repr(properties)


def test_import_loads_no_backend():
    code = "import torch; maps = open('/proc/self/maps').read(); assert 'c10_cuda' not in maps"
    assert in_new_process(code)[0] == 0


@emulated
def test_it_says_what_it_is():
    code, output = in_new_process("import torch, warnings; warnings.simplefilter('default'); torch.cuda.is_available()")
    assert code == 0 and "run on the CPU" in output


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int64, torch.bool, torch.complex64])
def test_copies(dtype):
    x = torch.arange(24).reshape(2, 3, 4).to(dtype)
    y = x.cuda()
    assert y.is_cuda and torch.equal(y.cpu(), x)
    assert torch.equal(y.transpose(0, 2).cpu(), x.transpose(0, 2))
    assert torch.equal(y.transpose(0, 2).contiguous().cpu(), x.transpose(0, 2))
    assert torch.equal(y.to(LAST).cpu(), x) and y.to(LAST).device == LAST
    z = torch.zeros(4, 3, 2, device="cuda", dtype=torch.float64)
    if not dtype.is_complex:
        z.copy_(x.transpose(0, 2))
        assert torch.equal(z.cpu(), x.transpose(0, 2).double())


@pytest.mark.parametrize("source", [torch.int8, torch.uint8, torch.int64, torch.float16, torch.bfloat16, torch.float64])
@pytest.mark.parametrize("target", [torch.bool, torch.int16, torch.int64, torch.float16, torch.float32, torch.complex64])
def test_conversions(source, target):
    x = torch.tensor([[0, 1, 2], [3, 100, 77]]).to(source)
    assert torch.equal(x.cuda().to(target).cpu(), x.to(target))
    assert torch.equal(x.cuda().t().to(target).cpu(), x.t().to(target))


def test_overlapping_copy():
    x = torch.arange(10.0)
    y = x.cuda()
    y[1:] = y[:-1].clone()
    y[:-1] = y[1:]
    x[1:] = x[:-1].clone()
    x[:-1] = x[1:].clone()
    assert torch.equal(y.cpu(), x)


@emulated
def test_work_waits_on_its_stream():
    x = torch.ones(8).cuda()
    torch.cuda.synchronize()
    side = torch.cuda.Stream()
    x.add_(1)  # queued on the current stream, not run yet
    with torch.cuda.stream(side):
        early = x * 10
    side.synchronize()
    assert torch.equal(early.cpu(), torch.full((8,), 10.0))  # nobody said that it shall wait

    x.add_(1)
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        late = x * 10
    side.synchronize()
    assert torch.equal(late.cpu(), torch.full((8,), 30.0))


def test_events():
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    torch.ones(1000, device="cuda").exp()
    end.record()
    end.synchronize()
    assert end.query() and start.elapsed_time(end) >= 0
    with pytest.raises(RuntimeError, match="must be recorded"):
        start.elapsed_time(torch.cuda.Event(enable_timing=True))


def test_current_streams():
    assert torch.cuda.current_stream() == torch.cuda.default_stream()
    side = torch.cuda.Stream(priority=-1)
    assert side.priority < 0 and side.cuda_stream != 0 and torch.cuda.default_stream().cuda_stream == 0
    with torch.cuda.stream(side):
        assert torch.cuda.current_stream() == side
    assert torch.cuda.current_stream() == torch.cuda.default_stream()


@emulated
def test_host_cannot_touch_device_memory():
    code = "import torch, ctypes; x = torch.ones(4, device='cuda'); torch.cuda.synchronize(); ctypes.string_at(x.data_ptr(), 4)"
    status, text = in_new_process(code)
    assert status < 0 or "Segmentation fault" in text or "AddressSanitizer: SEGV" in text


def test_memory_is_reused_and_counted():
    torch.cuda.empty_cache()
    before = torch.cuda.memory_allocated()
    x = torch.empty(1000, 1000, device="cuda")
    address = x.data_ptr()
    assert torch.cuda.memory_allocated() - before == 4_000_256  # in steps of 512 bytes
    assert torch.cuda.memory_reserved() >= 4_000_000
    torch.cuda.reset_peak_memory_stats()
    del x
    assert torch.cuda.memory_allocated() == before and torch.cuda.max_memory_allocated() >= 4_000_000
    assert torch.empty(1000, 1000, device="cuda").data_ptr() == address
    torch.cuda.empty_cache()
    assert torch.cuda.memory_stats()["num_device_free"] > 0
    segments = torch.cuda.memory_snapshot()
    assert all(s["total_size"] == sum(b["size"] for b in s["blocks"]) for s in segments)


def test_blocks_are_split_and_merged():
    torch.cuda.empty_cache()
    parts = [torch.empty(200_000, dtype=torch.uint8, device="cuda") for _ in range(10)]
    reserved = torch.cuda.memory_stats()["segment.small_pool.current"]
    assert reserved <= 3
    del parts[::2]
    del parts
    torch.cuda.empty_cache()
    assert torch.cuda.memory_stats()["inactive_split.all.current"] <= 2


def test_record_stream_keeps_memory():
    side = torch.cuda.Stream()
    x = torch.ones(1 << 20, device="cuda")
    address = x.data_ptr()
    torch.cuda.synchronize()
    with torch.cuda.stream(side):
        torch.cuda._sleep(10_000_000)
        y = x * 2
        x.record_stream(side)
    del x
    other = torch.empty(1 << 20, device="cuda")
    assert other.data_ptr() != address
    side.synchronize()
    assert y.sum().item() == 2 << 20


def test_out_of_memory():
    with pytest.raises(torch.OutOfMemoryError, match=r"tried to allocate 1024.00 GiB on cuda:0.*GiB free"):
        torch.empty(1 << 40, dtype=torch.uint8, device="cuda")
    torch.cuda.set_per_process_memory_fraction(0.01)
    try:
        with pytest.raises(torch.cuda.OutOfMemoryError, match="may use 1 % of the memory"):
            torch.empty(torch.cuda.mem_get_info()[1] // 50, dtype=torch.uint8, device="cuda")
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0)


def test_bad_devices():
    with pytest.raises(RuntimeError, match="no device of that number; this process sees"):
        torch.ones(1, device="cuda:7")
    with pytest.raises(RuntimeError, match="cuda:0 and cpu|cpu and cuda:0"):
        torch.ones(2, device="cuda") + torch.ones(2)
    with pytest.raises(ValueError, match="Expected a cuda device"):
        torch.cuda.synchronize("cpu")
    code, output = in_new_process("import torch; torch.ones(1, device='cuda')", CUDA_VISIBLE_DEVICES="")
    assert code == 1 and "No CUDA GPUs are available" in output


@two_devices
def test_tensors_on_two_devices():
    with pytest.raises(RuntimeError, match="cuda:0 and cuda:1"):
        torch.ones(2, device="cuda") + torch.ones(2, device="cuda:1")


FORK = """
import os, torch
x = None
{parent}
if os.fork() == 0:
    torch.manual_seed(0)  # no use of CUDA: workers that load data do it
    assert torch.cuda._is_in_bad_fork()
    x = None
    try:
        {child}
    except RuntimeError as e:
        os._exit(0 if "forked" in str(e) else 2)
    os._exit(1)
raise SystemExit(os.waitstatus_to_exitcode(os.wait()[1]))
"""


@pytest.mark.parametrize(
    "parent",
    [
        "torch.cuda.init()",
        "torch.cuda.is_available()",
        f"torch.cuda.set_device({LAST.index})",
        "x = torch.ones(1, device='cuda')",
    ],
)
def test_a_forked_child_is_told(parent):
    code, output = in_new_process(FORK.format(parent=parent, child="torch.ones(1, device='cuda')"))
    assert code == 0, output


@pytest.mark.parametrize(
    "child", ["torch.cuda.current_device()", "torch.cuda.synchronize()", "torch.cuda.Stream()", "torch.ones(1).pin_memory()"]
)
def test_a_forked_child_is_told_by_every_call(child):
    code, output = in_new_process(FORK.format(parent="x = torch.ones(1, device='cuda')", child=child))
    assert code == 0, output


def test_a_child_that_uses_no_gpu_goes_on():
    code = """
import torch
def work():
    torch.manual_seed(1)
    assert torch.ones(3).sum() == 3
if __name__ == "__main__":
    x = torch.ones(1 << 20, device="cuda")
    side = torch.cuda.Stream()
    x.record_stream(side)
    child = torch.multiprocessing.get_context("fork").Process(target=work)
    child.start()
    child.join()
    assert child.exitcode == 0 and not torch.cuda._is_in_bad_fork() and x.sum() == 1 << 20
"""
    code, output = in_new_process(code)
    assert code == 0, output


@pytest.mark.parametrize(
    "call",
    [
        "current_stream(7)", "default_stream(7)", "Stream(7)", "ExternalStream(2, 7)", "set_device(7)", "synchronize(7)",
        "get_device_properties(7)", "memory_stats(7)", "mem_get_info(7)", "get_rng_state(7)", "set_device(300)",
        "device(7).__enter__()", "memory_allocated('cuda:7')", "get_device_name(7)",
    ],
)  # fmt: skip
def test_indices_out_of_range_are_named(call):
    number = "300" if "300" in call else "7"
    with pytest.raises(RuntimeError, match=f"cuda:{number}: there is no device of that number; this process sees"):
        eval(f"torch.cuda.{call}")


def test_sleep():
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    torch.cuda._sleep(6_000_000)
    end.record()
    end.synchronize()
    assert start.elapsed_time(end) > 0.5  # milliseconds; no GPU has a clock of 6 GHz


def test_calls_that_wait_for_the_first_use():
    code = """
import torch
calls = []
torch.cuda._lazy_call(lambda: calls.append(1), seed=True)
assert not calls and not torch.cuda.is_initialized()
torch.cuda._lazy_init()
assert calls == [1] and torch.cuda.is_initialized()
torch.cuda._lazy_call(lambda: calls.append(2))
assert calls == [1, 2]
"""
    assert in_new_process(code) == (0, "")
    code = """
import torch
torch.cuda._lazy_call(lambda: 1 / 0)
try:
    torch.cuda.init()
except torch.cuda.DeferredCudaCallError as e:
    assert "division by zero" in str(e) and '"<string>", line 3' in str(e)
else:
    raise SystemExit(1)
"""
    assert in_new_process(code) == (0, "")


def test_handles_of_libraries():
    assert torch.cuda.current_blas_handle() and torch.cuda.current_solver_handle()
    assert torch.cuda.comm.broadcast(torch.ones(1, device="cuda"), [0, LAST.index])[-1].device == LAST


def test_missing_kernels_are_named():
    x = torch.ones(1, 1, 2, 4, device="cuda")
    with pytest.raises(NotImplementedError, match="flash_attention_for_cpu.*CUDA"):
        torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(x, x, x)


def test_gradients():
    x = torch.randn(5, 7)
    y = x.cuda().requires_grad_()
    x.requires_grad_()
    for t in (x, y):
        ((t.exp() * t).sum(0) - t.mean(1, keepdim=True).sin().sum()).abs().mean().backward()
    torch.testing.assert_close(y.grad.cpu(), x.grad)


def test_printing_and_saving(tmp_path):
    x = torch.arange(3.0, device="cuda")
    assert repr(x) == "tensor([0., 1., 2.], device='cuda:0')"
    torch.save(x, tmp_path / "x.pt")
    assert torch.load(tmp_path / "x.pt").device.type == "cuda"
    assert torch.load(tmp_path / "x.pt", map_location="cpu").device.type == "cpu"


def test_gradients_return_to_their_device():
    x = torch.ones(3, requires_grad=True)
    y = torch.zeros(3, device="cuda")
    y.copy_(x)
    (y + x.cuda().double() * 2).sum().backward()
    assert x.grad.device.type == "cpu" and x.grad.tolist() == [3.0, 3.0, 3.0]


@emulated
def test_reports_name_the_device():
    code = "from torch.utils import collect_env; print(collect_env.get_pretty_env_info())"
    status, text = in_new_process(code)
    assert status == 0 and "CUDA used to build PyTorch: an emulated device" in text and "Is CUDA available: True" in text
    assert "emulated device" in torch.__config__.show()
