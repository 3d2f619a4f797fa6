"""Pinned memory, private pools, and what else torch.cuda says about memory and streams."""

import pytest
from gpus import emulated

import torch


def test_pinned_tensors():
    x = torch.arange(6.0).reshape(2, 3)
    assert not x.is_pinned()
    y = x.pin_memory()
    assert y.is_pinned() and y.is_pinned("cuda") and y.device.type == "cpu" and torch.equal(x, y)
    assert y.pin_memory() is y or y.pin_memory().data_ptr() == y.data_ptr()
    assert y[1:].is_pinned() and y.t().is_pinned() and y.untyped_storage().is_pinned()
    assert x.t().pin_memory().stride() == x.t().stride()
    assert not (y + 1).is_pinned()
    with pytest.raises(RuntimeError, match="only dense CPU tensors"):
        x.cuda().pin_memory()


@pytest.mark.parametrize(
    "make",
    [
        lambda **o: torch.empty(3, 4, **o),
        lambda **o: torch.zeros(5, **o),
        lambda **o: torch.full((2,), 3, **o),
        lambda **o: torch.rand(4, **o),
        lambda **o: torch.arange(7, **o),
        lambda **o: torch.linspace(0, 1, 5, **o),
        lambda **o: torch.eye(3, **o),
        lambda **o: torch.hann_window(9, **o),
        lambda **o: torch.tensor([1, 2], **o),
        lambda **o: torch.empty_strided((2, 3), (1, 2), **o),
        lambda **o: torch.ones(3).new_zeros(2, **o),
        lambda **o: torch.zeros_like(torch.ones(3), **o),
    ],
)
def test_factories_make_pinned_tensors(make):
    assert make(pin_memory=True).is_pinned() and not make(pin_memory=False).is_pinned()


def test_factories_on_a_gpu_pin_nothing():
    with pytest.raises(RuntimeError, match="pin_memory=True is for tensors on the CPU"):
        torch.zeros(3, device="cuda", pin_memory=True)


@emulated
def test_copies_that_do_not_wait():
    x = torch.arange(1000.0).pin_memory()
    y = x.to("cuda", non_blocking=True)
    address = x.data_ptr()
    del x
    z = torch.full((1000,), 7.0).pin_memory()
    assert z.data_ptr() != address  # the copy has not run, so its source is not reused
    assert torch.equal(y.cpu(), torch.arange(1000.0))
    back = torch.empty(1000, pin_memory=True)
    back.copy_(y, non_blocking=True)
    torch.cuda.synchronize()
    assert torch.equal(back, torch.arange(1000.0))


def test_pinned_memory_is_reused_and_counted():
    x = torch.empty(1 << 16, dtype=torch.uint8, pin_memory=True)
    address = x.data_ptr()
    before = torch.cuda.host_memory_stats()
    assert before["active_bytes.current"] >= 1 << 16
    del x
    x = torch.empty(1 << 16, dtype=torch.uint8, pin_memory=True)
    assert x.data_ptr() == address
    after = torch.cuda.host_memory_stats()
    assert after["num_host_alloc"] == before["num_host_alloc"]
    assert torch.cuda.host_memory_stats_as_nested_dict()["active_bytes"]["peak"] >= 1 << 16


def test_storages_are_pinned():
    storage = torch.arange(4).untyped_storage()
    assert storage.pin_memory().is_pinned() and storage.pin_memory().tolist() == storage.tolist()


@pytest.mark.parametrize("workers", [0, 1])
def test_a_data_loader_pins_its_batches(workers):
    data = torch.utils.data.TensorDataset(torch.arange(6.0), torch.arange(6))
    for a, b in torch.utils.data.DataLoader(data, batch_size=3, pin_memory=True, num_workers=workers):
        assert a.is_pinned() and b.is_pinned()


def test_structures_are_pinned():
    from torch.utils.data._pin_memory import pin_memory

    class Batch:
        def __init__(self):
            self.x = torch.ones(2)

        def pin_memory(self):
            self.x = self.x.pin_memory()
            return self

    made = pin_memory({"a": torch.ones(1), "b": ["text", (torch.ones(1), 3)], "c": Batch()})
    assert made["a"].is_pinned() and made["b"][0] == "text" and made["b"][1][0].is_pinned() and made["c"].x.is_pinned()


def test_pools():
    pool = torch.cuda.MemPool()
    with torch.cuda.use_mem_pool(pool):
        inside = torch.ones(1000, device="cuda")
    outside = torch.ones(1000, device="cuda")
    segments = pool.snapshot()
    assert len(segments) == 1 and pool.use_count() == 1
    first, last = segments[0]["address"], segments[0]["address"] + segments[0]["total_size"]
    assert first <= inside.data_ptr() < last and not first <= outside.data_ptr() < last
    with torch.cuda.use_mem_pool(pool):
        assert first <= torch.ones(10, device="cuda").data_ptr() < last
    number = pool.id
    del inside, pool
    torch.cuda.empty_cache()
    assert not [s for s in torch.cuda.memory_snapshot() if s["segment_pool_id"] == number]


def test_waits_are_found():
    x = torch.ones(3, device="cuda")
    try:
        torch.cuda.set_sync_debug_mode("error")
        with pytest.raises(RuntimeError, match="waits for cuda:0"):
            x.sum().item()
        torch.cuda.set_sync_debug_mode(1)
        assert torch.cuda.get_sync_debug_mode() == 1
        with pytest.warns(UserWarning, match="waits for"):
            x.cpu()
        with pytest.raises(RuntimeError, match="expected"):
            torch.cuda.set_sync_debug_mode("loud")
    finally:
        torch.cuda.set_sync_debug_mode("default")
    assert x.sum().item() == 3


def test_streams_of_others():
    mine = torch.cuda.Stream()
    other = torch.cuda.ExternalStream(mine.cuda_stream)
    assert other.cuda_stream == mine.cuda_stream
    with torch.cuda.stream(other):
        y = torch.ones(3, device="cuda") + 1
    other.synchronize()
    assert y.tolist() == [2, 2, 2]
    assert torch.cuda.get_stream_from_external(mine.cuda_stream).cuda_stream == mine.cuda_stream


def test_single_calls_of_the_runtime():
    runtime = torch.cuda.cudart()
    torch.cuda.check_error(runtime.cudaProfilerStart())
    torch.cuda.check_error(runtime.cudaProfilerStop())
    free, total = runtime.cudaMemGetInfo(0)
    assert 0 < free <= total
    x = torch.zeros(4096)
    torch.cuda.check_error(runtime.cudaHostRegister(x.data_ptr(), x.nbytes, 0))
    assert x.is_pinned()
    torch.cuda.check_error(runtime.cudaHostUnregister(x.data_ptr()))
    assert not x.is_pinned()
    with pytest.raises(torch.cuda.CudaError):
        torch.cuda.check_error(runtime.cudaHostUnregister(x.data_ptr()))


@emulated
def test_the_emulated_device_has_no_load():
    with pytest.raises(RuntimeError, match="emulated"):
        torch.cuda.utilization()
    assert torch.cuda.get_arch_list() == [] and torch.cuda.get_gencode_flags() == ""
