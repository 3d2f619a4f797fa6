"""Long lines of one channel, for which tables of their elements are not made: the results are those of the tables."""

import math

import pytest

import torch
import torch.nn.functional as F

MANY = 65  # so many lines are computed from a table


OPTIONS = (
    {"mode": "linear", "scale_factor": 2.0},
    {"mode": "linear", "scale_factor": 0.9},
    {"mode": "linear", "size": 2049, "align_corners": True},
    {"mode": "linear", "size": 5000},
    {"mode": "nearest", "scale_factor": 3.0},
    {"mode": "nearest", "size": 1024},
    {"mode": "nearest-exact", "size": 1777},
    {"mode": "nearest-exact", "scale_factor": 1.7},
)


@pytest.mark.parametrize("n", (1500, 4099))
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_interpolate(n, options):
    line = torch.arange(n, dtype=torch.float32).mul(0.37).sin().view(1, 1, n)
    found, expected = F.interpolate(line, **options), F.interpolate(line.expand(MANY, 1, n).contiguous(), **options)
    torch.testing.assert_close(found[0], expected[0], rtol=0, atol=0 if "nearest" in options["mode"] else 1e-6)
    assert found.shape[-1] >= 1024


@pytest.mark.parametrize("dtype", (torch.float32, torch.float64, torch.bfloat16))
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_gradient_of_interpolate(options, dtype):
    line = torch.zeros(1, 1, 4099, dtype=dtype, requires_grad=True)
    many = torch.zeros(MANY, 1, 4099, dtype=dtype, requires_grad=True)
    found, expected = F.interpolate(line, **options), F.interpolate(many, **options)
    weights = torch.arange(found.numel()).mul(0.7).cos().to(dtype).view_as(found)
    (found,) = torch.autograd.grad(found, line, weights)
    (expected,) = torch.autograd.grad(expected, many, weights.expand_as(expected))
    torch.testing.assert_close(found[0], expected[0], rtol=0, atol=1e-2 if dtype == torch.bfloat16 else 1e-5)


@pytest.mark.parametrize("dtype", (torch.uint8, torch.float64, torch.bfloat16))
def test_nearest_of_other_types(dtype):
    line = torch.arange(3000).remainder(200).to(dtype).view(1, 1, 3000)
    found, expected = F.interpolate(line, size=1300), F.interpolate(line.expand(MANY, 1, 3000).contiguous(), size=1300)
    assert torch.equal(found[0], expected[0])


def test_nearest_of_a_view_that_is_not_contiguous():
    line = torch.arange(6000.0).view(1, 1, 6000)[..., ::2]
    assert torch.equal(F.interpolate(line, size=1200), F.interpolate(line.contiguous(), size=1200))


@pytest.mark.parametrize("mode", ("reflect", "replicate"))
@pytest.mark.parametrize("pad", ((5, 3), (0, 40), (40, 0), (-7, 9), (30, -2)))
def test_pad(mode, pad):
    n = 100
    x = torch.arange(n, dtype=torch.float64).view(1, 1, n).requires_grad_()
    places = [k - pad[0] for k in range(n + sum(pad))]
    if mode == "reflect":
        places = [-k if k < 0 else 2 * (n - 1) - k if k >= n else k for k in places]
    places = [min(max(k, 0), n - 1) for k in places]
    y = F.pad(x, pad, mode=mode)
    assert y.flatten().tolist() == places
    weights = torch.arange(1.0, y.numel() + 1, dtype=torch.float64)
    (gradient,) = torch.autograd.grad(y, x, weights.view_as(y))
    expected = torch.zeros(n, dtype=torch.float64).index_add_(0, torch.tensor(places), weights)
    assert torch.equal(gradient.flatten(), expected)


@pytest.mark.parametrize("n", (511, 512, 513, 4099))
@pytest.mark.parametrize("name, a", (("hann", (0.5, 0.5, 0)), ("hamming", (0.54, 0.46, 0)), ("blackman", (0.42, 0.5, 0.08))))
def test_windows(n, name, a):
    for periodic in (True, False):
        window = getattr(torch, f"{name}_window")(n, periodic=periodic, dtype=torch.float64)
        angles = [2 * math.pi * (k / (n if periodic else n - 1)) for k in range(n)]
        expected = [a[0] - a[1] * math.cos(t) + a[2] * math.cos(2 * t) for t in angles]
        torch.testing.assert_close(window, torch.tensor(expected, dtype=torch.float64), rtol=0, atol=1e-15)


@pytest.mark.parametrize("n", (511, 512, 4099))
def test_triangle(n):
    window = torch.bartlett_window(n, periodic=False, dtype=torch.float64)
    expected = [1 - abs(2 * (k / (n - 1)) - 1) for k in range(n)]
    assert window.tolist() == expected


def test_windows_do_not_depend_on_the_number_of_threads():
    before = torch.get_num_threads()
    try:
        found = []
        for threads in (1, 2, 3):
            torch.set_num_threads(threads)
            found.append(torch.blackman_window(100_003))
    finally:
        torch.set_num_threads(before)
    assert all(torch.equal(found[0], other) for other in found[1:])
