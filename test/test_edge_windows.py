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


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16, torch.int64, torch.uint8])
@pytest.mark.parametrize("length", [3, 16, 65, 70, 2100])
@pytest.mark.parametrize(
    "kernel, stride, padding, dilation",
    [
        (2, 2, 0, 1),
        (3, 1, 1, 1),
        (3, 2, 1, 2),
        (5, 3, 2, 1),
        (1, 1, 0, 1),
        (2, 7, 1, 2),
        (1, 3, 0, 1),
        (8, 8, 0, 1),
        (9, 4, 4, 1),
    ],
)
def test_maxima_of_lines_without_indices(dtype, length, kernel, stride, padding, dilation):
    """What needs no derivative has a kernel of its own: its maxima are those that come with indices."""
    if length + 2 * padding < dilation * (kernel - 1) + 1:
        return
    x = torch.randint(0, 9, (2, 37, length), generator=torch.Generator().manual_seed(length)).to(dtype)
    if dtype.is_floating_point:
        x[0, 0] = -math.inf
        x[1, 36, -1] = math.nan
        x[0, 5, 0] = -math.nan
    expected, _ = F.max_pool1d(x, kernel, stride, padding, dilation, return_indices=True)
    for form in (x, x.transpose(1, 2).contiguous().transpose(1, 2)):
        assert torch.equal(F.max_pool1d(form, kernel, stride, padding, dilation).nan_to_num(7), expected.nan_to_num(7))
    repeated = x[1:].expand(5, 37, length)
    assert torch.equal(F.max_pool1d(repeated, kernel, stride, padding, dilation)[4].nan_to_num(7), expected[1].nan_to_num(7))
    if dtype == torch.float64:
        leaf = x.clone().requires_grad_()
        F.max_pool1d(leaf, kernel, stride, padding, dilation).nan_to_num(0).sum().backward()
        assert leaf.grad is not None


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.int32, torch.uint8])
@pytest.mark.parametrize("planes", [8, 33, 70, 130])
def test_maxima_of_many_small_planes(dtype, planes):
    """Planes of a few columns are computed as channels: values, indices and ties are those of single planes."""
    x = torch.randint(0, 5, (planes, 3, 6, 5), generator=torch.Generator().manual_seed(planes)).to(dtype)
    if dtype.is_floating_point:
        x[0] = -math.inf
        x[1, 1, 2, 3] = x[1, 1, 2, 4] = math.nan
    for kernel, stride, padding, dilation in ((2, 2, 0, 1), (3, 1, 1, 1), ((1, 2, 3), 1, (0, 1, 1), (1, 2, 2))):
        arguments = (kernel, stride, padding, dilation, False, True)
        values, indices = F.max_pool3d(x, *arguments)
        for p in range(planes):
            value, index = F.max_pool3d(x[p : p + 1], *arguments)
            assert torch.equal(indices[p : p + 1], index)
            assert torch.equal(values[p : p + 1].nan_to_num(9), value.nan_to_num(9))
    if dtype.is_floating_point:
        values, indices = F.adaptive_max_pool3d(x, (2, 4, 3), return_indices=True)
        value, index = F.adaptive_max_pool3d(x[planes - 1 :], (2, 4, 3), return_indices=True)
        assert torch.equal(values[-1:], value)
        assert torch.equal(indices[-1:], index)


