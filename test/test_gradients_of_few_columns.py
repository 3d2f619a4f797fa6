"""Gradients of solutions with few right-hand sides take products of few columns, those of many take products of matrices."""

import pytest

import torch
from torch.autograd import gradcheck, gradgradcheck

N = 4


@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
@pytest.mark.parametrize("columns", [1, 2, 6])
@pytest.mark.parametrize("batches", [((), ()), ((2,), (2,)), ((), (3,))])
@pytest.mark.parametrize("left, adjoint", [(True, False), (True, True), (False, False), (False, True)])
def test_lu_solve(dtype, columns, batches, left, adjoint):
    matrix = torch.randn(*batches[0], N, N, dtype=dtype) + N * torch.eye(N, dtype=dtype)
    factors, pivots = torch.linalg.lu_factor(matrix)
    shape = (N, columns) if left else (columns, N)
    operands = factors.requires_grad_(), torch.randn(*batches[1], *shape, dtype=dtype, requires_grad=True)

    def solve(factors, right):
        return torch.linalg.lu_solve(factors, pivots, right, left=left, adjoint=adjoint)

    assert gradcheck(solve, operands) and gradgradcheck(solve, operands)


@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
@pytest.mark.parametrize("columns", [1, 2, 6])
@pytest.mark.parametrize("batches", [((), ()), ((2,), (2,)), ((), (3,))])
@pytest.mark.parametrize("upper", [False, True])
def test_cholesky_solve(dtype, columns, batches, upper):
    matrix = torch.randn(*batches[0], N, N, dtype=dtype) + N * torch.eye(N, dtype=dtype)
    factor = (matrix.triu() if upper else matrix.tril()).requires_grad_()
    right = torch.randn(*batches[1], N, columns, dtype=dtype, requires_grad=True)

    def solve(factor, right):
        return torch.cholesky_solve(right, factor, upper=upper)

    assert gradcheck(solve, (factor, right)) and gradgradcheck(solve, (factor, right))
