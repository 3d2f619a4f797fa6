"""Operators make no temporaries that are larger than their operands: peak memory beside the sizes of what goes in and out."""

import pytest

import torch

N = 1 << 20


def temporary(f, *inputs):
    """Bytes that were allocated at the peak, beyond those of the result, for each byte of the inputs."""
    f(*inputs)  # buffers that stay
    torch._C._cpu_reset_peak_memory_stats()
    before = torch.cpu.memory_stats()["allocated_bytes"]
    result = f(*inputs)
    stats = torch.cpu.memory_stats()
    assert stats["allocated_bytes"] > before
    results = result if isinstance(result, tuple) else (result,)
    size = sum(t.untyped_storage().nbytes() for t in results)
    return (stats["peak_allocated_bytes"] - before - size) / sum(t.untyped_storage().nbytes() for t in inputs)


LINE = {dtype: torch.ones(N, dtype=dtype) for dtype in (torch.int8, torch.float16, torch.float32, torch.int64)}


@pytest.mark.parametrize("dtype", LINE)
@pytest.mark.parametrize("name,f", [
    ("flip", lambda x: x.flip(0)),
    ("flip of both", lambda x: x.view(1024, -1).flip(0, 1)),
    ("flip of rows", lambda x: x.view(1024, -1).flip(0)),
    ("flip of columns", lambda x: x.view(1024, -1).flip(1)),
    ("cumsum", lambda x: x.cumsum(0, dtype=x.dtype)),
    ("cumsum of columns", lambda x: x.view(1024, -1).cumsum(0, dtype=x.dtype)),
    ("cumsum to a wider type", lambda x: x.cumsum(0, dtype=torch.float64)),
    ("cumprod", lambda x: x.cumprod(0, dtype=x.dtype)),
])  # fmt: skip
def test_nothing_to_speak_of(name, f, dtype):
    assert temporary(f, LINE[dtype]) < 0.1


@pytest.mark.parametrize("dtype", [torch.int8, torch.float32, torch.int64])
def test_running_extremes(dtype):
    assert temporary(lambda x: tuple(x.cummax(0)), LINE[dtype]) < 0.1


@pytest.mark.parametrize("dtype", LINE)
def test_one_copy(dtype):
    # Dimensions that are not neighbours take a pass each.
    assert temporary(lambda x: x.view(64, 128, -1).flip(0, 2), LINE[dtype]) < 1.1


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
def test_half_sums_widen_only_what_they_reach(dtype):
    places, values = torch.arange(1000) * 7, torch.ones(1000, dtype=dtype)
    for f in (lambda x: x.scatter_add(0, places, values), lambda x: x.index_add(0, places, values)):
        assert temporary(f, LINE[dtype]) < 0.2
