"""Eigenvalues and singular values flush subnormal results, and nothing else does."""

import pytest

import torch

SUBNORMAL = 1e-310


@pytest.mark.parametrize("n", [3, 40, 300])
def test_the_switch_is_back_afterwards(n):
    rows = torch.ones(n, n, dtype=torch.float64)
    for decompose in (torch.linalg.eigvals, torch.linalg.eigvalsh, torch.linalg.svdvals, torch.linalg.eig, torch.linalg.svd):
        decompose(rows)
        assert torch.tensor([1e-300], dtype=torch.float64).mul(1e-10).item() == SUBNORMAL
    with pytest.raises(torch.linalg.LinAlgError):
        torch.linalg.eigvalsh(torch.full((n, n), float("nan"), dtype=torch.float64))
    assert torch.tensor([1e-300], dtype=torch.float64).mul(1e-10).item() == SUBNORMAL


@pytest.mark.parametrize("n", [2, 40, 300])
def test_matrices_of_subnormal_numbers_keep_them(n):
    a = torch.eye(n, dtype=torch.float64) * SUBNORMAL
    for values in (torch.linalg.eigvals(a).real, torch.linalg.eigvalsh(a), torch.linalg.svdvals(a)):
        assert ((values - SUBNORMAL).abs() <= 1e-6 * SUBNORMAL).all()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.complex64, torch.complex128])
@pytest.mark.parametrize("n", [5, 60, 130])
def test_equal_rows_have_one_eigenvalue(n, dtype):
    torch.manual_seed(n)
    row = torch.randn(n, dtype=dtype)
    values = torch.linalg.eigvals(row.expand(n, n))
    assert abs(values.abs().max().item() - abs(row.sum().item())) < 1e-3 * row.abs().sum().item()
