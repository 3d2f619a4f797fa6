"""Pools of channels-last images and of small planes against plain ones of double precision."""

import itertools

import pytest

import torch
import torch.nn.functional as F

SIZES = [(7, 7), (14, 5), (28, 28), (1, 33)]
CHANNELS = [1, 3, 8, 33, 100]


def in_format(x, channels_last):
    formats = {4: torch.channels_last, 5: torch.channels_last_3d}
    return x.contiguous(memory_format=formats[x.dim()]) if channels_last else x


def value_and_gradient(pool, x):
    x = x.clone().requires_grad_()
    y = pool(x)
    generator = torch.Generator().manual_seed(1)
    grad = torch.randint(-9, 9, y.shape, generator=generator).to(y.dtype)
    y.backward(in_format(grad, not y.is_contiguous()))
    return y.detach(), x.grad


def mean_by_planes(x, windows, divisor=None):
    """The means of windows, which are given as ranges for each dimension, from their definition."""
    axes = range(x.dim() - len(windows), x.dim())
    for axis, ranges in zip(axes, windows):
        x = torch.stack([x.narrow(axis, b, e - b).sum(axis) for b, e in ranges], axis)
    sizes = [torch.tensor([float(e - b) for b, e in ranges]) for ranges in windows]
    counts = sizes[0]
    for s in sizes[1:]:
        counts = counts.unsqueeze(-1) * s
    return x / counts


def adaptive_windows(n, out):
    return [(o * n // out, -(-(o + 1) * n // out)) for o in range(out)]


@pytest.mark.parametrize("channels", CHANNELS)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("out", [(1, 1), (3, 2), (7, 5), (30, 40)])
def test_adaptive_means(channels, size, out):
    x = torch.randint(-9, 9, (3, channels, *size)).double()
    windows = [adaptive_windows(n, o) for n, o in zip(size, out)]
    expected = value_and_gradient(lambda t: mean_by_planes(t, windows), x)
    for dtype, channels_last in itertools.product((torch.double, torch.float), (False, True)):
        found = value_and_gradient(lambda t: F.adaptive_avg_pool2d(t, out), in_format(x.to(dtype), channels_last))
        for f, e in zip(found, expected):
            torch.testing.assert_close(f, e.to(dtype), check_stride=False)


@pytest.mark.parametrize("size, out", [((1, 1, 3), (3, 2, 5)), ((4, 3, 2), (2, 5, 1)), ((2, 2, 2), (5, 5, 5))])
def test_adaptive_means_of_volumes(size, out):
    x = torch.randint(-9, 9, (8, 9, *size)).double()
    windows = [adaptive_windows(n, o) for n, o in zip(size, out)]
    expected = value_and_gradient(lambda t: mean_by_planes(t, windows), x)
    for channels_last in (False, True):
        found = value_and_gradient(lambda t: F.adaptive_avg_pool3d(t, out), in_format(x, channels_last))
        for f, e in zip(found, expected):
            torch.testing.assert_close(f, e, check_stride=False)


@pytest.mark.parametrize("channels", CHANNELS)
@pytest.mark.parametrize("kernel, stride, padding", [(2, 2, 0), (3, 2, 1), (3, 1, 1), (5, 3, 2), (1, 3, 0)])
def test_sliding_means(channels, kernel, stride, padding):
    x = torch.randint(-9, 9, (4, channels, 13, 10)).double()

    def by_convolution(t):
        weight = torch.full((1, 1, kernel, kernel), 1 / kernel**2, dtype=t.dtype)
        planes = F.pad(t.flatten(0, 1).unsqueeze(1), [padding] * 4)
        return F.conv2d(planes, weight, stride=stride).squeeze(1).unflatten(0, t.shape[:2])

    expected = value_and_gradient(by_convolution, x)
    for dtype, channels_last in itertools.product((torch.double, torch.float), (False, True)):
        found = value_and_gradient(lambda t: F.avg_pool2d(t, kernel, stride, padding), in_format(x.to(dtype), channels_last))
        for f, e in zip(found, expected):
            torch.testing.assert_close(f, e.to(dtype), check_stride=False)


def test_rounding_does_not_depend_on_the_number_of_planes():
    x = torch.randn(16, 28, 28)
    for pool in (lambda t: F.avg_pool2d(t, 3, 2), lambda t: F.adaptive_avg_pool2d(t, 7)):
        assert torch.equal(pool(x)[:3], pool(x[:3]))


@pytest.mark.parametrize("dtype", [torch.double, torch.float, torch.bfloat16, torch.uint8, torch.int16])
@pytest.mark.parametrize("size", [(13, 9), (300, 230)])  # planes with more elements than 16 bits count
def test_indices_of_maxima(dtype, size):
    x = torch.randint(0, 200, (1, 40, *size)).to(dtype)
    pools = [
        lambda t: F.max_pool2d(t, 3, 2, 1, return_indices=True),
        lambda t: F.adaptive_max_pool2d(t, (5, 4), return_indices=True),
    ]
    for pool in pools:
        values, indices = pool(x)
        assert torch.equal(x.flatten(2).gather(2, indices.flatten(2)).view_as(values), values)
        for f, e in zip(pool(in_format(x, True)), (values, indices)):
            assert torch.equal(f, e)


@pytest.mark.parametrize("dtype", [torch.double, torch.float, torch.bfloat16])
def test_windows_of_the_lowest_number_and_of_nan(dtype):
    x = torch.full((2, 16, 8, 8), -float("inf"), dtype=dtype)
    x[:, 3, 4, 4] = float("nan")
    for form in (x, in_format(x, True)):
        values, indices = F.adaptive_max_pool2d(form, (3, 3), return_indices=True)
        first = torch.tensor([[8 * a + b for b in (0, 2, 5)] for a in (0, 2, 5)])
        is_nan = values.isnan()
        assert torch.equal(indices[~is_nan], first.expand_as(indices)[~is_nan])
        assert is_nan.sum() == 2 and set(indices[is_nan].tolist()) == {36}


@pytest.mark.parametrize("mode", ["reflect", "replicate"])
@pytest.mark.parametrize("size", [(4, 3), (9, 16), (5, 60), (3, 300)])
@pytest.mark.parametrize("pad", [(1, 1, 1, 1), (2, 0, 0, 2), (-1, 2, 2, -1), (0, 0, 1, 2), (2, 2, -2, 0)])
@pytest.mark.parametrize("dtype", [torch.float, torch.double, torch.bfloat16])
def test_pads(mode, size, pad, dtype):
    x = torch.randn(3, 2, *size).to(dtype)

    def source(n, before, after):
        places = torch.arange(-before, n + after)
        if mode == "reflect":
            places = torch.where(places < 0, -places, places)
            places = torch.where(places > n - 1, 2 * (n - 1) - places, places)
        return places.clamp(0, n - 1)

    rows, columns = source(size[0], *pad[2:]), source(size[1], *pad[:2])
    assert torch.equal(F.pad(x, pad, mode=mode), x[:, :, rows][:, :, :, columns])
    assert torch.equal(F.pad(x[0], pad[:2], mode=mode), x[0][:, :, columns])
