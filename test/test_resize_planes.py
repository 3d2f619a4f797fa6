"""Resizes of two dimensions at once against those of one dimension after the other."""

import itertools

import pytest

import torch
import torch.nn.functional as F

SIZES = [((1, 1), (3, 2)), ((5, 9), (10, 18)), ((17, 40), (9, 13)), ((40, 3), (40, 7)), ((9, 5), (2, 5)), ((3, 600), (4, 1100))]
FORMATS = [torch.contiguous_format, torch.channels_last]


def along(x, dim, size, mode, **kwargs):
    """Resized along one dimension only: the lines of that dimension count as images of one row."""
    lines = x.movedim(dim, -1)
    flat = lines.reshape(1, -1, lines.shape[-1])
    mode = {"bilinear": "linear"}.get(mode, mode)
    return F.interpolate(flat, size=size, mode=mode, **kwargs).reshape(*lines.shape[:-1], size).movedim(-1, dim)


@pytest.fixture
def same_threads():
    threads = torch.get_num_threads()
    yield
    torch.set_num_threads(threads)


@pytest.mark.usefixtures("same_threads")
@pytest.mark.parametrize("mode", ["nearest", "nearest-exact", "bilinear"])
@pytest.mark.parametrize("before, after", SIZES)
def test_planes(before, after, mode):
    torch.manual_seed(0)
    for images, channels, memory_format, threads in itertools.product((1, 3), (1, 3, 33), FORMATS, (1, 2)):
        torch.set_num_threads(threads)
        x = torch.randn(images, channels, *before, dtype=torch.float64).contiguous(memory_format=memory_format)
        got = F.interpolate(x, size=after, mode=mode)
        expected = along(along(x, 3, after[1], mode), 2, after[0], mode)
        torch.testing.assert_close(got, expected, rtol=1e-12, atol=1e-12)
        if channels > 1 and before != (1, 1):  # otherwise a tensor has both formats
            assert got.is_contiguous(memory_format=memory_format)


@pytest.mark.parametrize("dtype", [torch.uint8, torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize("memory_format", FORMATS)
def test_copies_of_every_width(dtype, memory_format):
    for channels in (1, 2, 3, 5, 16):
        x = torch.arange(2 * channels * 6 * 7).remainder(200).reshape(2, channels, 6, 7).to(dtype)
        got = F.interpolate(x.contiguous(memory_format=memory_format), scale_factor=2, mode="nearest")
        assert torch.equal(got, x.repeat_interleave(2, 2).repeat_interleave(2, 3))


def test_bicubic_and_antialiased_planes():
    """Constants stay, and planes that are resized together are those resized alone."""
    torch.manual_seed(0)
    x = torch.randn(2, 3, 20, 30, dtype=torch.float64)
    for kwargs in ({"mode": "bicubic"}, {"mode": "bilinear", "antialias": True}, {"mode": "bicubic", "antialias": True}):
        for size in ((7, 11), (40, 45), (20, 11)):
            got = F.interpolate(x, size=size, **kwargs)
            alone = torch.stack([torch.stack([F.interpolate(c[None, None], size=size, **kwargs)[0, 0] for c in i]) for i in x])
            torch.testing.assert_close(got, alone, rtol=1e-12, atol=1e-12)
            last = F.interpolate(x.contiguous(memory_format=torch.channels_last), size=size, **kwargs)
            torch.testing.assert_close(got, last, rtol=1e-12, atol=1e-12)
            ones = F.interpolate(torch.ones_like(x), size=size, **kwargs)
            torch.testing.assert_close(ones, torch.ones_like(ones), rtol=1e-12, atol=0)
