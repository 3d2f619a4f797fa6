"""Batched linear algebra of the multivariate distributions."""

from __future__ import annotations

import torch

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any

    from torch import Tensor


def _batch_mv(matrix: Tensor, vector: Tensor) -> Tensor:
    """Products of matrices and vectors, of batches that broadcast."""
    return torch.matmul(matrix, vector.unsqueeze(-1)).squeeze(-1)


def _batch_mahalanobis(factor: Tensor, x: Tensor) -> Tensor:
    """Squared lengths of L^-1 x, for Cholesky factors L of shape (*batch, n, n) and x of shape (*samples, *batch, n).

    The samples become columns of one system for each matrix: the matrices are not copied for each sample.
    """
    outer = x.dim() - factor.dim() + 1
    if outer <= 0:
        return torch.linalg.solve_triangular(factor, x.unsqueeze(-1), upper=False).square().sum((-2, -1))
    samples, batch = x.shape[:outer], x.shape[outer:-1]
    columns = x.reshape((-1,) + x.shape[outer:]).movedim(0, -1)
    lengths = torch.linalg.solve_triangular(factor, columns, upper=False).square().sum(-2)
    return lengths.movedim(-1, 0).reshape(samples + lengths.shape[: len(batch)])


def half_log_det(factor: Tensor) -> Tensor:
    """Half the logarithm of the determinant of L L^T."""
    return factor.diagonal(dim1=-2, dim2=-1).log().sum(-1)


def _precision_to_scale_tril(precision: Tensor) -> Tensor:
    """The Cholesky factor of the inverse.

    If the matrix with reversed rows and columns is L L^T, the inverse of L, reversed and transposed, is that factor.
    """
    reversed_factor = torch.linalg.cholesky(precision.flip((-2, -1)))
    upper = reversed_factor.flip((-2, -1)).mT
    identity = torch.eye(precision.shape[-1], dtype=precision.dtype, device=precision.device)
    return torch.linalg.solve_triangular(upper, identity, upper=False)


def one_of_three(name: str, **given: Any) -> str:
    """The name of the matrix that was given. Exactly one of the three must be, with at least two dimensions."""
    names = [key for key, value in given.items() if value is not None]
    if len(names) != 1:
        raise ValueError(f"{name}: give exactly one of covariance_matrix, precision_matrix and scale_tril, got {names or 'none'}")
    if given[names[0]].dim() < 2:
        raise ValueError(f"{name}: {names[0]} must have at least two dimensions, got {given[names[0]].dim()}")
    return names[0]
