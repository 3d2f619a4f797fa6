"""Histograms of half types, products of 8-bit numbers and convolutions of complex halves: in a wider type, rounded once."""

import pytest

import torch

SIGNED = [torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e4m3fnuz, torch.float8_e5m2fnuz]
signed = pytest.mark.parametrize("dtype", SIGNED)


def numbers(*shape, dtype, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def same(result, exact):
    assert result.dtype in SIGNED and torch.equal(result.float(), exact.to(result.dtype).float())


@signed
def test_products_of_elements(dtype):
    x, y = numbers(3, 50, dtype=dtype), numbers(50, dtype=dtype, seed=1)
    same(x * y, x.float() * y.float())
    same(x.t() * y[:, None], x.t().float() * y[:, None].float())
    same(x.clone().mul_(y), x.float() * y.float())
    same(torch.outer(x[0], y), torch.outer(x[0].float(), y.float()))
    same(torch._foreach_mul([x], [y])[0], x.float() * y.float())


def test_products_of_scales():
    x = torch.tensor([0.25, 1, 8]).to(torch.float8_e8m0fnu)
    assert (x * x).float().tolist() == [0.0625, 1, 64]
    with pytest.raises(NotImplementedError, match="Float8_e8m0fnu"):
        x.abs()


@signed
def test_abs(dtype):
    x = numbers(100, dtype=dtype)
    same(x.abs(), x.float().abs())
    assert torch.tensor([torch.nan]).to(dtype).abs().isnan().all()


@signed
@pytest.mark.parametrize("shape", [(3, 4, 5), (1, 70, 1), (40, 300, 30), (2, 0, 3)])
def test_products_of_matrices(dtype, shape):
    m, k, n = shape
    a, b, c = numbers(m, k, dtype=dtype), numbers(k, n, dtype=dtype, seed=1), numbers(m, n, dtype=dtype, seed=2)
    small = [(t.float() / 8).to(dtype) for t in (a, b)]
    exact = small[0].double() @ small[1].double()
    for result in (small[0] @ small[1], small[0].t().contiguous().t() @ small[1]):
        # A sum in float may be rounded to the other side of a half unit.
        torch.testing.assert_close(result.float(), exact.to(dtype).float(), rtol=0.26, atol=1e-2)
    if k:
        result = torch.nn.functional.linear(small[0], small[1].t().contiguous())
        torch.testing.assert_close(result.float(), exact.to(dtype).float(), rtol=0.26, atol=1e-2)
    added = torch.addmm(c, *small, beta=2, alpha=0.5)
    torch.testing.assert_close(added.float(), (2 * c.double() + exact / 2).to(dtype).float(), rtol=0.26, atol=1e-2)


@signed
def test_small_integers_are_exact(dtype):
    a = torch.tensor([[1.0, -2, 1], [0, 1, 2]]).to(dtype)
    b = torch.tensor([[1.0, 1], [0, -1], [2, 1]]).to(dtype)
    assert (a @ b).float().tolist() == [[3, 4], [4, 1]]


@signed
def test_additions_to_elements(dtype):
    x = torch.tensor([1.0, 2, 3]).to(dtype)
    places = torch.tensor([1, 1, 0])
    assert x.index_put((places,), x, accumulate=True).float().tolist() == [4, 5, 3]


def complex_halves(*shape):
    return torch.randn(*shape, dtype=torch.complex64).to(torch.complex32)


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_convolutions_of_complex_halves(n, transposed):
    """Computed as complex64 and rounded once."""
    conv = getattr(torch.nn.functional, f"conv{'_transpose' if transposed else ''}{n}d")
    x, bias = complex_halves(2, 3, *[6] * n), complex_halves(4)
    w = complex_halves(*((3, 4) if transposed else (4, 3)), *[3] * n)
    wide = [t.to(torch.complex64).requires_grad_() for t in (x, w, bias)]
    narrow = [t.requires_grad_() for t in (x, w, bias)]
    result, exact = conv(*narrow), conv(*wide)
    assert torch.equal(result, exact.to(torch.complex32))
    weights = complex_halves(*result.shape)
    gradients = torch.autograd.grad(exact, wide, weights.to(torch.complex64))
    for a, b in zip(torch.autograd.grad(result, narrow, weights), gradients):
        assert torch.equal(a, b.to(torch.complex32))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_histograms_of_halves(dtype):
    x = torch.tensor([0.5, 1, 2, 3, 0.25], dtype=dtype)
    hist, edges = torch.histogram(x, 4, range=(0.0, 3.0))
    assert hist.dtype == edges.dtype == dtype
    assert hist.tolist() == [2, 1, 1, 1] and edges.tolist() == [0, 0.75, 1.5, 2.25, 3]
    assert torch.histogram(x, torch.tensor([0, 1, 2], dtype=dtype))[0].tolist() == [2, 2]
    assert torch.histogram(x, 4, range=(0.0, 3.0), weight=x)[0].tolist() == [0.75, 1, 2, 3]
    density = torch.histogram(x, 4, range=(0.0, 3.0), weight=x, density=True)[0]
    assert torch.allclose(density.float(), torch.tensor([0.75, 1, 2, 3]) / 6.75 / 0.75, rtol=1e-2)
    points = torch.stack([x, x.flip(0)], 1)
    for bins in (2, [torch.tensor([0, 1.5, 3], dtype=dtype)] * 2):
        grid, _ = torch.histogramdd(points, bins, range=None if isinstance(bins, list) else (0.0, 3.0, 0.0, 3.0))
        assert grid.tolist() == [[2, 1], [1, 1]]
    with pytest.raises(NotImplementedError, match="not implemented for"):
        torch.histogram(x, 4)
    # More than the type can count one by one.
    assert torch.histogram(torch.ones(5000, dtype=dtype), 1, range=(0.0, 2.0))[0].item() == torch.tensor(5000.0).to(dtype).item()
