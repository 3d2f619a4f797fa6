"""PYTORCH_CUDA_ALLOC_CONF as programs written for PyTorch set it, and what running out of memory says."""

import os
import subprocess
import sys

import pytest

import torch

MIB = 1 << 20
set_options = torch.cuda.memory._set_allocator_settings


@pytest.fixture(autouse=True)
def usual_options():
    yield
    set_options("")
    torch.cuda.empty_cache()


def rounded(size):
    """Bytes that a request takes."""
    before = torch.cuda.memory_allocated()
    block = torch.empty(size, dtype=torch.uint8, device="cuda")
    after = torch.cuda.memory_allocated()
    del block
    return after - before


def test_rounding_by_sizes():
    set_options("roundup_power2_divisions:[4:1,16:2,>:8]")
    # 1 division: only to 512 bytes; 2: to halves of powers of two; 8: to eighths.
    assert rounded(3 * MIB + 1) == 3 * MIB + 512
    assert rounded(9 * MIB) == 12 * MIB
    assert rounded(33 * MIB) == 36 * MIB
    settings = torch.cuda.memory._snapshot()["allocator_settings"]
    assert settings["roundup_power2_divisions"] == {"4": 1, "16": 2, "": 8}


def test_blanks_and_one_number():
    set_options(" roundup_power2_divisions : 4 , max_split_size_mb: 64,")
    assert rounded(9 * MIB) == 10 * MIB


def test_blocks_that_are_not_split():
    set_options("max_split_size_mb:30,max_non_split_rounding_mb:50")
    large = torch.empty(100 * MIB, dtype=torch.uint8, device="cuda")
    address = large.data_ptr()
    del large
    assert torch.empty(60 * MIB, dtype=torch.uint8, device="cuda").data_ptr() == address
    set_options("max_split_size_mb:30")
    assert torch.empty(60 * MIB, dtype=torch.uint8, device="cuda").data_ptr() != address


@pytest.mark.parametrize(
    "text",
    [
        "backend:cudaMallocAsync",
        "pinned_use_cuda_host_register:True,pinned_num_register_threads:8",
        "release_lock_on_cudamalloc:True",
    ],
)
def test_options_without_effect_warn(text):
    with pytest.warns(UserWarning, match="no effect"):
        set_options(text)
    assert torch.ones(2, device="cuda").sum() == 2


@pytest.mark.parametrize(
    "text, says",
    [
        ("roundup_power2_divisions:[3:1]", "powers of two"),
        ("roundup_power2_divisions:[512:2,256:1]", "have to grow"),
        ("roundup_power2_divisions:[256]", "SIZE:DIVISIONS"),
        ("roundup_power2_divisions:[256:1", "brackets"),
        ("roundup_power2_divisions:[256:3]", "power of two, got 3"),
        ("max_non_split_rounding_mb:3", "more than 20"),
        ("per_process_memory_fraction:2", "from 0 to 1"),
        ("backend:mine", "native or cudaMallocAsync"),
        ("nonsense:1", "does not know"),
    ],
)
def test_bad_options(text, says):
    with pytest.raises(RuntimeError, match=says):
        set_options(text)


def test_a_fraction_from_the_environment():
    program = """
import torch
print(torch.cuda.get_per_process_memory_fraction())
total = torch.cuda.get_device_properties(0).total_memory
try: torch.empty(int(total * 0.6), dtype=torch.uint8, device="cuda")
except torch.cuda.OutOfMemoryError as error: print(error)
"""
    environment = {**os.environ, "PYTORCH_CUDA_ALLOC_CONF": "per_process_memory_fraction:0.5"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert done.stdout.startswith("0.5\n"), done.stderr
    assert "may use 50 % of the memory" in done.stdout


def too_much():
    with pytest.raises(torch.cuda.OutOfMemoryError) as caught:
        torch.empty(1 << 45, dtype=torch.uint8, device="cuda")
    return str(caught.value)


def test_out_of_memory_says_what_to_do():
    assert "torch.cuda.memory_summary() shows what is held" in too_much()
    torch.cuda.set_per_process_memory_fraction(0.5)
    assert "may use 50 %" in too_much()
    torch.cuda.set_per_process_memory_fraction(1.0)
    assert "may use" not in too_much()


def test_out_of_memory_names_the_pools_of_graphs():
    pool = torch.cuda.MemPool()
    with torch.cuda.use_mem_pool(pool):
        kept = torch.ones(30 * MIB, dtype=torch.uint8, device="cuda")
    assert "pools of CUDA graphs and torch.cuda.MemPool hold 30.00 MiB" in too_much()
    del kept, pool


def test_out_of_memory_with_pieces_advises_segments_that_grow():
    """Half of the memory is reserved and free, in pieces of 64 MiB."""
    free, _ = torch.cuda.mem_get_info()
    whole = torch.empty(free // (64 * MIB) * 64 * MIB, dtype=torch.uint8, device="cuda")
    count = whole.numel() // (64 * MIB)
    del whole
    pieces = [torch.empty(64 * MIB, dtype=torch.uint8, device="cuda") for _ in range(count)]
    del pieces[::2]
    with pytest.raises(torch.cuda.OutOfMemoryError, match="expandable_segments:True avoids that"):
        torch.empty(int(free * 0.3), dtype=torch.uint8, device="cuda")
