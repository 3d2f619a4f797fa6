"""Pooling and convolution at the edges of what their arguments allow."""

import pytest

import torch
import torch.nn.functional as F


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("name", ["avg_pool", "max_pool"])
def test_stride_none_is_the_window(name, d):
    x = torch.arange(4.0**d).reshape(1, 1, *(4,) * d)
    for module in (F, torch, torch._C._nn):
        f = getattr(module, f"{name}{d}d", None)
        if f:
            assert torch.equal(f(x, 2, stride=None), f(x, 2)) and torch.equal(f(x, 2, None), f(x, 2))
    with pytest.raises(TypeError):
        getattr(F, f"{name}{d}d")(x, 2, padding=None)


def test_none_for_other_lists_with_an_empty_default():
    x = torch.arange(6.0).reshape(2, 3)
    assert torch.amax(x, dim=None) == 5 and x.amin(None) == 0
    assert torch.equal(torch.roll(x, 1, None), torch.roll(x, 1))
    with pytest.raises(TypeError):
        torch.flip(x, None)


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("stride,dilation,extra", [(1, 2, 1), (1, 3, 2), (2, 3, 2), (2, 2, 1), (3, 5, 4)])
def test_output_padding_below_dilation(d, dtype, stride, dilation, extra):
    torch.manual_seed(0)
    x = torch.randn(2, 4, *(3,) * d, dtype=dtype, requires_grad=True)
    w = torch.randn(4, 3, *(2,) * d, dtype=dtype, requires_grad=True)
    y = getattr(F, f"conv_transpose{d}d")(x, w, None, stride, 0, extra, 1, dilation)
    # The rows that are added are zeros: no window of this geometry reaches them, or fewer do.
    size = 2 * stride + dilation + 1
    assert y.shape[2:] == (size + extra,) * d
    plain = getattr(F, f"conv_transpose{d}d")(x, w, None, stride, 0, 0, 1, dilation)
    inside = y[(..., *(slice(size),) * d)]
    torch.testing.assert_close(inside, plain)
    if stride == 1:
        assert y[..., size:].eq(0).all()
    g = torch.randn(y.shape, dtype=dtype)
    gx, gw = torch.autograd.grad(y, (x, w), g)
    px, pw = torch.autograd.grad(plain, (x, w), g[(..., *(slice(size),) * d)])
    torch.testing.assert_close(gx, px)
    torch.testing.assert_close(gw, pw)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("memory", [torch.contiguous_format, torch.channels_last])
def test_windows_that_lie_in_the_padding(memory, dtype):
    # Dilation can carry every element of a window over the input: it has no maximum, and no gradient.
    x = torch.arange(2.0).reshape(1, 1, 2, 1).expand(2, 3, 2, 1).to(dtype).contiguous(memory_format=memory).requires_grad_()
    y, places = F.max_pool2d(x, 2, 2, 1, (1, 2), return_indices=True)
    assert y.isneginf().all() and places[0, 0].flatten().tolist() == [1, 2]
    y.sum().backward()
    assert x.grad.shape == x.shape
    y = F.max_pool3d(torch.ones(1, 1, 1, 1, 1, requires_grad=True), 2, 2, 1, 2)
    assert y.isneginf().all()
    y.sum().backward()


def test_places_of_others_are_still_refused():
    x = torch.ones(1, 1, 4, 4)
    y, places = F.max_pool2d(x, 2, return_indices=True)
    with pytest.raises(RuntimeError, match="out of bounds"):
        torch.ops.aten.max_pool2d_with_indices_backward(y, x, [2, 2], [2, 2], [0, 0], [1, 1], False, places + 100)


@pytest.mark.parametrize("layout", [torch.contiguous_format, torch.channels_last])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_maxima_among_special_values(dtype, layout):
    values = [0.0, -0.0, float("nan"), float("inf"), -float("inf"), 1.0, -1.0, 2.0]
    torch.manual_seed(0)
    x = torch.tensor(values)[torch.randint(0, 8, (2, 40, 12, 12))]
    x[0, 0] = -float("inf")
    x[0, 1, 0, 0], x[0, 1, 0, 1] = -0.0, 0.0
    x = x.to(dtype).contiguous(memory_format=layout)
    windows = x.float().unfold(2, 2, 2).unfold(3, 2, 2).reshape(2, 40, 6, 6, 4)
    result, places = F.max_pool2d(x, 2, return_indices=True)
    taken = x.flatten(2).gather(2, places.flatten(2)).view_as(result)
    assert torch.equal(result.float().nan_to_num(7), taken.float().nan_to_num(7))
    assert torch.equal(result.float().nan_to_num(7), windows.amax(-1).nan_to_num(7))
    # Of equal elements, the two zeros among them, the first one counts; of several NaN, the last one.
    order = windows.nan_to_num(7)
    first = (order == order.amax(-1, keepdim=True)).float().argmax(-1)
    last = 3 - windows.isnan().float().flip(-1).argmax(-1)
    within = torch.where(windows.isnan().any(-1), last, first)
    rows, columns = torch.arange(6)[:, None] * 2 + within // 2, torch.arange(6) * 2 + within % 2
    assert torch.equal(places, rows * 12 + columns)


@pytest.mark.parametrize("channels_last", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize(
    "size, kernel, stride, padding",
    [((33, 1), (1, 3), (3, 3), (0, 1)), ((17, 2), (3, 5), (1, 3), (1, 2)), ((2, 2), (5, 5), 1, 2), ((1, 1), 3, 2, 1)],
)
def test_taps_that_meet_nothing_but_padding_have_no_gradient(size, kernel, stride, padding, dtype, channels_last):
    torch.manual_seed(0)
    memory_format = torch.channels_last if channels_last else torch.contiguous_format
    x = torch.randn(1, 8, *size).to(dtype, memory_format=memory_format)
    weight = torch.nn.Conv2d(8, 8, kernel).weight.detach().to(dtype, memory_format=memory_format)
    for _ in range(3):  # what was not written differs from call to call
        w, exact = weight.clone().requires_grad_(), weight.double().requires_grad_()
        y = F.conv2d(x, w, None, stride, padding)
        grad = torch.randn(y.shape).to(dtype)
        (found,) = torch.autograd.grad(y, w, grad)
        (expected,) = torch.autograd.grad(F.conv2d(x.double(), exact, None, stride, padding), exact, grad.double())
        tolerance = 8 * torch.finfo(dtype).eps * expected.abs().max().item()
        torch.testing.assert_close(found.double(), expected, rtol=0, atol=tolerance)
