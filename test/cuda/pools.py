"""Private pools with options (torch.cuda.MemPool), and what pools mean for other requests."""

import subprocess

import device_allocator
import pytest
from device_programs import in_new_process

import torch


@pytest.mark.parametrize("gives_address", [False, True])
def test_segments_from_an_allocator_of_the_program(tmp_path, gives_address):
    path = device_allocator.build(tmp_path)
    counts = device_allocator.load(path)
    mine = torch.cuda.CUDAPluggableAllocator(path, "my_alloc", "my_free")
    pool = torch.cuda.MemPool(mine.allocator() if gives_address else mine)
    before = torch.cuda.memory_reserved()
    with torch.cuda.use_mem_pool(pool):
        x = torch.arange(1000, device="cuda")
        large = torch.zeros(3 << 20, device="cuda")
    assert counts.my_count() == 2 and counts.my_total() == torch.cuda.memory_reserved() - before
    outside = torch.ones(5 << 20, device="cuda")
    assert counts.my_count() == 2 and x.sum().item() == 499500 and large.sum().item() == 0
    assert {s["segment_type"] for s in pool.snapshot()} == {"small", "large"}
    kept = large[:1]
    del x, large, pool
    assert counts.my_total() > 0  # `kept` is in use
    del kept
    torch.cuda.empty_cache()
    assert counts.my_total() == 0 and outside.sum().item() == 5 << 20


def test_memory_returns_with_the_pool(tmp_path):
    path = device_allocator.build(tmp_path)
    counts = device_allocator.load(path)
    pool = torch.cuda.MemPool(torch.cuda.CUDAPluggableAllocator(path, "my_alloc", "my_free"))
    for _ in range(2):
        with torch.cuda.use_mem_pool(pool):
            torch.ones(1000, device="cuda")
    assert counts.my_count() == 1 and counts.my_total() > 0
    del pool
    assert counts.my_total() == 0


def test_an_allocator_without_memory(tmp_path):
    source = tmp_path / "none.cpp"
    source.write_text(
        'extern "C" void* take(long, int, void*) { return nullptr; } extern "C" void give(void*, long, int, void*) {}'
    )
    subprocess.run(["c++", "-shared", "-fPIC", "-o", tmp_path / "none.so", source], check=True)
    pool = torch.cuda.MemPool(torch.cuda.CUDAPluggableAllocator(tmp_path / "none.so", "take", "give"))
    with torch.cuda.use_mem_pool(pool), pytest.raises(torch.OutOfMemoryError, match="CUDA out of memory"):
        torch.ones(1000, device="cuda")
    assert torch.ones(3, device="cuda").sum().item() == 3


def test_blocks_that_are_not_split():
    pool = torch.cuda.MemPool(no_split=True)
    with torch.cuda.use_mem_pool(pool):
        blocks = [torch.empty(size, dtype=torch.uint8, device="cuda") for size in (100, 1000, 5 << 20)]
    assert sorted(s["total_size"] for s in pool.snapshot()) == [512, 1024, 5 << 20]
    assert all(len(s["blocks"]) == 1 for s in pool.snapshot())
    address = blocks.pop().data_ptr()
    with torch.cuda.use_mem_pool(pool):
        again = torch.empty(5 << 20, dtype=torch.uint8, device="cuda")
    assert again.data_ptr() == address and len(pool.snapshot()) == 3


def test_a_last_resort():
    code = """
limit(100)
for lends in (False, True):
    pool = torch.cuda.MemPool(use_on_oom=lends)
    with torch.cuda.use_mem_pool(pool):
        del_me = make(60)
    del del_me
    assert is_refused(50) != lends
    if lends:
        x = make(50)
        first = pool.snapshot()[0]["address"]
        assert first <= x.data_ptr() < first + 60 * MIB and is_refused(50)
        del x
    del pool
    assert reserved() == 0, reserved()
"""
    in_new_process(code, PYTORCH_CUDA_ALLOC_CONF="")


def test_requests_in_a_pool_take_back_what_is_kept_elsewhere():
    code = """
limit(100)
make(60)
pool = torch.cuda.MemPool()
with torch.cuda.use_mem_pool(pool):
    x = make(60)
assert reserved() == 60
"""
    in_new_process(code, PYTORCH_CUDA_ALLOC_CONF="")


def test_the_inner_pool_is_taken():
    outer, inner = torch.cuda.MemPool(), torch.cuda.MemPool()
    with torch.cuda.use_mem_pool(outer):
        with torch.cuda.use_mem_pool(inner):
            x = torch.ones(3, device="cuda")
        y = torch.ones(3, device="cuda")
        with pytest.raises(RuntimeError, match="in use"), torch.cuda.use_mem_pool(outer):
            pass
    assert [len(pool.snapshot()) for pool in (outer, inner)] == [1, 1]
    first = inner.snapshot()[0]["address"]
    assert first <= x.data_ptr() < first + inner.snapshot()[0]["total_size"] and (x + y).sum().item() == 6
    number = outer.id
    del outer, y
    torch.cuda.empty_cache()
    assert not [s for s in torch.cuda.memory_snapshot() if s["segment_pool_id"] == number]


def test_other_allocators_are_refused():
    for given in (object(), "mine", True):
        with pytest.raises(TypeError, match="expected a CUDAPluggableAllocator"):
            torch.cuda.MemPool(given)
    assert torch.cuda.MemPool().allocator is None
