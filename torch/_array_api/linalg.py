"""Linear algebra of the array API standard, the extension included."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor
from torch._array_api.dtypes import is_integral, promoted
from torch._array_api.manipulation import axes_of
from torch._array_api.reductions import _sum_dtype

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

__all__ = [
    *("cholesky", "cross", "det", "diagonal", "eig", "eigh", "eigvals", "eigvalsh", "inv", "matmul", "matrix_norm"),
    *("matrix_power", "matrix_rank", "matrix_transpose", "outer", "pinv", "qr", "slogdet", "solve", "svd", "svdvals"),
    *("tensordot", "trace", "vecdot", "vector_norm"),
]


class EigResult(NamedTuple):
    eigenvalues: Tensor
    eigenvectors: Tensor


class EighResult(NamedTuple):
    eigenvalues: Tensor
    eigenvectors: Tensor


class QRResult(NamedTuple):
    Q: Tensor
    R: Tensor


class SlogdetResult(NamedTuple):
    sign: Tensor
    logabsdet: Tensor


class SVDResult(NamedTuple):
    U: Tensor
    S: Tensor
    Vh: Tensor


def _through_int64(compute, a: Tensor, b: Tensor) -> Tensor:
    """Products of integers: 64 bits hold them modulo the range of any integer type."""
    if is_integral(a.dtype):
        return compute(a.to(torch.int64), b.to(torch.int64)).to(a.dtype)
    return compute(a, b)


def matmul(x1: Tensor, x2: Tensor, /) -> Tensor:
    """Products of matrices, batched over leading dimensions; a vector counts as a row or a column."""
    if x1.ndim == 0 or x2.ndim == 0:
        raise ValueError("matmul: expected tensors with at least one dimension")
    return _through_int64(torch.matmul, *promoted("matmul", x1, x2))


def matrix_transpose(x: Tensor, /) -> Tensor:
    """Matrices with rows and columns swapped."""
    if x.ndim < 2:
        raise ValueError(f"matrix_transpose: expected at least two dimensions, got {x.ndim}")
    return x.mT


def tensordot(x1: Tensor, x2: Tensor, /, *, axes: int | tuple[Sequence[int], Sequence[int]] = 2) -> Tensor:
    """Sums of products over the last `axes` axes of `x1` and the first of `x2`, or over pairs of axes."""
    x1, x2 = promoted("tensordot", x1, x2)
    dims = axes if isinstance(axes, int) else tuple(list(a) for a in axes)
    return _through_int64(lambda a, b: torch.tensordot(a, b, dims=dims), x1, x2)


def vecdot(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """Dot products of vectors along an axis, conjugating `x1`."""
    if not -min(x1.ndim, x2.ndim) <= axis < 0:
        raise ValueError(f"vecdot: axis must be from {-min(x1.ndim, x2.ndim)} to -1, got {axis}")
    if x1.shape[axis] != x2.shape[axis]:
        raise ValueError(f"vecdot: sizes {x1.shape[axis]} and {x2.shape[axis]} of axis {axis} differ")
    x1, x2 = promoted("vecdot", x1, x2)
    if is_integral(x1.dtype):
        return torch.sum(x1 * x2, dim=axis, dtype=torch.int64).to(x1.dtype)
    return torch.linalg.vecdot(x1, x2, dim=axis)


def outer(x1: Tensor, x2: Tensor, /) -> Tensor:
    """Products of each element of one vector with each of another."""
    x1, x2 = promoted("outer", x1, x2)
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(f"outer: expected vectors, got {x1.ndim} and {x2.ndim} dimensions")
    return x1[:, None] * x2[None, :]


def cross(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """Cross products of vectors of 3 along an axis."""
    if not -min(x1.ndim, x2.ndim) <= axis < 0:
        raise ValueError(f"cross: axis must be from {-min(x1.ndim, x2.ndim)} to -1, got {axis}")
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ValueError(f"cross: axis {axis} must have size 3, got {x1.shape[axis]} and {x2.shape[axis]}")
    return _through_int64(lambda a, b: torch.linalg.cross(a, b, dim=axis), *promoted("cross", x1, x2))


def diagonal(x: Tensor, /, *, offset: int = 0) -> Tensor:
    """The diagonals of matrices."""
    return torch.diagonal(x, offset, -2, -1)


def trace(x: Tensor, /, *, offset: int = 0, dtype: torch.dtype | None = None) -> Tensor:
    """The sums of the diagonals of matrices."""
    return torch.sum(diagonal(x, offset=offset), dim=-1, dtype=_sum_dtype(x, dtype))


def cholesky(x: Tensor, /, *, upper: bool = False) -> Tensor:
    """Cholesky factors of symmetric or Hermitian positive-definite matrices."""
    return torch.linalg.cholesky(x, upper=upper)


def det(x: Tensor, /) -> Tensor:
    """Determinants."""
    return torch.linalg.det(x)


def slogdet(x: Tensor, /) -> SlogdetResult:
    """Signs and logarithms of the magnitudes of determinants."""
    return SlogdetResult(*torch.linalg.slogdet(x))


def eig(x: Tensor, /) -> EigResult:
    """Eigenvalues and eigenvectors, complex."""
    return EigResult(*torch.linalg.eig(x))


def eigvals(x: Tensor, /) -> Tensor:
    """Eigenvalues, complex."""
    return torch.linalg.eigvals(x)


def eigh(x: Tensor, /) -> EighResult:
    """Eigenvalues, ascending, and eigenvectors of symmetric or Hermitian matrices."""
    return EighResult(*torch.linalg.eigh(x))


def eigvalsh(x: Tensor, /) -> Tensor:
    """Eigenvalues, ascending, of symmetric or Hermitian matrices."""
    return torch.linalg.eigvalsh(x)


def inv(x: Tensor, /) -> Tensor:
    """Inverses."""
    return torch.linalg.inv(x)


def pinv(x: Tensor, /, *, rtol: float | Tensor | None = None) -> Tensor:
    """Pseudo-inverses; singular values below `rtol` times the largest count as 0."""
    return torch.linalg.pinv(x, rtol=_default_rtol(x) if rtol is None else rtol)


def matrix_rank(x: Tensor, /, *, rtol: float | Tensor | None = None) -> Tensor:
    """Ranks; singular values below `rtol` times the largest count as 0."""
    if x.ndim < 2:
        raise ValueError(f"matrix_rank: expected at least two dimensions, got {x.ndim}")
    return torch.linalg.matrix_rank(x, rtol=_default_rtol(x) if rtol is None else rtol)


def _default_rtol(x: Tensor) -> float:
    return max(x.shape[-2:]) * torch.finfo(x.dtype).eps


def matrix_power(x: Tensor, n: int, /) -> Tensor:
    """Matrices multiplied with themselves; of the inverses, for negative `n`."""
    return torch.linalg.matrix_power(x, n)


def matrix_norm(x: Tensor, /, *, keepdims: bool = False, ord: float | Literal["fro", "nuc"] | None = "fro") -> Tensor:
    """Norms of matrices."""
    return torch.linalg.matrix_norm(x, "fro" if ord is None else ord, keepdim=keepdims)


def vector_norm(x: Tensor, /, *, axis: int | tuple[int, ...] | None = None, keepdims: bool = False, ord: float = 2) -> Tensor:
    """Norms of vectors along axes, all of them for None."""
    axes = axes_of("vector_norm", x, axis)
    if not axes:  # each element is a vector
        return torch.linalg.vector_norm(x[..., None], ord, dim=-1)
    return torch.linalg.vector_norm(x, ord, dim=axes, keepdim=keepdims)


def qr(x: Tensor, /, *, mode: Literal["reduced", "complete"] = "reduced") -> QRResult:
    """QR factors."""
    if mode not in ("reduced", "complete"):
        raise ValueError(f"qr: mode must be 'reduced' or 'complete', got {mode!r}")
    return QRResult(*torch.linalg.qr(x, mode))


def solve(x1: Tensor, x2: Tensor, /) -> Tensor:
    """Solutions of `x1 @ x = x2`. `x2` is a vector only where it has one dimension."""
    x1, x2 = promoted("solve", x1, x2)
    if x2.ndim == 1:
        return torch.linalg.solve(x1, x2[:, None]).squeeze(-1)
    batch = torch.broadcast_shapes(x1.shape[:-2], x2.shape[:-2])
    return torch.linalg.solve(x1.expand(*batch, *x1.shape[-2:]), x2.expand(*batch, *x2.shape[-2:]))


def svd(x: Tensor, /, *, full_matrices: bool = True) -> SVDResult:
    """Singular value decompositions."""
    return SVDResult(*torch.linalg.svd(x, full_matrices=full_matrices))


def svdvals(x: Tensor, /) -> Tensor:
    """Singular values, descending."""
    return torch.linalg.svdvals(x)
