"""Convolutions are computed in several ways, by type and shape; all agree with products of unfolded windows."""

import itertools

import pytest

import torch
import torch.nn.functional as F

# batch, channels, results, image, window, and the other arguments. An image of one row stands for conv1d.
CASES = {
    **{f"{c} channels": (2, c, 5, (9, 11), (3, 3), {"padding": 1}) for c in (1, 2, 3, 4, 5)},
    **{f"{c} channels, steps": (2, c, 6, (17, 14), (5, 3), {"padding": 2, "stride": 2}) for c in (1, 2, 3, 4)},
    "patches": (2, 3, 7, (16, 24), (8, 8), {"stride": 8}),
    "patches of many channels": (2, 20, 7, (9, 9), (3, 3), {"stride": 3}),
    "apart": (1, 6, 4, (13, 13), (2, 2), {"stride": 4}),
    "wide apart": (2, 6, 4, (13, 13), (2, 2), {"stride": 2, "dilation": 3}),
    "one element": (2, 12, 9, (13, 11), (1, 1), {}),
    "one element of a small image": (2, 12, 9, (3, 4), (1, 1), {}),
    "one element, steps": (2, 12, 9, (13, 18), (1, 1), {"stride": 2}),
    "one element, groups": (2, 12, 9, (13, 11), (1, 1), {"groups": 3}),
    "one element, groups and steps": (2, 12, 9, (25, 18), (1, 1), {"groups": 3, "stride": (2, 3)}),
    "groups": (3, 12, 20, (11, 11), (3, 3), {"groups": 4, "padding": 1}),
    "groups, steps and dilated": (2, 12, 8, (17, 16), (3, 2), {"groups": 2, "padding": 1, "stride": 2, "dilation": 2}),
    "one result": (2, 16, 1, (13, 12), (3, 3), {"padding": 1}),
    "one result, steps and dilated": (2, 16, 1, (13, 12), (3, 3), {"padding": 2, "stride": 2, "dilation": 2}),
    "more padding than image": (2, 3, 4, (3, 4), (2, 5), {"padding": 4}),
    **{f"depthwise {k}": (2, 6, 6, (12, 40), (k, k), {"padding": k // 2, "groups": 6}) for k in (1, 2, 3, 5, 7)},
    "depthwise, two results each": (2, 6, 12, (12, 40), (3, 3), {"padding": 1, "groups": 6}),
    "depthwise, two results each, dilated": (2, 3, 6, (9, 14), (3, 2), {"padding": 1, "dilation": 2, "groups": 3}),
    "depthwise, steps": (2, 6, 12, (12, 40), (3, 3), {"padding": 1, "stride": 2, "groups": 6}),
    **{
        f"depthwise {k}, steps, large": (2, 16, 16, (27, 24), (k, k), {"padding": 1, "stride": 2, "groups": 16})
        for k in (2, 3, 5)
    },
    **{f"depthwise, rows of {n}": (2, 16, 16, (32, n), (3, 3), {"padding": 1, "groups": 16}) for n in (5, 14, 30, 60)},
    **{f"line {k}": (2, 6, 6, (1, 70), (1, k), {"padding": (0, k // 2), "groups": 6}) for k in (3, 4, 9, 14, 31)},
    "line, dilated": (2, 6, 12, (1, 70), (1, 5), {"dilation": (1, 3), "groups": 6}),
}


def by_unfolding(x, w, bias, groups=1, **kwargs):
    columns = F.unfold(x, w.shape[2:], **kwargs).unflatten(1, (groups, -1))
    products = torch.einsum("gok,ngkp->ngop", w.reshape(groups, w.shape[0] // groups, -1), columns)
    return products.reshape(x.shape[0], w.shape[0], -1) + bias[:, None]


def pair(x):
    return x if isinstance(x, tuple) else (x, x)


def conv(x, w, bias, **kwargs):
    """conv1d where the image is a line."""
    if x.shape[2] > 1:
        return F.conv2d(x, w, bias, **kwargs)
    line = {k: v[1] if isinstance(v, tuple) else v for k, v in kwargs.items()}
    return F.conv1d(x.squeeze(2), w.squeeze(2), bias, **line)


@pytest.mark.parametrize("mkldnn", [True, False])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("name", [k for k, case in CASES.items() if case[3][0] > 1])
def test_channels_last_agrees(name, dtype, mkldnn):
    batch, channels, results, image, window, kwargs = CASES[name]
    torch.manual_seed(0)
    x, w = torch.randn(batch, channels, *image), torch.randn(results, channels // kwargs.get("groups", 1), *window)
    exact = [t.double().requires_grad_() for t in (x, w)]
    ours = [t.to(dtype).contiguous(memory_format=torch.channels_last).requires_grad_() for t in (x, w)]
    tolerance = {torch.float32: 2e-5, torch.float64: 1e-12}[dtype]
    with torch.backends.mkldnn.flags(enabled=mkldnn):
        result, expected = F.conv2d(*ours, **kwargs), F.conv2d(*exact, **kwargs)
        assert result.is_contiguous(memory_format=torch.channels_last) or channels == 1
        weights = torch.randn_like(expected)
        mine = torch.autograd.grad(result, ours, weights.to(dtype))
        # The transpose of the convolution of this gradient.
        spread = F.conv_transpose2d(
            weights.to(dtype).contiguous(memory_format=torch.channels_last),
            ours[1],
            **kwargs,
            output_padding=[
                (n + 2 * p - d * (k - 1) - 1) % s
                for n, k, p, d, s in zip(
                    image, window, *(pair(kwargs.get(a, b)) for a, b in (("padding", 0), ("dilation", 1), ("stride", 1)))
                )
            ],
        )
    right = torch.autograd.grad(expected, exact, weights)
    for a, b in [(result, expected), (spread, right[0]), *zip(mine, right)]:
        torch.testing.assert_close(a.double(), b, rtol=tolerance, atol=tolerance * max(1, b.abs().max().item()))


@pytest.mark.parametrize("mkldnn", [True, False])
@pytest.mark.parametrize("channels, groups, window, kwargs", [
    (3, 1, 2, {"padding": 1}), (4, 1, 3, {"stride": 2}), (6, 2, 1, {"stride": 2}), (12, 1, 1, {}), (8, 8, 3, {"stride": 2}),
])  # fmt: skip
@pytest.mark.parametrize("layout", [torch.contiguous_format, torch.channels_last_3d])
def test_volumes(channels, groups, window, kwargs, layout, mkldnn):
    torch.manual_seed(0)
    x, w = torch.randn(2, channels, 7, 6, 9), torch.randn(8, channels // groups, *[window] * 3)
    exact = [t.double().requires_grad_() for t in (x, w)]
    ours = [t.contiguous(memory_format=layout).requires_grad_() for t in (x, w)]
    with torch.backends.mkldnn.flags(enabled=mkldnn):
        result, expected = (F.conv3d(*both, groups=groups, **kwargs) for both in (ours, exact))
        weights = torch.randn_like(expected)
        mine = torch.autograd.grad(result, ours, weights.float())
    for a, b in [(result, expected), *zip(mine, torch.autograd.grad(expected, exact, weights))]:
        torch.testing.assert_close(a.double(), b, rtol=2e-5, atol=2e-5 * max(1, b.abs().max().item()))


@pytest.mark.parametrize("mkldnn", [True, False])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("name", CASES)
def test_values_and_gradients(name, dtype, mkldnn):
    batch, channels, results, image, window, kwargs = CASES[name]
    torch.manual_seed(0)
    weight = torch.randn(results, channels // kwargs.get("groups", 1), *window)
    operands = torch.randn(batch, channels, *image), weight, torch.randn(results)
    ours = [t.to(dtype).requires_grad_() for t in operands]
    exact = [t.to(dtype).double().requires_grad_() for t in operands]
    tolerance = {torch.float32: 2e-5, torch.float64: 1e-12, torch.bfloat16: 0.05}[dtype]
    with torch.backends.mkldnn.flags(enabled=mkldnn):
        result, expected = conv(*ours, **kwargs), by_unfolding(*exact, **kwargs)
        torch.testing.assert_close(result.double().reshape(expected.shape), expected, rtol=tolerance, atol=tolerance)
        weights = torch.randn(result.shape).to(dtype)
        for needed in ([0, 1, 2], [0], [1], [2], [1, 2]):
            mine = torch.autograd.grad(result, [ours[k] for k in needed], weights, retain_graph=True)
            right = torch.autograd.grad(
                expected, [exact[k] for k in needed], weights.double().reshape(expected.shape), retain_graph=True
            )
            for a, b in zip(mine, right):
                torch.testing.assert_close(a.double(), b, rtol=tolerance, atol=tolerance * max(1, b.abs().max().item()))


def test_mkldnn_can_be_switched_off():
    x, w = torch.randn(2, 16, 32, 32), torch.randn(32, 16, 3, 3)

    def ways():
        return str(torch.utils.explain(torch.conv2d, x, w))

    assert torch.backends.mkldnn.enabled
    before = "convolution=[oneDNN]" in ways()
    with torch.backends.mkldnn.flags(enabled=False):
        assert not torch.backends.mkldnn.enabled and "convolution=[oneDNN]" not in ways()
    assert torch.backends.mkldnn.enabled and before == ("convolution=[oneDNN]" in ways())
    assert before == torch.backends.mkldnn.is_available()
    with pytest.raises(TypeError, match="expects a bool"):
        torch.backends.mkldnn.enabled = 1


@pytest.mark.parametrize("channels", [1, 2])
def test_taps_that_meet_no_nan(channels):
    """The last column is met by the last taps only; the gradients of others are finite."""
    x = torch.randn(1, 2, 6, 11)
    x[..., 10] = torch.nan
    w = torch.randn(2, channels, 3, 3, requires_grad=True)
    y = F.conv2d(x, w, groups=2 // channels)
    (grad,) = torch.autograd.grad(y, w, torch.ones_like(y))
    assert grad[..., :2].isfinite().all() and grad[..., 2].isnan().all()


VOLUMES = {
    "plain": (3, (5, 6, 70), (3, 3, 3), 1, 0, 1),
    "padded": (3, (5, 6, 7), (3, 2, 3), 1, 1, 1),
    "two results each": (6, (4, 9, 11), (2, 3, 3), 1, (1, 0, 1), 1),
    "dilated": (3, (7, 9, 11), (2, 3, 2), 1, (0, 2, 1), (1, 2, 3)),
    "steps": (6, (7, 9, 11), (3, 3, 2), (2, 1, 3), 1, 1),
    "large window": (3, (6, 6, 6), (5, 5, 5), 1, 2, 1),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("name", VOLUMES)
def test_depthwise_volumes(name, dtype):
    results, image, window, stride, padding, dilation = VOLUMES[name]
    channels, batch = 3, 2

    def three(n):
        return n if isinstance(n, tuple) else (n, n, n)

    def by_taps(x, w, bias):
        """Each tap of the window times the elements that it meets."""
        x = F.pad(x, [p for n in reversed(three(padding)) for p in (n, n)])
        sizes = [(x.shape[d + 2] - three(dilation)[d] * (window[d] - 1) - 1) // three(stride)[d] + 1 for d in range(3)]
        x = x.repeat_interleave(results // channels, 1)
        total = bias.reshape(1, -1, 1, 1, 1)
        for tap in itertools.product(*map(range, window)):
            met = x
            for d in range(3):
                first = tap[d] * three(dilation)[d]
                places = torch.arange(sizes[d]) * three(stride)[d] + first
                met = met.index_select(d + 2, places)
            total = total + met * w[(slice(None), 0, *tap)].reshape(1, -1, 1, 1, 1)
        return total

    torch.manual_seed(0)
    operands = torch.randn(batch, channels, *image), torch.randn(results, 1, *window), torch.randn(results)
    ours = [t.to(dtype).requires_grad_() for t in operands]
    exact = [t.to(dtype).double().requires_grad_() for t in operands]
    tolerance = {torch.float32: 2e-5, torch.float64: 1e-12}[dtype]
    result = F.conv3d(*ours, stride=stride, padding=padding, dilation=dilation, groups=channels)
    expected = by_taps(*exact)
    torch.testing.assert_close(result.double(), expected, rtol=tolerance, atol=tolerance * 10)
    weights = torch.randn(result.shape).to(dtype)
    for a, b in zip(torch.autograd.grad(result, ours, weights), torch.autograd.grad(expected, exact, weights.double())):
        torch.testing.assert_close(a.double(), b, rtol=tolerance, atol=tolerance * max(1, b.abs().max().item()))