@pytest.mark.parametrize("channels", [1, 15, 16, 33, 70, 130, 200])
@pytest.mark.parametrize(
    "dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int8, torch.uint8, torch.int32, torch.int64]
)
def test_maxima_of_channels_of_every_number(channels, dtype):
    x = torch.randint(0, 4, (2, channels, 9, 8), generator=torch.Generator().manual_seed(channels)).to(dtype)
    if dtype.is_floating_point:
        x[0, 0, 4, 4] = math.nan
        x[1] = -math.inf
    for pool in (
        lambda t: F.max_pool2d(t, 3, 2, 1, return_indices=True),
        lambda t: F.adaptive_max_pool2d(t, (2, 3), return_indices=True),
    ):
        expected, found = pool(x), pool(x.contiguous(memory_format=torch.channels_last))
        assert torch.equal(expected[0].nan_to_num(9), found[0].nan_to_num(9))
        assert torch.equal(expected[1], found[1])


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("kernel, stride", [(7, 7), (5, 6), (3, 5), (6, 2)])
def test_gradients_of_means_of_windows_far_apart(kernel, stride, threads):
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        for dtype in (torch.float64, torch.bfloat16):
            x = torch.zeros(3, 2, 24, 25, dtype=dtype, requires_grad=True)
            y = F.avg_pool2d(x, kernel, stride, kernel // 2, ceil_mode=True, count_include_pad=False)
            weights = torch.randint(1, 5, y.shape).to(dtype)
            (grad,) = torch.autograd.grad(y, x, weights)
            ones = F.avg_pool2d(torch.ones_like(x), kernel, stride, kernel // 2, ceil_mode=True, count_include_pad=False)
            assert grad.double().sum().item() == pytest.approx((weights * ones).double().sum().item(), rel=1e-2)
            (single,) = torch.autograd.grad(
                F.avg_pool2d(x[1:2, 1:], kernel, stride, kernel // 2, True, False), x, weights[1:2, 1:]
            )
            assert torch.equal(single[1, 1], grad[1, 1])
        x = torch.randn(2, 2, 11, 13, dtype=torch.float64, requires_grad=True)
        assert torch.autograd.gradcheck(lambda t: F.avg_pool2d(t, kernel, stride, 1), (x,))
        assert torch.autograd.gradcheck(lambda t: F.adaptive_avg_pool2d(t, (4, 5)), (x,))
        assert torch.autograd.gradcheck(lambda t: F.adaptive_avg_pool2d(t, (7, 3)), (x,))
    finally:
        torch.set_num_threads(before)


def test_one_image_that_a_batch_repeats():
    x = torch.randn(1, 3, 9, 8).expand(4, 3, 9, 8)
    for form in (x, x.permute(0, 1, 3, 2)):
        for pool in (lambda t: F.avg_pool2d(t, 3, 2), lambda t: F.adaptive_avg_pool2d(t, 4), lambda t: F.max_pool2d(t, 2)):
            found = pool(form)
            assert torch.equal(found, pool(form.clone()))
            assert found.stride(0) != 0
        values, indices = F.max_pool2d(form, 3, 1, 1, return_indices=True)
        assert torch.equal(indices, F.max_pool2d(form.clone(), 3, 1, 1, return_indices=True)[1])
        assert values.stride(0) != 0


@pytest.mark.parametrize("mode", ["nearest", "bilinear", "bicubic"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_gradient_of_interpolation_to_few_elements(mode, dtype):
    """Most elements of the input are read by none: their gradient is 0, in every layout."""
    x = torch.randn(2, 3, 4, 900, dtype=dtype)
    options = {} if mode == "nearest" else {"align_corners": False}
    grads = []
    for form in (x, x.contiguous(memory_format=torch.channels_last)):
        leaf = form.detach().clone(memory_format=torch.preserve_format).requires_grad_()
        y = F.interpolate(leaf, (7, 10), mode=mode, **options)
        (grad,) = torch.autograd.grad(y, leaf, torch.arange(1.0, y.numel() + 1).view(y.shape).to(dtype))
        grads.append(grad)
        assert grad.double().sum().item() == pytest.approx(torch.arange(1.0, y.numel() + 1).sum().item(), rel=1e-2)
    assert torch.allclose(*grads, rtol=1e-2 if dtype == torch.bfloat16 else 1e-5)
    if dtype == torch.float64:
        leaf = torch.randn(1, 2, 2, 50, dtype=dtype, requires_grad=True)
        assert torch.autograd.gradcheck(lambda t: F.interpolate(t, (3, 4), mode=mode, **options), (leaf,))


@pytest.mark.parametrize("mode", ["nearest", "nearest-exact", "bilinear", "bicubic", "area"])
@pytest.mark.parametrize(
    "size, result", [((7, 5), (4, 3)), ((16, 16), (8, 8)), ((9, 20), (9, 3)), ((6, 6), (1, 6)), ((5, 8), (9, 4))]
)
@pytest.mark.parametrize("channels_last", [False, True])
def test_gradient_of_interpolation_to_smaller_sizes(mode, size, result, channels_last):
    x = torch.randn(2, 3, *size, dtype=torch.double)
    x = x.contiguous(memory_format=torch.channels_last) if channels_last else x
    x.requires_grad_()
    assert torch.autograd.gradcheck(lambda t: F.interpolate(t, result, mode=mode), x)
    y = F.interpolate(x, result, mode=mode)
    grad = torch.randn_like(y)
    (expected,) = torch.autograd.grad(y, x, grad)
    narrow = x.detach().float().requires_grad_()
    (found,) = torch.autograd.grad(F.interpolate(narrow, result, mode=mode), narrow, grad.float())
    torch.testing.assert_close(found.double(), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("mode", ["reflect", "replicate"])
@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16, torch.complex64])
@pytest.mark.parametrize("planes", [1, 8, 50])
def test_gradient_of_padding_of_small_planes(mode, dtype, planes):
    for size, pad in (((5,), (1, 1)), ((4, 5), (2, 1, 0, 3)), ((3, 4, 5), (1, 1, 2, 0, 1, 2)), ((3, 5, 4), (-1, 2, 1, -2, 0, 1))):
        if mode == "reflect" and min(pad) < 0:
            continue
        x = torch.zeros(planes, 2, *size, dtype=dtype, requires_grad=True)
        y = F.pad(x, pad, mode=mode)
        weights = torch.randint(1, 4, y.shape).to(dtype)
        (grad,) = torch.autograd.grad(y, x, weights)
        places = torch.arange(math.prod(size), dtype=torch.float64).view(1, 1, *size)
        sources = F.pad(places, pad, mode=mode).flatten().long()
        expected = torch.zeros(planes * 2, math.prod(size), dtype=torch.complex128)
        expected.index_add_(1, sources, weights.to(torch.complex128).view(planes * 2, -1))
        assert torch.equal(grad.to(torch.complex128).view(planes * 2, -1), expected)


def test_constant_padding_that_only_crops():
    x = torch.randn(2, 5, 6)
    assert torch.equal(F.pad(x, (-1, -2, 0, -1)), x[:, :4, 1:4])
    assert F.pad(x, (-3, -3)).shape == (2, 5, 0)
    assert torch.equal(F.pad(x, (-3, -3, 1, 0)), x.new_zeros(2, 6, 0))


@pytest.mark.parametrize("dtype", [torch.float64, torch.complex64, torch.complex128])
@pytest.mark.parametrize("stride, padding, dilation", [(1, 0, 1), (2, 1, 1), (1, 2, 2), (3, 1, 2)])
def test_convolutions_of_channels_last_images(dtype, stride, padding, dilation):
    """No copies are made where images and weights are channels-last: the sums are those of planes."""
    for batch, inputs, outputs, kernel in ((1, 1, 1, 1), (2, 3, 5, 3), (3, 8, 2, 2)):
        x, w = torch.randn(batch, inputs, 7, 8, dtype=dtype), torch.randn(outputs, inputs, kernel, kernel, dtype=dtype)
        back, bias = torch.randn(inputs, outputs, kernel, kernel, dtype=dtype), torch.randn(outputs, dtype=dtype)
        extra = min(stride, dilation) - 1

        def last(t):
            return t.contiguous(memory_format=torch.channels_last)

        for b in (None, bias):
            expected, found = (F.conv2d(f(x), f(w), b, stride, padding, dilation) for f in (torch.clone, last))
            assert torch.allclose(expected, found, atol=1e-4)
            expected, found = (
                F.conv_transpose2d(f(x), f(back), b, stride, padding, extra, 1, dilation) for f in (torch.clone, last)
            )
            assert torch.allclose(expected, found, atol=1e-4)


def test_convolution_in_bfloat16_rounds_once():
    x, w, b = torch.randn(2, 16, 6, 6).bfloat16(), torch.randn(8192, 16, 3, 3).bfloat16(), torch.randn(8192).bfloat16()
    exact = F.conv2d(x.double(), w.double(), b.double(), padding=1)
    error = (F.conv2d(x, w, b, padding=1).double() - exact).abs()
    assert (error <= exact.abs() * 2**-8 + 1e-4).all()


@pytest.mark.parametrize("spread", [0.5, 3.0, 20.0])
def test_gradient_of_samples_that_are_mostly_outside(spread):
    x = torch.randn(1, 3, 3, 4, 5, dtype=torch.float64, requires_grad=True)
    grid = ((torch.rand(1, 4, 5, 6, 3, dtype=torch.float64) - 0.5) * 2 * spread).requires_grad_()
    assert torch.autograd.gradcheck(lambda a, g: F.grid_sample(a, g, align_corners=False), (x, grid))
    image = torch.randn(2, 3, 5, 6, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(
        lambda a, g: F.grid_sample(a, g[:, 0, ..., :2].expand(2, 5, 6, 2), align_corners=True), (image, grid)
    )


@pytest.mark.parametrize("stride, padding, dilation", [(1, 0, 1), (2, 1, 1), (1, 2, 2), (3, 1, 2)])
def test_gradients_of_convolutions_of_channels_last_images(stride, padding, dilation):
    """Also with a gradient and a weight in other layouts, and without some of the gradients."""
    for batch, inputs, outputs, kernel in ((1, 1, 1, 1), (2, 3, 5, 3), (3, 8, 2, 2), (300, 16, 3, 3)):
        for transposed, dtype in ((False, torch.float64), (True, torch.float64), (False, torch.complex64)):
            x = torch.randn(batch, inputs, 7, 8, dtype=dtype)
            w = torch.randn(*((inputs, outputs) if transposed else (outputs, inputs)), kernel, kernel, dtype=dtype)
            extra = min(stride, dilation) - 1 if transposed else 0
            rest = (None, [stride] * 2, [padding] * 2, [dilation] * 2, transposed, [extra] * 2, 1)
            grad = torch.randn_like(torch.ops.aten.convolution(x, w, *rest))
            masks = ((True, True, True), (True, False, False), (False, True, False), (False, False, True))
            for mask, layout in itertools.product(masks, (torch.contiguous_format, torch.channels_last)):
                expected = torch.ops.aten.convolution_backward(grad, x, w, [grad.size(1)], *rest[1:], mask)
                x_, w_ = (t.contiguous(memory_format=torch.channels_last) for t in (x, w))
                grad_ = grad.contiguous(memory_format=layout)
                result = torch.ops.aten.convolution_backward(grad_, x_, w_, [grad.size(1)], *rest[1:], mask)
                for a, b, requested in zip(expected, result, mask, strict=True):
                    assert not requested or torch.allclose(a, b, atol=1e-3 if dtype.is_complex else 1e-10)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.complex64])
@pytest.mark.parametrize("pad, steps", [(0, 1), (1, 2), (2, 5), (0, 3)])
def test_gradients_of_convolution_over_time(dtype, pad, steps):
    x, w = torch.randn(2, 6, 3, dtype=dtype).transpose(0, 1), torch.randn(steps, 4, 3, dtype=dtype).transpose(1, 2)
    operands = [t.requires_grad_() for t in (x, w, torch.zeros(4, dtype=dtype))]
    y = torch.conv_tbc(*operands, pad)
    grad = torch.randn_like(y)
    gradients = torch.autograd.grad(y, operands, grad)
    # The same as a sum over the steps of the kernel.
    padded = F.pad(x, (0, 0, 0, 0, pad, pad))
    expected = sum(padded[k : k + len(y)] @ w[k] for k in range(steps)) + operands[2]
    torch.testing.assert_close(y, expected, atol=1e-4, rtol=1e-4)
    for one, other in zip(gradients, torch.autograd.grad(expected, operands, grad), strict=True):
        torch.testing.assert_close(one, other, atol=1e-4, rtol=1e-4)
    with pytest.raises(RuntimeError):
        torch.ops.aten.conv_tbc_backward(grad[:, :, :3], *operands, pad)


@pytest.mark.parametrize("channels_last", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_gradient_of_maxima_with_any_indices(channels_last, dtype):
    """Indices are checked several at a time: each place of a wrong one counts, and equal ones add up."""
    for channels, size in ((1, 1), (2, 5), (9, 7), (33, 4)):
        grad = torch.randint(1, 5, (2, channels, size, size)).to(dtype)
        x = torch.zeros(2, channels, 3, 3, dtype=dtype)
        indices = torch.randint(0, 9, grad.shape)
        layout = torch.channels_last if channels_last else torch.contiguous_format
        x, grad = (t.contiguous(memory_format=layout) for t in (x, grad))
        expected = torch.zeros(2, channels, 9, dtype=torch.float64)
        expected.scatter_add_(2, indices.flatten(2), grad.double().flatten(2))
        result = torch.ops.aten.adaptive_max_pool2d_backward(grad, x, indices.contiguous(memory_format=layout))
        assert torch.equal(result.double().flatten(2), expected)
        for place in range(0, indices.numel(), max(1, indices.numel() // 40)):
            for wrong in (-1, 9, 2**62):
                bad = indices.clone()
                bad.view(-1)[place] = wrong
                with pytest.raises(RuntimeError, match="out of bounds"):
                    torch.ops.aten.adaptive_max_pool2d_backward(grad, x, bad.contiguous(memory_format=layout))


@pytest.mark.parametrize("dtype", [torch.uint8, torch.float16, torch.float32, torch.float64, torch.complex128])
def test_copies_of_blocks_of_small_dimensions(dtype):
    """A table of positions serves many blocks: also in reverse order, of one row too many, and of a view."""
    for shape in ((64, 8, 8), (3, 7, 5, 6), (5, 2, 3, 2, 3, 2), (1025, 3, 4), (2, 16, 6, 6), (9, 300, 2, 2)):
        x = (torch.arange(math.prod(shape)) % 251).view(shape).to(dtype)
        last = len(shape) - 1
        for order in (range(last, -1, -1), (*range(last - 1), last, last - 1), (0, *range(last, 0, -1))):
            order = list(order)
            result = x.permute(order).contiguous()
            flat, sizes = x.flatten(), [shape[d] for d in order]
            steps = [math.prod(shape[d + 1 :]) for d in order]
            places = torch.zeros(sizes, dtype=torch.int64)
            for d, (n, step) in enumerate(zip(sizes, steps, strict=True)):
                places += (torch.arange(n) * step).view(*[1] * d, n, *[1] * (len(sizes) - d - 1))
            assert torch.equal(result.flatten(), flat[places.flatten()])
            view = x[:, 1:].permute(order)
            assert torch.equal(view.contiguous(), torch.stack([t.clone() for t in view.unbind(0)]))


@pytest.mark.parametrize("channels_last", [False, True])
def test_group_norm_of_layouts(channels_last):
    x = torch.randn(3, 6, 4, 5, dtype=torch.float64)
    x = x.contiguous(memory_format=torch.channels_last) if channels_last else x.transpose(2, 3)
    w, b = torch.randn(2, 6, dtype=torch.float64)
    args = [t.detach().requires_grad_() for t in (x, w, b)]
    assert F.group_norm(x, 2, w, b).is_contiguous(memory_format=torch.channels_last if channels_last else torch.contiguous_format)
    assert torch.autograd.gradcheck(lambda x, w, b: F.group_norm(x, 2, w, b), args)


@pytest.mark.parametrize(
    "kernel, dilation, padding, stride",
    [((3, 2), (1, 2), (1, 0), (2, 1)), ((2, 3), (2, 1), (2, 3), (1, 3)), ((1, 5), (1, 1), (0, 4), (3, 2))],
)
def test_columns_of_short_lines(kernel, dilation, padding, stride):
    """Lines of few elements, some of which are all outside of the image."""
    x = torch.arange(2 * 3 * 9 * 4).view(2, 3, 9, 4)
    padded = F.pad(x, (padding[1], padding[1], padding[0], padding[0]))
    views = []
    extents = [(k - 1) * d + 1 for k, d in zip(kernel, dilation, strict=True)]
    counts = [(padded.size(2 + d) - extents[d]) // stride[d] + 1 for d in range(2)]
    for i, j in itertools.product(range(kernel[0]), range(kernel[1])):
        y, z = i * dilation[0], j * dilation[1]
        views.append(
            padded[:, :, y : y + (counts[0] - 1) * stride[0] + 1 : stride[0], z : z + (counts[1] - 1) * stride[1] + 1 : stride[1]]
        )
    expected = torch.stack(views, 2).reshape(2, 3 * len(views), -1)
    for dtype in (torch.int64, torch.uint8, torch.float64):
        assert torch.equal(F.unfold(x.to(dtype), kernel, dilation, padding, stride), expected.to(dtype))
    grad = torch.randint(0, 9, expected.shape).double()
    z = x.double().requires_grad_()
    (result,) = torch.autograd.grad(F.unfold(z, kernel, dilation, padding, stride), z, grad)
    y = x.double().requires_grad_()
    inside = F.pad(y, (padding[1], padding[1], padding[0], padding[0]))
    parts = [
        inside[:, :, i * dilation[0] :, j * dilation[1] :][:, :, :: stride[0], :: stride[1]][:, :, : counts[0], : counts[1]]
        for i, j in itertools.product(range(kernel[0]), range(kernel[1]))
    ]
    (requested,) = torch.autograd.grad(torch.stack(parts, 2).reshape(expected.shape), y, grad)
    assert torch.equal(result, requested)
