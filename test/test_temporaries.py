"""Operators create no temporaries larger than their operands: compares peak memory with the sizes of inputs and outputs."""

import gc

import pytest

import torch

N = 1 << 21


def temporary(f, *inputs):
    """Bytes at the peak that are free again when the result stands, for each byte of the inputs."""
    f(*inputs)  # buffers that stay
    gc.collect()  # what other tests have left would count as temporary
    torch._C._cpu_reset_peak_memory_stats()
    result = f(*inputs)
    stats = torch.cpu.memory_stats()
    assert result is not None
    return (stats["peak_allocated_bytes"] - stats["allocated_bytes"]) / sum(t.untyped_storage().nbytes() for t in inputs)


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
def test_comparisons_with_a_tolerance(dtype):
    x, y = LINE[dtype], LINE[dtype].clone()
    assert temporary(torch.allclose, x, y) < 1 and temporary(torch.isclose, x, y) < 1.5
    assert torch.allclose(x, y) and torch.isclose(x, y).all()
    y[-1] = 0
    assert not torch.allclose(x, y) and torch.isclose(x, y).sum() == N - 1 and not torch.isclose(x, y)[-1]
    table = x.view(2, -1, 2).transpose(0, 1)
    assert torch.isclose(table, table[:1]).all() and torch.isclose(table[:1], table).shape == table.shape


@pytest.mark.parametrize("dtype", [torch.float16, torch.uint8])
def test_interpolation_widens_some_images_at_a_time(dtype):
    images = torch.ones(64, 8, 64, 64, dtype=dtype)
    for x in (images, images.to(memory_format=torch.channels_last)):
        assert temporary(lambda x: torch.nn.functional.interpolate(x, scale_factor=2, mode="bilinear"), x) < 3


@pytest.mark.parametrize("dtype", [torch.int8, torch.int32])
def test_bincount(dtype):
    assert temporary(lambda x: torch.bincount(x), LINE[torch.int64].to(dtype)) < 0.1


def test_embedding_renorm_looks_at_each_row_once():
    table, places = torch.ones(1000, 512), torch.zeros(1 << 16, dtype=torch.long)
    torch._C._cpu_reset_peak_memory_stats()
    before = torch.cpu.memory_stats()["allocated_bytes"]
    torch.embedding_renorm_(table, places, 1.0, 2.0)
    assert torch.cpu.memory_stats()["peak_allocated_bytes"] - before < 4 * table.untyped_storage().nbytes()
    assert table[0].norm().item() == pytest.approx(1, rel=1e-3) and table[1].norm().item() == pytest.approx(512**0.5)


@pytest.mark.parametrize("dtype", LINE)
def test_one_copy(dtype):
    # Dimensions that are not adjacent take one pass each.
    assert temporary(lambda x: x.view(64, 128, -1).flip(0, 2), LINE[dtype]) < 1.2


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
def test_half_sums_widen_only_what_they_reach(dtype):
    places, values = torch.arange(1000) * 7, torch.ones(1000, dtype=dtype)
    for f in (lambda x: x.scatter_add(0, places, values), lambda x: x.index_add(0, places, values)):
        assert temporary(f, LINE[dtype]) < 0.2
