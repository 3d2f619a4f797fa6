"""Options of the caching allocator, destroyed streams, and launches that block. Most tests have a process of their own."""

import pytest
from device_programs import in_new_process

import torch


def test_sizes_are_rounded_up_to_parts_of_powers_of_two():
    code = """
for mib, expected in ((4.01, {expected}), (5, 5), (0.001, 0.001)):
    x = make(mib)
    assert abs(torch.cuda.memory_allocated() / MIB - expected) < 0.01, (mib, torch.cuda.memory_allocated())
    del x
"""
    in_new_process(code.format(expected=5), PYTORCH_CUDA_ALLOC_CONF="roundup_power2_divisions:4")
    in_new_process(code.format(expected=4.01), PYTORCH_CUDA_ALLOC_CONF="")


def test_large_blocks_are_not_split():
    code = """
x = make(64)
del x
assert reserved() == 64
y = make(12)
assert (reserved() > 64) == {more}, reserved()
"""
    in_new_process(code.format(more=True), PYTORCH_CUDA_ALLOC_CONF="max_split_size_mb:32")
    in_new_process(code.format(more=False), PYTORCH_CUDA_ALLOC_CONF="")


def test_free_blocks_are_given_back_above_a_threshold():
    """Old blocks go before the limit is reached, and only as many as that takes."""
    code = """
limit(400)
blocks = [make(60) for _ in range(3)]
del blocks
assert reserved() == 180
big = make(100)
assert {low} <= reserved() <= {high}, reserved()
assert torch.cuda.memory_stats()["num_alloc_retries"] == 0
"""
    settings = "max_split_size_mb:21"
    in_new_process(code.format(low=280, high=280), PYTORCH_CUDA_ALLOC_CONF=settings)
    settings += ",garbage_collection_threshold:0.4"
    in_new_process(code.format(low=100, high=220), PYTORCH_CUDA_ALLOC_CONF=settings)


@pytest.mark.parametrize("name", ["garbage_collection_threshold:1.5", "max_split_size_mb:1"])
def test_values_that_mean_nothing(name):
    code = """
try:
    make(1)
except (RuntimeError, ValueError) as error:
    assert {option!r} in str(error), error
else:
    raise SystemExit("taken")
"""
    in_new_process(code.format(option=name.split(":")[0]), PYTORCH_CUDA_ALLOC_CONF=name)


@pytest.mark.parametrize("blocking", [False, True])
def test_launches_that_block(blocking):
    """The work of a blocking launch is done when the call returns."""
    code = """
x = torch.ones(1000, device="cuda")
torch.cuda.synchronize()
x.add_(1)
torch.cuda._sleep(100_000_000)
assert torch.cuda.current_stream().query() == {blocking}
assert x.sum().item() == 2000
"""
    in_new_process(code.format(blocking=blocking), CUDA_LAUNCH_BLOCKING=str(int(blocking)))


def test_destroyed_streams():
    """Also what the allocator keeps for one does not end the process."""
    code = """
import ctypes
runtime = torch.cuda.cudart()
handle = ctypes.c_void_p()
torch.cuda.check_error(runtime.cudaStreamCreate(ctypes.addressof(handle)))
stream = torch.cuda.ExternalStream(handle.value)
with torch.cuda.stream(stream):
    x = torch.ones(1000, device="cuda") * 2
x.record_stream(torch.cuda.current_stream())
stream.synchronize()
torch.cuda.check_error(runtime.cudaStreamDestroy(handle.value))
waits = lambda: stream.wait_stream(torch.cuda.current_stream())
for use in (stream.synchronize, stream.query, lambda: torch.cuda.Event().record(stream), waits):
    try:
        use()
    except RuntimeError as error:
        assert "destroyed" in str(error), error
    else:
        raise SystemExit(f"{use} took a destroyed stream")
assert x.sum().item() == 2000
del x
torch.cuda.empty_cache()
assert torch.ones(3, device="cuda").sum().item() == 3
"""
    in_new_process(code)


def test_events_of_two_devices():
    """An event belongs to the device that it was first recorded on; streams of all devices wait for it."""
    last = torch.device("cuda", torch.cuda.device_count() - 1)
    event = torch.cuda.Event()
    with torch.cuda.device(last):
        x = torch.ones(1000, device="cuda") + 1
        event.record()
    side = torch.cuda.Stream(0)
    side.wait_event(event)
    side.synchronize()
    assert event.query() and x.sum().item() == 2000
    if last.index > 0:
        with pytest.raises(RuntimeError, match="cannot be recorded on a stream of cuda:0"):
            event.record(torch.cuda.Stream(0))
