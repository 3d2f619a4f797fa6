"""The history of device memory and its snapshots, allocators of programs, old types, and memory that is not kept."""

import pickle
import subprocess
import sys

import device_allocator
import pytest

import torch

PROGRAM = """
import ctypes, sys, torch
torch.cuda.init()
ctypes.CDLL(sys.argv[2], mode=ctypes.RTLD_GLOBAL)
mine = torch.cuda.CUDAPluggableAllocator(sys.argv[1], "my_alloc", "my_free")
torch.cuda.memory.change_current_allocator(mine)
assert torch.cuda.get_allocator_backend() == "pluggable"
library = ctypes.CDLL(sys.argv[1])
x = torch.arange(1000, device="cuda")
assert library.my_total() >= 8000 and library.my_count() > 0
assert (x + 1).sum().item() == 500500
del x
torch.cuda.synchronize()
assert library.my_total() == 0, library.my_total()
try:
    torch.cuda.CUDAPluggableAllocator(sys.argv[1], "other", "my_free")
except RuntimeError as error:
    assert "has no function other" in str(error)
"""


@pytest.fixture
def recording():
    yield torch.cuda.memory._record_memory_history
    torch.cuda.memory._record_memory_history(None)


def make_a_tensor():
    return torch.empty(3 << 20, dtype=torch.uint8, device="cuda")


def test_events_with_stacks(recording, tmp_path):
    torch.cuda.empty_cache()
    recording(max_entries=100)
    x = make_a_tensor()
    address = x.data_ptr()
    del x
    torch.cuda.empty_cache()
    kept = make_a_tensor()
    torch.cuda.memory._dump_snapshot(str(tmp_path / "snapshot.pickle"))
    snapshot = pickle.loads((tmp_path / "snapshot.pickle").read_bytes())
    assert set(snapshot) == {"segments", "device_traces", "allocator_settings", "external_annotations"}
    events = snapshot["device_traces"][torch.cuda.current_device()]
    assert len(snapshot["device_traces"]) == torch.cuda.device_count()
    named = [e["action"] for e in events if e.get("addr") == address]
    assert named[:5] == ["segment_alloc", "alloc", "free_requested", "free_completed", "segment_free"]
    first = next(e for e in events if e["action"] == "alloc")
    assert first["size"] == 3 << 20 and first["frames"][0]["name"] == "make_a_tensor"
    assert first["frames"][0]["filename"] == __file__ and first["frames"][1]["name"] == "test_events_with_stacks"
    assert [e["time_us"] for e in events] == sorted(e["time_us"] for e in events)
    blocks = [b for s in snapshot["segments"] for b in s["blocks"] if b["state"] == "active_allocated" and b["frames"]]
    assert [b["frames"][0]["name"] for b in blocks] == ["make_a_tensor"]
    del kept


def test_settings_of_the_history(recording):
    recording(context="state", clear_history=True)
    kept = make_a_tensor()
    assert all(not e["frames"] for e in torch.cuda.memory._snapshot()["device_traces"][0] if e["action"] != "alloc")
    recording("state", clear_history=True)
    more = make_a_tensor()
    found = torch.cuda.memory._snapshot()
    assert not any(found["device_traces"])
    assert sum(bool(b["frames"]) for s in found["segments"] for b in s["blocks"]) == 2
    recording(max_entries=3, clear_history=True)
    for _ in range(5):
        make_a_tensor()
    assert len(torch.cuda.memory._snapshot()["device_traces"][0]) == 3
    recording(None)
    assert not any(torch.cuda.memory._snapshot()["device_traces"])
    del kept, more
    for wrong in ({"enabled": "some"}, {"context": "none"}, {"stacks": "cpp"}):
        with pytest.raises(ValueError, match="_record_memory_history"):
            recording(**wrong)


def test_out_of_memory_is_an_event(recording):
    recording()
    with pytest.raises(torch.cuda.OutOfMemoryError):
        torch.empty(1 << 50, dtype=torch.uint8, device="cuda")
    events = torch.cuda.memory._snapshot()["device_traces"][0]
    assert events[-1]["action"] == "oom" and events[-1]["size"] == 1 << 50 and events[-1]["device_free"] > 0


