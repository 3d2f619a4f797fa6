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


def test_names_of_the_statistics():
    kinds = ("current", "peak", "allocated", "freed")
    pools = ("all", "small_pool", "large_pool")
    core = ("allocation", "allocated_bytes", "segment", "reserved_bytes", "active", "active_bytes", "inactive_split",
            "inactive_split_bytes", "requested_bytes")  # fmt: skip
    counters = {"num_alloc_retries", "num_ooms", "num_oom_rejections", "num_sync_all_streams", "num_device_alloc",
                "num_device_free", "max_split_size"}  # fmt: skip
    expected = {f"{name}.{pool}.{kind}" for name in core for pool in pools for kind in kinds} | counters
    expected |= {f"oversize_{name}.{kind}" for name in ("allocations", "segments") for kind in kinds}
    assert {name for name in torch.cuda.memory_stats() if "by_private_pools" not in name} == expected
    host = {f"{name}.{kind}" for name in ("allocations", "allocated_bytes", "active_requests", "active_bytes") for kind in kinds}
    times = {
        f"{name}.{kind}" for name in ("host_alloc_time", "host_free_time") for kind in ("total", "max", "min", "count", "avg")
    }
    assert set(torch.cuda.host_memory_stats()) == host | times | {"num_host_alloc", "num_host_free"}


def test_statistics_of_pinned_memory():
    torch.cuda.synchronize()
    torch.cuda.reset_accumulated_host_memory_stats()
    before = torch.cuda.host_memory_stats()
    assert before["host_alloc_time.count"] == before["allocations.allocated"] == 0
    x = torch.empty(3 << 20, dtype=torch.uint8, pin_memory=True)
    y = torch.empty(3 << 20, dtype=torch.uint8, pin_memory=True)
    now = torch.cuda.host_memory_stats()
    assert now["active_requests.current"] == before["active_requests.current"] + 2
    assert now["active_bytes.current"] == before["active_bytes.current"] + (8 << 20)
    assert now["active_requests.allocated"] == 2
    del x, y
    after = torch.cuda.host_memory_stats()
    assert after["active_requests.current"] == before["active_requests.current"] and after["active_requests.freed"] == 2
    assert after["active_bytes.peak"] >= after["active_bytes.current"] + (8 << 20)
    torch.cuda.reset_peak_host_memory_stats()
    assert torch.cuda.host_memory_stats()["active_bytes.peak"] == after["active_bytes.current"]
    made = after["num_host_alloc"]
    assert after["host_alloc_time.count"] == made and after["host_alloc_time.total"] >= after["host_alloc_time.max"] >= 0


def test_statistics_of_private_pools():
    pool = torch.cuda.MemPool()
    with torch.cuda.use_mem_pool(pool):
        x = torch.empty(3 << 20, dtype=torch.uint8, device="cuda")
    by_pool = torch.cuda.memory_stats_as_nested_dict()["reserved_bytes_by_private_pools"]
    assert by_pool[pool.id]["large_pool"]["current"] >= 3 << 20 and by_pool[pool.id]["small_pool"]["current"] == 0
    name = "reserved_bytes_by_private_pools." + "_".join(map(str, pool.id))
    assert torch.cuda.memory_stats()[f"{name}.all.peak"] >= 3 << 20
    del x


def test_oversize_memory_is_counted():
    torch.cuda.memory._set_allocator_settings("max_split_size_mb:21")
    try:
        torch.cuda.empty_cache()
        before = torch.cuda.memory_stats()
        assert before["max_split_size"] == 21 << 20
        x = torch.empty(30 << 20, dtype=torch.uint8, device="cuda")
        now = torch.cuda.memory_stats()
        assert now["oversize_allocations.current"] == before["oversize_allocations.current"] + 1
        assert now["oversize_segments.allocated"] >= before["oversize_segments.allocated"]
        del x
        torch.cuda.empty_cache()
        after = torch.cuda.memory_stats()
        assert after["oversize_allocations.current"] == before["oversize_allocations.current"]
        assert after["oversize_segments.current"] == before["oversize_segments.current"]
        assert after["num_sync_all_streams"] > now["num_sync_all_streams"]
    finally:
        torch.cuda.memory._set_allocator_settings("")


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
