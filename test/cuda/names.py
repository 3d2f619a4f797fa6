"""Names of PyTorch's that other packages use, such as Triton: in torch._C, torch.cuda and torch.cuda._utils."""

import pytest
from gpus import LAST

import torch
from torch import _utils
from torch._C import _cuda_getCurrentRawStream
from torch.cuda._utils import _get_device_index


def test_streams():
    assert _cuda_getCurrentRawStream(0) == torch.cuda.current_stream(0).cuda_stream == 0
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        assert _cuda_getCurrentRawStream(0) == stream.cuda_stream != 0
        numbers = torch._C._cuda_getCurrentStream(0)
    assert numbers == (stream.stream_id, stream.device_index, stream.device_type)
    assert torch._C._cuda_getDefaultStream(0)[:2] == (0, 0)
    torch.cuda._set_stream_by_id(*numbers)
    assert torch.cuda.current_stream() == stream
    torch._C._cuda_setStream(
        **dict(zip(("stream_id", "device_index", "device_type"), torch._C._cuda_getDefaultStream(0), strict=True))
    )
    assert torch.cuda.current_stream() == torch.cuda.default_stream()
    with pytest.raises(RuntimeError, match="there is no device"):
        _cuda_getCurrentRawStream(99)


def test_devices():
    assert torch._C._cuda_getDeviceCount() == torch.cuda.device_count() and torch._C._cuda_getDevice() == 0
    assert torch._C._cuda_exchangeDevice(LAST.index) == 0 == torch._C._cuda_maybeExchangeDevice(-1) + 1
    assert torch._C._cuda_getDevice() == LAST.index == torch.cuda._exchange_device(0)
    with torch.cuda._DeviceGuard(LAST.index):
        assert torch.cuda.current_device() == LAST.index
    assert isinstance(torch.cuda.get_device_properties(0), torch._C._CudaDeviceProperties)
    assert torch._C._CudaDeviceProperties is torch.cuda._CudaDeviceProperties
    assert issubclass(torch.cuda.Stream, torch._C._CudaStreamBase) and issubclass(torch.cuda.Event, torch._C._CudaEventBase)
    assert torch._C._cuda_getCompiledVersion() >= 13000 and torch.cuda.AcceleratorError is torch.AcceleratorError
    assert not torch._C._cuda_isInBadFork() and not torch._C._cuda_isCurrentStreamCapturing()
    torch._C._cuda_synchronize()
    assert not hasattr(torch._C, "_cuda_no_such_name")


def test_numbers_of_devices():
    for function in (_get_device_index, torch.cuda._get_device_index, _utils._get_device_index):
        assert function("cuda:1") == 1 == function(torch.device("cuda", 1)) and function(3) == 3
        assert function("cpu", allow_cpu=True) == -1
        assert function(None, optional=True) == 0 == function("cuda", optional=True)
        for given in (None, "cuda", 2.5):
            with pytest.raises(ValueError, match="number"):
                function(given)
    assert _get_device_index(torch.cuda.device(1)) == 1
    with pytest.raises(ValueError, match="Expected a cuda device, but got: cpu"):
        _get_device_index("cpu")
    assert _utils._get_all_device_indices() == list(range(torch.cuda.device_count()))
    assert _utils._get_available_device_type() == "cuda" and _utils._get_current_device_index() == 0


def test_pools():
    pool = torch.cuda.graph_pool_handle()
    torch._C._cuda_beginAllocateCurrentThreadToPool(0, pool)
    x = torch.ones(3, device="cuda")
    torch._C._cuda_endAllocateToPool(0, pool)
    found = [s for s in torch.cuda.memory_snapshot() if s["segment_pool_id"] == pool]
    assert len(found) == 1 and found[0]["address"] <= x.data_ptr() < found[0]["address"] + found[0]["total_size"]
    torch._C._cuda_releasePool(0, pool)
    del x
    torch._C._cuda_emptyCache()
    assert not [s for s in torch.cuda.memory_snapshot() if s["segment_pool_id"] == pool]


def test_places_of_generators():
    torch.cuda.manual_seed(3)
    assert torch.cuda._get_rng_state_offset() == 0
    first = torch.rand(4, device="cuda")
    place = torch.cuda._get_rng_state_offset()
    assert place > 0
    torch.cuda._set_rng_state_offset(0)
    assert torch.equal(torch.rand(4, device="cuda"), first) and torch.cuda._get_rng_state_offset() == place
    assert torch.cuda._get_generator(torch.device("cuda")) is not None


def test_addresses_for_ctypes():
    stream, event = torch.cuda.Stream(), torch.cuda.Event()
    assert stream._as_parameter_.value == stream.cuda_stream and event.cuda_event == 0
    event.record(stream)
    assert event._as_parameter_.value == event.cuda_event != 0


@pytest.mark.parametrize("timing", [False, True])
def test_events_that_block(timing):
    first, last = (torch.cuda.Event(blocking=True, enable_timing=timing) for _ in range(2))
    first.record()
    x = torch.ones(1000, device="cuda").cumsum(0)
    last.record()
    last.synchronize()
    assert last.query() and x[-1].item() == 1000
    if timing:
        assert first.elapsed_time(last) >= 0


def test_clocks():
    facts = torch.cuda.get_device_properties()
    assert facts.clock_rate > 0 and facts.memory_clock_rate > 0 and facts.memory_bus_width > 0


def test_errors_of_the_runtime():
    runtime = torch.cuda.cudart()
    assert runtime.cudaProfilerStart() == runtime.cudaError.success
    assert runtime.cudaHostUnregister(4096) != runtime.cudaError.success
    runtime.cudaProfilerStop()
