"""Singular values and principal components of large matrices by random projections (Halko, Martinsson and Tropp, 2009)."""

from __future__ import annotations

import torch

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["pca_lowrank", "svd_lowrank"]


def get_approximate_basis(A: Tensor, q: int, niter: int | None = 2, M: Tensor | None = None) -> Tensor:
    """Orthonormal columns that nearly span the range of A - M.

    Args:
        A (Tensor): (..., m, n)
        q (int): the number of columns
        niter (int, default 2): how often A^H and A are applied, which separates singular values
        M (Tensor, optional): what is subtracted from A, broadcast

    Returns:
        (..., m, q)
    """
    niter = 2 if niter is None else niter
    dtype = A.dtype if A.dtype.is_floating_point or A.dtype.is_complex else torch.get_default_dtype()
    matrix = A.to(dtype)
    if M is not None:
        matrix = matrix - M
    probes = torch.randn(A.shape[-1], q, dtype=dtype, device=A.device)
    basis = torch.linalg.qr(matrix @ probes).Q
    for _ in range(niter):
        basis = torch.linalg.qr(matrix.mH @ basis).Q
        basis = torch.linalg.qr(matrix @ basis).Q
    return basis


def svd_lowrank(
    A: Tensor, q: int | None = 6, niter: int | None = 2, M: Tensor | None = None,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """The largest singular values and their vectors, approximately: A - M = U diag(S) V^H, from random projections.

    Args:
        A (Tensor): (..., m, n)
        q (int, default 6): the number of values; a few more than are needed give better ones
        niter (int, default 2): the number of iterations
        M (Tensor, optional): what is subtracted from A, broadcast

    Returns:
        U (..., m, q), S (..., q) in descending order, and V (..., n, q)

    Example:
        >>> A = torch.diag(torch.tensor([3., 2., 1.]))
        >>> U, S, V = torch.svd_lowrank(A, q=3)
        >>> S.round(decimals=3)
        tensor([3., 2., 1.])
    """
    tensors = (A,) if M is None else (A, M)
    if torch._C._has_torch_function(tensors):
        from torch.overrides import handle_torch_function

        return handle_torch_function(svd_lowrank, tensors, A, q=q, niter=niter, M=M)
    q = 6 if q is None else q
    m, n = A.shape[-2:]
    if M is not None:
        M = M.broadcast_to(A.shape)
    # The shorter side is projected.
    flipped = m < n
    matrix = A.mH if flipped else A
    shift = None if M is None else M.mH if flipped else M
    basis = get_approximate_basis(matrix, q, niter, shift)
    rest = matrix if shift is None else matrix - shift
    U, S, Vh = torch.linalg.svd(basis.mH @ rest.to(basis.dtype), full_matrices=False)
    left, right = basis @ U, Vh.mH
    return (right, S, left) if flipped else (left, S, right)


def pca_lowrank(A: Tensor, q: int | None = None, center: bool = True, niter: int = 2) -> tuple[Tensor, Tensor, Tensor]:
    """Principal components of rows, approximately, from random projections.

    Args:
        A (Tensor): (..., m, n), with m observations of n variables
        q (int, optional): the number of components; by default 6, or fewer for small matrices
        center (bool, default True): subtract the means of the columns
        niter (int, default 2): the number of iterations

    Returns:
        U (..., m, q), S (..., q) in descending order, and V (..., n, q), whose columns are the directions

    Raises:
        ValueError: q or niter is negative or too large

    Example:
        >>> U, S, V = torch.pca_lowrank(torch.tensor([[1., 0.], [-1., 0.]]), q=1)
        >>> S.round(decimals=3)
        tensor([1.4140])
    """
    if torch._C._has_torch_function((A,)):
        from torch.overrides import handle_torch_function

        return handle_torch_function(pca_lowrank, (A,), A, q=q, center=center, niter=niter)
    m, n = A.shape[-2:]
    if q is None:
        q = min(6, m, n)
    elif not 0 <= q <= min(m, n):
        raise ValueError(f"pca_lowrank: q must be within 0 and {min(m, n)} for a matrix of {m} by {n}, got {q}")
    if niter < 0:
        raise ValueError(f"pca_lowrank: niter must not be negative, got {niter}")
    if not center:
        return svd_lowrank(A, q, niter=niter)
    return svd_lowrank(A - A.mean(-2, keepdim=True), q, niter=niter)
