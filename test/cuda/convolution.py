"""Convolutions through cuDNN: types, dimensions, groups, memory formats and settings, against the CPU."""

import os

import pytest

os.environ["TORCH_CUDA_EMULATED_CUDNN"] = "1"  # before the first convolution

import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from torch.backends import cudnn  # noqa: E402

TOLERANCE = {torch.float32: 1e-4, torch.float64: 1e-9, torch.float16: 2e-2, torch.bfloat16: 1e-1}
CASES = {  # shapes of input and weight, and arguments
    "line": ((2, 4, 20), (6, 4, 3), {"padding": 1, "stride": 2}),
    "image": ((2, 4, 9, 8), (6, 4, 3, 2), {"padding": (1, 0), "dilation": (2, 1)}),
    "volume": ((1, 2, 5, 6, 7), (3, 2, 2, 3, 1), {"stride": (1, 2, 1)}),
    "groups": ((2, 4, 9, 8), (8, 2, 3, 3), {"groups": 2}),
    "depthwise": ((2, 4, 9, 8), (4, 1, 3, 3), {"groups": 4, "padding": 1}),
    "pointwise": ((3, 4, 5, 5), (7, 4, 1, 1), {}),
    "transposed": ((2, 4, 5, 6), (4, 3, 3, 2), {"stride": 2, "padding": 1, "output_padding": (1, 0)}),
    "transposed line": ((2, 4, 5), (4, 2, 3), {"groups": 2, "stride": 3}),
}


def convolve(name, x, w, b, **kwargs):
    dims = "" if "transposed" not in name else "transpose"
    return getattr(F, f"conv{'_' * bool(dims)}{dims}{x.ndim - 2}d")(x, w, b, **kwargs)


def compare(name, dtype, memory_format=torch.contiguous_format, trains=True):
    torch.manual_seed(0)
    size, kernel, kwargs = CASES[name]
    x, w = torch.randn(size), torch.randn(kernel)
    features = kernel[1] * kwargs.get("groups", 1) if "transposed" in name else kernel[0]
    given = [t.to(dtype) for t in (x, w, torch.randn(features))]
    cpu = [t.to(torch.float64, copy=True).requires_grad_() for t in given]
    gpu = [t.cuda().to(memory_format=memory_format if t.ndim == 4 else torch.contiguous_format).requires_grad_() for t in given]
    expected = convolve(name, *cpu, **kwargs)
    result = convolve(name, *gpu, **kwargs)
    tolerance = TOLERANCE[dtype]
    torch.testing.assert_close(result.cpu().double(), expected, rtol=tolerance, atol=tolerance)
    if result.ndim == 4:
        assert result.is_contiguous(memory_format=memory_format)
    grad = torch.randn(expected.shape).to(dtype)
    expected.backward(grad.double())
    result.backward(grad.cuda())
    for ours, theirs in zip(gpu, cpu):
        torch.testing.assert_close(ours.grad.cpu().double(), theirs.grad, rtol=4 * tolerance, atol=4 * tolerance)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("name", CASES)
def test_convolution(name, dtype):
    compare(name, dtype)


@pytest.mark.parametrize("name", ["image", "groups", "depthwise", "pointwise", "transposed"])
def test_channels_last(name):
    compare(name, torch.float16, torch.channels_last)
    compare(name, torch.float32, torch.channels_last)


@pytest.mark.parametrize(
    "setting", [{"benchmark": True}, {"deterministic": True}, {"benchmark": True, "benchmark_limit": 1}, {"allow_tf32": False}]
)
def test_settings(setting):
    with cudnn.flags(enabled=True, **setting):
        compare("image", torch.float32)
        compare("transposed", torch.float16)


def test_switched_off():
    """Kernels of this library do the work then."""
    with cudnn.flags(enabled=False):
        for name in CASES:
            compare(name, torch.float32)


def test_types_that_cudnn_does_not_have():
    x, w = torch.arange(12).reshape(1, 1, 12), torch.tensor([[[1, 2, 3]]])
    torch.testing.assert_close(F.conv1d(x.cuda(), w.cuda()).cpu(), F.conv1d(x, w))
    x, w = torch.randn(1, 1, 12, dtype=torch.complex64), torch.randn(1, 1, 3, dtype=torch.complex64)
    torch.testing.assert_close(F.conv1d(x.cuda(), w.cuda()).cpu(), F.conv1d(x, w))
    assert F.conv1d(torch.ones(0, 1, 12, device="cuda"), torch.ones(2, 1, 3, device="cuda")).shape == (0, 2, 10)


def test_operands_that_begin_anywhere():
    x, w = torch.randn(101), torch.randn(1, 1, 3)
    torch.testing.assert_close(F.conv1d(x.cuda()[1:].view(1, 1, 100), w.cuda()).cpu(), F.conv1d(x[1:].view(1, 1, 100), w))


def test_what_python_sees():
    assert cudnn.is_available() and cudnn.version() >= 90000
    assert cudnn.is_acceptable(torch.ones(1, device="cuda")) and not cudnn.is_acceptable(torch.ones(1))


def test_in_a_graph():
    x, w = torch.randn(1, 2, 8, 8, device="cuda"), torch.randn(3, 2, 3, 3, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with cudnn.flags(enabled=True, benchmark=True), torch.cuda.graph(graph):
        y = F.conv2d(x, w)
    x.mul_(2)
    graph.replay()
    torch.testing.assert_close(y.cpu(), F.conv2d(x.cpu(), w.cpu()), rtol=1e-4, atol=1e-4)