def test_skipped_actions(recording):
    torch.cuda.empty_cache()
    recording(skip_actions=["free_requested", "segment_alloc"], compile_context=True, clear_history=True)
    x = make_a_tensor()
    del x
    actions = {e["action"] for e in torch.cuda.memory._snapshot()["device_traces"][0]}
    assert actions == {"alloc", "free_completed"}
    with pytest.raises(ValueError, match="skip_actions has .'frees'"):
        recording(skip_actions=["frees"])


def test_observers_of_out_of_memory():
    seen = []
    torch._C._cuda_attach_out_of_memory_observer(lambda *facts: seen.append(facts))
    with pytest.raises(torch.cuda.OutOfMemoryError):
        torch.empty(1 << 50, dtype=torch.uint8, device="cuda")
    ((device, asked, total, free),) = seen
    assert device == torch.cuda.current_device() and asked == 1 << 50
    assert (free, total) == torch.cuda.mem_get_info()


def test_memory_that_is_not_kept():
    torch.cuda.empty_cache()
    before = torch.cuda.memory_reserved()
    with torch.cuda.memory.caching_allocator_disabled():
        x = torch.empty(1000, dtype=torch.uint8, device="cuda")
        assert torch.cuda.memory_reserved() == before + 1000
        del x
        assert torch.cuda.memory_reserved() == before
    x = torch.empty(1000, dtype=torch.uint8, device="cuda")
    del x
    assert torch.cuda.memory_reserved() > before
    torch.cuda.empty_cache()


def test_statistics_of_pinned_memory():
    x = torch.empty(1 << 20, dtype=torch.uint8, pin_memory=True)
    del x
    assert torch.cuda.host_memory_stats()["active_bytes.peak"] >= 1 << 20
    torch.cuda.memory.reset_peak_host_memory_stats()
    torch.cuda.memory.reset_accumulated_host_memory_stats()
    stats = torch.cuda.host_memory_stats()
    assert stats["active_bytes.peak"] == stats["active_bytes.current"] and stats["num_host_alloc"] == 0


def test_an_allocator_of_the_program(tmp_path):
    library = device_allocator.build(tmp_path)
    subprocess.run([sys.executable, "-W", "ignore", "-c", PROGRAM, library, device_allocator.runtime()], check=True)
    x = torch.ones(1, device="cuda")
    mine = torch.cuda.memory.CUDAPluggableAllocator(library, "my_alloc", "my_free")
    with pytest.raises(RuntimeError, match="device memory was allocated before"):
        torch.cuda.memory.change_current_allocator(mine)
    with pytest.raises(RuntimeError, match="cannot open"):
        torch.cuda.memory.CUDAPluggableAllocator("/nowhere.so", "a", "b")
    with pytest.raises(TypeError, match="CUDAPluggableAllocator"):
        torch.cuda.memory.change_current_allocator(x)


def test_old_types():
    x = torch.cuda.FloatTensor(2, 3)
    assert x.shape == (2, 3) and x.dtype == torch.float32 and x.device.type == "cuda"
    assert torch.cuda.LongTensor([1, 2]).tolist() == [1, 2] and torch.cuda.LongTensor([1, 2]).is_cuda
    assert isinstance(x, torch.cuda.FloatTensor) and not isinstance(x, torch.FloatTensor)
    assert not isinstance(x.cpu(), torch.cuda.FloatTensor) and x.type() == "torch.cuda.FloatTensor"
    assert repr(torch.cuda.HalfTensor) == "<class 'torch.cuda.HalfTensor'>"
    storage = torch.cuda.FloatStorage(3)
    assert storage.nbytes() == 12 and storage.device.type == "cuda"
    assert torch.cuda.IntStorage([1, 2]).tolist() == [1, 2]
    torch.set_default_tensor_type(torch.cuda.DoubleTensor)
    try:
        assert torch.zeros(1).device.type == "cuda" and torch.zeros(1).dtype == torch.float64
    finally:
        torch.set_default_tensor_type(torch.FloatTensor)
    assert torch.zeros(1).device.type == "cpu" and torch.zeros(1).dtype == torch.float32
    assert torch.as_tensor(x).is_cuda  # no device is asked for any more


def test_handles_of_libraries():
    handle = torch.cuda.current_blas_handle()
    assert handle and handle == torch.cuda.current_blas_handle()
