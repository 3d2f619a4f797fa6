"""Kernels that take several small planes, or long bags, at once, beside plain definitions: counts that fill no whole block."""

import pytest

import torch
import torch.nn.functional as F

FLOATS = [torch.float32, torch.float64, torch.bfloat16, torch.float16]
TOLERANCE = {torch.float64: 1e-12, torch.float32: 2e-5, torch.float16: 5e-3, torch.bfloat16: 4e-2}


def close(found, expected):
    torch.testing.assert_close(found.double(), expected.double(), rtol=TOLERANCE[found.dtype], atol=TOLERANCE[found.dtype])


def gradient(pool, x, args, first=0):
    """The gradient for small numbers, which half types represent; they count up from `first`."""
    x = x.detach().requires_grad_()
    out = pool(x, *args)
    out.backward((torch.arange(first, first + out.numel()).reshape(out.shape) % 7 - 3).to(x.dtype))
    return x.grad


@pytest.mark.parametrize("planes", [8, 33, 64, 131])
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(
    "pool, shape, args",
    [
        (F.avg_pool1d, (5,), (3, 1, 1)),
        (F.avg_pool1d, (9,), (2, 3, 1, True, False)),
        (F.avg_pool2d, (5, 7), ((3, 2), 2, 1)),
        (F.avg_pool3d, (3, 5, 4), (3, 1, 1)),
        (F.avg_pool3d, (3, 5, 4), (2, 2, 1, True, True, 5)),
        (F.adaptive_avg_pool2d, (7, 5), (3,)),
    ],
)
def test_means_of_small_planes_backward(pool, shape, args, dtype, planes):
    x = torch.randn(1, planes, *shape, dtype=torch.float64)
    out_numel = pool(x[:, :1], *args).numel()
    # One plane alone takes another path.
    expected = [gradient(pool, x[:, p : p + 1], args, p * out_numel) for p in range(planes)]
    close(gradient(pool, x.to(dtype), args), torch.cat(expected, 1))


@pytest.mark.parametrize("channels", [3, 33, 96])
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(
    "pool, args",
    [
        (F.avg_pool2d, (3, 1, 1)),
        (F.avg_pool2d, (3, 1, 1, False, False)),
        (F.avg_pool2d, ((2, 1), 3)),  # gaps between windows
        (F.avg_pool2d, (4, 3, 2, True)),
        (F.avg_pool2d, (2, 2, 0, False, True, 3)),
        (F.adaptive_avg_pool2d, (4,)),
        (F.adaptive_avg_pool2d, (30,)),  # more windows than columns
    ],
)
def test_means_of_channels_last(pool, args, dtype, channels):
    x = torch.randn(2, channels, 11, 150).to(dtype)
    last = x.contiguous(memory_format=torch.channels_last)
    close(pool(last, *args), pool(x.double(), *args))
    close(gradient(pool, last, args), gradient(pool, x.double(), args))


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int16, torch.float16, torch.float64])
@pytest.mark.parametrize("channels", [5, 64, 131])
def test_indices_of_maxima_of_pixels(dtype, channels):
    x = torch.randint(0, 100, (2, channels, 6, 5)).to(dtype)
    values, indices = F.max_pool2d_with_indices(x.contiguous(memory_format=torch.channels_last), 3, 2, 1)
    assert torch.equal(values, F.max_pool2d(x.double(), 3, 2, 1).to(dtype))
    assert torch.equal(x.flatten(2).gather(2, indices.flatten(2)).view_as(values), values)


@pytest.mark.parametrize("channels_last", [False, True])
def test_unpooling_clears_the_rest(channels_last):
    x = torch.randn(2, 70, 4, 6).contiguous(memory_format=torch.channels_last if channels_last else torch.contiguous_format)
    values, indices = F.max_pool2d_with_indices(x, 2)
    found = F.max_unpool2d(values, indices, 2)
    expected = torch.zeros(2, 70, 24).scatter_(2, indices.flatten(2), values.flatten(2)).view_as(x)
    assert torch.equal(found, expected)
    indices = indices.clone()
    indices[1, 69, 1, 2] = 24
    with pytest.raises(RuntimeError, match="invalid max index: 24"):
        F.max_unpool2d(values, indices, 2)


@pytest.mark.parametrize("channels", [8, 63, 1000])
@pytest.mark.parametrize("batch, plane", [(1, 7), (2, 7), (3, 32), (200, 2)])
@pytest.mark.parametrize("dtype", FLOATS)
def test_moments_of_short_planes(dtype, batch, plane, channels):
    x = (torch.randn(batch, channels, plane) + 3).to(dtype)
    wide = x.double()
    out, mean, rstd = torch.native_batch_norm(x, None, None, None, None, True, 0.1, 1e-3)
    expected_mean, variance = wide.mean((0, 2)), wide.var((0, 2), correction=0)
    close(mean, expected_mean)
    close(rstd, (variance + 1e-3).rsqrt())
    close(out, (wide - expected_mean[:, None]) * (variance + 1e-3).rsqrt()[:, None])


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("padding_idx", [None, 2])
@pytest.mark.parametrize("dtype", FLOATS)
def test_bags_longer_than_the_table(dtype, padding_idx, mode):
    table = torch.randn(5, 37).to(dtype)
    indices = torch.randint(0, 5, (300,))
    offsets = torch.tensor([0, 7, 7, 100])
    found = F.embedding_bag(indices, table, offsets, mode=mode, padding_idx=padding_idx)
    expected = []
    for bag in indices.tensor_split(offsets[1:]):
        rows = table.double()[bag[bag != padding_idx] if padding_idx is not None else bag]
        if len(rows) == 0:
            expected.append(torch.zeros(37, dtype=torch.float64))
        else:
            expected.append(rows.amax(0) if mode == "max" else getattr(rows, mode)(0))
    close(found, torch.stack(expected))
