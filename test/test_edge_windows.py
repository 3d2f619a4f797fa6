"""Windows of pooling, interpolation and padding beside plain definitions, where lines, strides and borders meet."""

import itertools
import math

import pytest

import torch
import torch.nn.functional as F


def windows(x, kernel, stride, padding, dilation):
    """The elements of each window of one plane with their indices, line by line."""
    height, width = x.shape
    extents = [dilation * (k - 1) + 1 for k in kernel]
    rows = (height + 2 * padding - extents[0]) // stride + 1
    columns = (width + 2 * padding - extents[1]) // stride + 1
    for r, c in itertools.product(range(rows), range(columns)):
        inside = []
        for i, j in itertools.product(range(kernel[0]), range(kernel[1])):
            y, z = r * stride - padding + i * dilation, c * stride - padding + j * dilation
            if 0 <= y < height and 0 <= z < width:
                inside.append((y * width + z, x[y, z].item()))
        yield inside


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16, torch.int64, torch.uint8])
@pytest.mark.parametrize("width", [3, 9, 40, 1100])
@pytest.mark.parametrize(
    "kernel, stride, padding, dilation", [((2, 2), 2, 0, 1), ((3, 3), 1, 1, 1), ((3, 4), 3, 1, 1), ((2, 3), 2, 1, 2)]
)
def test_maxima_of_windows(dtype, width, kernel, stride, padding, dilation):
    """All channels are one plane; -infinity and NaN are among the numbers, and the first of equal maxima counts."""
    generator = torch.Generator().manual_seed(width)
    x = torch.randint(0, 9, (1, 2, 6, width), generator=generator).to(dtype)
    if dtype.is_floating_point:
        x[0, 0, :, :2] = -math.inf
        x[0, 0, 3, -1] = math.nan
    if width < dilation * (kernel[1] - 1) + 1 - 2 * padding:
        return
    found, indices = F.max_pool2d(x, kernel, stride, padding, dilation, return_indices=True)
    for plane in range(2):
        got = zip(found[0, plane].flatten().tolist(), indices[0, plane].flatten().tolist(), strict=True)
        for inside, (value, index) in zip(windows(x[0, plane], kernel, stride, padding, dilation), got, strict=True):
            nans = [i for i, v in inside if v != v]
            best = nans[-1] if nans else max(inside, key=lambda item: (item[1], -item[0]))[0]
            assert index == best
            assert value == dict(inside)[best] or value != value


@pytest.mark.parametrize("dtype, tolerance", [(torch.float32, 1e-6), (torch.float64, 1e-12), (torch.bfloat16, 1e-2)])
@pytest.mark.parametrize("width", [5, 40, 1100])
def test_means_of_windows(dtype, tolerance, width):
    x = torch.randn(1, 1, 6, width, generator=torch.Generator().manual_seed(1), dtype=torch.float64).to(dtype)
    for kernel, stride, padding in (((2, 2), 2, 0), ((3, 3), 1, 1), ((3, 2), 3, 1)):
        found = F.avg_pool2d(x, kernel, stride, padding, count_include_pad=False).flatten().tolist()
        for inside, value in zip(windows(x[0, 0], kernel, stride, padding, 1), found, strict=True):
            assert value == pytest.approx(sum(v for _, v in inside) / len(inside), rel=tolerance, abs=tolerance)


@pytest.mark.parametrize("mode, size", [("nearest", 7), ("nearest", 150), ("linear", 7), ("linear", 150)])
def test_interpolation_to_few_elements_of_any_layout(mode, size):
    """Few elements of a long line are read; the others are never copied."""
    x = torch.randn(2, 400, 3, generator=torch.Generator().manual_seed(2), dtype=torch.float64).transpose(1, 2).requires_grad_()
    y = F.interpolate(x, size, mode=mode)
    (grad,) = torch.autograd.grad(y.square().sum(), x)
    dense = x.detach().contiguous().requires_grad_()
    # Every element of the result is an interpolation of two elements.
    step = 400 / size
    rows = torch.zeros(size, 400, dtype=torch.float64)
    for o in range(size):
        at = max((o + 0.5) * step - 0.5, 0) if mode == "linear" else math.floor(o * step)
        first = int(at)
        rows[o, first] += 1 - (at - first)
        rows[o, min(first + 1, 399)] += at - first
    expected = dense @ rows.t()
    torch.testing.assert_close(y, expected)
    torch.testing.assert_close(grad, torch.autograd.grad(expected.square().sum(), dense)[0])


@pytest.mark.parametrize("width", [2, 5, 30])
@pytest.mark.parametrize("mode", ["reflect", "replicate"])
@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
def test_padding_of_many_short_lines(width, mode, dtype):
    x = torch.randint(-8, 9, (300, width), generator=torch.Generator().manual_seed(3)).to(dtype).requires_grad_()
    y = F.pad(x[None], (1, 1), mode=mode)
    first, last = (1, -2) if mode == "reflect" else (0, -1)
    assert torch.equal(y[0], torch.cat([x[:, first, None], x, x[:, last, None]], 1))
    (grad,) = torch.autograd.grad(y, x, torch.ones_like(y))
    expected = torch.ones_like(x)
    expected[:, first] += 1
    expected[:, last] += 1
    assert torch.equal(grad, expected)
