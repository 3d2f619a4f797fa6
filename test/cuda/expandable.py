"""Expandable segments: pages that are mapped where memory grows, and unmapped where nobody uses it."""

import os
import subprocess
import sys

import pytest
from gpus import emulated, two_devices

import torch

MIB = 1 << 20
PROGRAM = """
import torch
MIB = 1 << 20
def make(size, **options):
    return torch.empty(size, dtype=torch.uint8, device="cuda", **options)
def stats(name):
    return torch.cuda.memory_stats()[name]
def segments():
    return [s for s in torch.cuda.memory_snapshot() if s["is_expandable"]]
"""
ON = "expandable_segments:True"


def in_new_process(code, settings=ON, **environment):
    environment = {**os.environ, "PYTORCH_CUDA_ALLOC_CONF": settings, **environment}
    done = subprocess.run([sys.executable, "-c", PROGRAM + code], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_segments_grow():
    in_new_process(
        """
sizes = []
for k in range(1, 9):
    x = make(15 * k * MIB)
    x.fill_(k)
    assert x[::MIB].tolist() == [k] * 15 * k
    del x
    sizes.append(stats("reserved_bytes.large_pool.current") // MIB)
# One segment, of pages of 20 MiB.
assert sizes == [20, 40, 60, 60, 80, 100, 120, 120], sizes
assert stats("segment.large_pool.current") == 1
(only,) = [s for s in segments() if s["segment_type"] == "large"]
assert only["total_size"] == 120 * MIB and sum(b["size"] for b in only["blocks"]) == 120 * MIB
"""
    )


def test_a_free_block_grows_where_it_stands():
    in_new_process(
        """
first, second = make(30 * MIB), make(30 * MIB)
address = second.data_ptr()
del second
longer = make(90 * MIB)
assert longer.data_ptr() == address and stats("reserved_bytes.all.current") == 120 * MIB
del first
assert make(25 * MIB).data_ptr() < address  # it fits in front, so the end does not grow
assert stats("reserved_bytes.all.current") == 120 * MIB
"""
    )


def test_small_requests_have_small_pages():
    in_new_process(
        """
parts = [make(700_000) for _ in range(10)]
assert stats("reserved_bytes.small_pool.current") == 8 * MIB and stats("segment.small_pool.current") == 1
assert stats("allocated_bytes.small_pool.current") == 10 * 700_416
"""
    )


def test_empty_cache_unmaps_pages():
    in_new_process(
        """
kept, middle, last = make(20 * MIB), make(65 * MIB), make(10 * MIB)
kept.fill_(3), last.fill_(4)
free_before = torch.cuda.mem_get_info()[0]
del middle  # from 20 to 85 MiB: the pages from 20 to 80
torch.cuda.empty_cache()
assert stats("reserved_bytes.all.current") == 40 * MIB
assert torch.cuda.mem_get_info()[0] == free_before + 60 * MIB
found = segments()
assert sorted(s["total_size"] for s in found) == [20 * MIB, 20 * MIB] and stats("segment.all.current") == 1
assert kept[::MIB].tolist() == [3] * 20 and last[::MIB].tolist() == [4] * 10
again = make(40 * MIB)  # into the hole
assert kept.data_ptr() < again.data_ptr() < last.data_ptr()
del kept, again, last
torch.cuda.empty_cache()
assert stats("reserved_bytes.large_pool.current") == 0 and stats("segment.large_pool.current") == 0
"""
    )


def test_pages_in_use_by_queued_work_stay():
    in_new_process(
        """
side = torch.cuda.Stream()
with torch.cuda.stream(side):
    x = make(64 * MIB).fill_(7)
    total = x[::4096].sum(dtype=torch.int64)
    del x
torch.cuda.empty_cache()  # waits for the stream
assert stats("reserved_bytes.large_pool.current") == 0
assert total.item() == 7 * 64 * 256
"""
    )


@emulated
def test_out_of_memory_and_limits():
    in_new_process(
        """
kept = make(1 * MIB)
free, total = torch.cuda.mem_get_info()
hoard = make(free // 2)
try:
    make(free // 2 + 40 * MIB)
except torch.OutOfMemoryError:
    pass
else:
    raise SystemExit("no error")
del hoard
big = make(free - 64 * MIB)  # what is free is unmapped and mapped again
del big
torch.cuda.empty_cache()
torch.cuda.set_per_process_memory_fraction(0.05)
try:
    make(int(total * 0.06))
except torch.OutOfMemoryError as error:
    assert "may use 5 %" in str(error)
else:
    raise SystemExit("no error")
try:
    make(1 << 45)
except torch.OutOfMemoryError:
    pass
""",
        TORCH_CUDA_EMULATED_MEMORY=str(512 * MIB),
    )


def test_settings_of_a_running_program():
    in_new_process(
        """
settings = torch.cuda.memory._set_allocator_settings
x = make(30 * MIB)
assert not segments()
settings("expandable_segments:True")
y = make(30 * MIB)
assert len(segments()) == 1 and torch.cuda.memory._snapshot()["allocator_settings"]["expandable_segments"] is True
settings("max_split_size_mb:50")
z = make(50 * MIB)
assert len(segments()) == 1 and torch.cuda.memory._snapshot()["allocator_settings"]["max_split_size"] == 50 * MIB
del x, y, z
torch.cuda.empty_cache()
assert stats("reserved_bytes.all.current") == 0
for text in ("expandable_segments:maybe", "no_such:1"):
    try:
        settings(text)
    except RuntimeError as error:
        assert text.split(":")[0] in str(error)
    else:
        raise SystemExit("no error")
""",
        settings="",
    )


@emulated
def test_an_old_driver():
    text = in_new_process(
        """
x = make(30 * MIB).fill_(1)
assert x[::MIB].tolist() == [1] * 30 and not segments()
""",
        TORCH_CUDA_EMULATED_VMM="0",
    )
    assert "no virtual memory management" in text


def test_history_names_pages():
    in_new_process(
        """
torch.cuda.memory._record_memory_history()
x = make(30 * MIB)
del x
torch.cuda.empty_cache()
actions = [e["action"] for e in torch.cuda.memory._snapshot()["device_traces"][0]]
assert actions == ["segment_map", "alloc", "free_requested", "free_completed", "segment_unmap"], actions
"""
    )


def test_graphs_have_segments_of_their_own():
    in_new_process(
        """
x = torch.zeros(1000, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1
    z = (y * 2).sum()
for k in range(3):
    x.fill_(k)
    graph.replay()
    assert z.item() == 2000 * (k + 1)
own = [s for s in segments() if s["segment_pool_id"] != (0, 0)]
assert own
del graph, y, z
torch.cuda.empty_cache()
assert not [s for s in segments() if s["segment_pool_id"] != (0, 0)]
"""
    )


@two_devices
def test_peers_copy_out_of_expandable_segments():
    in_new_process(
        """
x = torch.arange(1 << 20, device="cuda:0")
y = x.to("cuda:1")
assert torch.equal(y.cpu(), x.cpu())
more = torch.arange(1 << 22, device="cuda:1").to("cuda:0")
assert torch.equal(more.cpu(), torch.arange(1 << 22))
"""
    )


@pytest.mark.parametrize("settings", ["", ON])
def test_a_growing_sequence(settings):
    """What the setting is for: requests that grow a little each time."""
    text = in_new_process(
        """
from benchmarks.fragmentation import growing
growing(make)
print(torch.cuda.max_memory_reserved() / torch.cuda.max_memory_allocated())
""",
        settings,
    )
    ratio = float(text.splitlines()[0])
    assert ratio < 1.2 if settings else ratio > 1.5, text


def test_names():
    assert torch.cuda.memory._set_allocator_settings.__doc__
