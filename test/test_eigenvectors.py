"""Eigenvalues and eigenvectors of Hermitian matrices of every size range, graded, repeated and of low rank."""

import pytest

import torch


def matrix(kind, n, dtype):
    generator = torch.Generator().manual_seed(n)
    a = torch.randn(n, n, dtype=dtype, generator=generator)
    scales = torch.logspace(0, -6, n).to(dtype)
    if kind == "low rank":
        return a[:, :1] @ a[:, :1].mH
    if kind == "ones":
        return torch.ones(n, n, dtype=dtype)
    if kind == "diagonal":
        return torch.diag(torch.arange(n).to(dtype))
    if kind == "repeated":
        q = torch.linalg.qr(a)[0]
        a = q @ torch.diag((torch.arange(n) % 3).to(dtype)) @ q.mH
    a = a + a.mH
    if kind == "graded down":
        return scales[:, None] * a * scales
    if kind == "graded up":
        return scales.flip(0)[:, None] * a * scales.flip(0)
    return a


@pytest.mark.parametrize("kind", ["random", "low rank", "ones", "diagonal", "repeated", "graded down", "graded up"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.complex64, torch.complex128])
@pytest.mark.parametrize("n", [1, 2, 5, 16, 33, 64, 65, 130, 260])
@pytest.mark.parametrize("triangle", ["L", "U"])
def test_vectors_are_orthonormal_and_belong_to_their_values(kind, dtype, n, triangle):
    a = matrix(kind, n, dtype)
    one_triangle = a.tril() if triangle == "L" else a.triu()
    values, vectors = torch.linalg.eigh(one_triangle, triangle)
    unit = torch.finfo(dtype).eps
    scale = a.abs().max().item() * n * unit + 1e-30
    assert (a @ vectors - vectors * values.to(dtype)).abs().max().item() < 60 * scale
    assert (vectors.mH @ vectors - torch.eye(n, dtype=dtype)).abs().max().item() < 20 * unit * n**0.5
    assert (values.diff() >= 0).all()
    assert (torch.linalg.eigvalsh(one_triangle, triangle) - values).abs().max().item() < 20 * scale


def test_numbers_whose_squares_leave_the_type():
    a = matrix("random", 20, torch.float32)
    for scale in (1e30, 1e-30):
        torch.testing.assert_close(torch.linalg.eigh(a * scale)[0] / scale, torch.linalg.eigvalsh(a), rtol=1e-4, atol=1e-5)
