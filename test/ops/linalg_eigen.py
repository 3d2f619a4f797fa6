"""Eigenvalues and singular values, with their vectors."""

import numpy as np

import torch
from ops.common import VALUES, internal
from ops.shared.matrices import LAPACK, RECTANGULAR, SQUARE, ct, dense, each, gradient, linalg, op, through

ONES = torch.ones(2, 3)
NAN = torch.full((2, 2), float("nan"))
ERROR = torch.linalg.LinAlgError
TRIANGLES = (((), {}), (("L",), {}), (("U",), {}))
DRIVER = [(lambda: torch.linalg.svd(ONES, driver="x"), RuntimeError, "driver", VALUES), (lambda: torch.linalg.svd(NAN), ERROR, "finite", VALUES),
          (lambda: torch.linalg.svd(ONES[0]), RuntimeError, "at least 2")]  # fmt: skip


def hermitian(a, uplo):
    """The matrix that one triangle stands for."""
    half = np.triu(a, 1) if uplo == "U" else np.tril(a, -1)
    diagonal = np.diagonal(a, 0, -2, -1).real
    return half + ct(half) + np.eye(a.shape[-1], dtype=a.dtype) * diagonal[..., None, :]


def eigvalsh(a, uplo="L"):
    return np.linalg.eigvalsh(hermitian(a, uplo)) if a.size else np.zeros(a.shape[:-1], np.abs(a).dtype)


def symmetric(a):
    return a + a.mH


def complex_of(a):
    return a.astype(np.result_type(a.dtype, np.complex64))


def rebuilt(values, vectors):
    """A V = V L, so this is A."""
    return (vectors * values.unsqueeze(-2)) @ torch.linalg.inv(vectors)


def in_order(values):
    """Eigenvalues have no order of their own."""
    key = (values.real * 1e3).round() + values.imag
    return values.gather(-1, key.argsort(-1)) if values.numel() else values


def eigvals(a):
    if a.size == 0:
        return complex_of(a)[..., 0] if a.ndim > 2 else np.zeros(0, complex_of(a).dtype)
    return in_order(torch.from_numpy(np.linalg.eigvals(a).astype(complex_of(a).dtype))).numpy()


def svdvals(a):
    return np.linalg.svd(a, compute_uv=False) if a.size else np.zeros((*a.shape[:-2], min(a.shape[-2:])), np.abs(a).dtype)


def from_svd(u, s, vh):
    k = s.shape[-1]
    return (u[..., :k] * s.unsqueeze(-2)) @ vh[..., :k, :]


def fixed(u, s, vh):
    """The factor of length one that each pair of vectors is free to have is determined by its first element."""
    k = s.shape[-1]
    u, vh = u[..., :k], vh[..., :k, :]
    phase = u[..., :1, :] / u[..., :1, :].abs()
    return u / phase, s, vh * phase.mT


def fixed_vectors(values, vectors):
    first = vectors[..., :1, :]
    return values, vectors / (first / first.abs())


def is_unitary(q):
    """How far the columns are from orthonormal ones."""
    return (q.mH @ q - torch.eye(q.shape[-1], dtype=q.dtype, device=q.device)).abs().sum()


def svd_all(a, some):
    u, s, v = torch.svd(a, some)
    return from_svd(u, s, v.mH), is_unitary(u), is_unitary(v)


def svd_all_ref(a, some):
    zero = np.zeros((), np.abs(a).dtype)
    return a, zero, zero


def linalg_svd_all(a, full_matrices=True):
    u, s, vh = torch.linalg.svd(a, full_matrices)
    return from_svd(u, s, vh), is_unitary(u), is_unitary(vh.mH)


SMALL = ((3, 3), (2, 2, 2))

OPS = [
    linalg("eig", each(dense, SQUARE), None, grad=False, errors=[(lambda: torch.linalg.eig(NAN), RuntimeError, "NaN", VALUES)]),
    through("linalg_eig.product", lambda a: rebuilt(*torch.linalg.eig(a)), each(dense, SQUARE), complex_of, tolerance=1e-3),
    gradient("linalg_eig.fixed", lambda a: fixed_vectors(*torch.linalg.eig(a)), each(dense, SMALL), meta=False),
    linalg("eigvals", each(dense, SQUARE), None),
    through("linalg_eigvals.ordered", lambda a: in_order(torch.linalg.eigvals(a)), each(dense, SQUARE[:6]), eigvals, meta=False, tolerance=1e-3),
    internal("_linalg_eigvals", each(dense, SQUARE), None, LAPACK, grad=False),
    linalg("eigh", each(dense, SQUARE, *TRIANGLES), None, grad=False,
           errors=[(lambda: torch.linalg.eigh(NAN), ERROR, "finite", VALUES), (lambda: torch.linalg.eigh(ONES), RuntimeError, "square"),
                   (lambda: torch.linalg.eigh(torch.eye(2), "X"), RuntimeError, "UPLO")]),
    through("linalg_eigh.product", lambda a, *uplo: rebuilt(*torch.linalg.eigh(a, *uplo)), each(dense, SQUARE, *TRIANGLES[1:]), hermitian, tolerance=1e-3),
    gradient("linalg_eigh.fixed", lambda a: fixed_vectors(*torch.linalg.eigh(symmetric(a))), each(dense, SMALL)),
    linalg("eigvalsh", each(dense, SQUARE, *TRIANGLES), eigvalsh, grad=False),
    gradient("linalg_eigvalsh.symmetric", lambda a: torch.linalg.eigvalsh(symmetric(a)), each(dense, SMALL)),
    internal("_linalg_eigh", each(dense, SQUARE, ((), {}), (("U", False), {})), None, LAPACK, grad=False),
    linalg("svd", each(dense, RECTANGULAR, ((), {}), ((False,), {})), None, grad=False, errors=DRIVER),
    through("linalg_svd.product", linalg_svd_all, each(dense, RECTANGULAR, ((True,), {}), ((False,), {})), svd_all_ref, tolerance=1e-3),
    gradient("linalg_svd.fixed", lambda a, full: fixed(*torch.linalg.svd(a, full)), each(dense, ((3, 3), (4, 3), (3, 4), (2, 2, 2)), ((True,), {}), ((False,), {}))),
    linalg("svdvals", each(dense, RECTANGULAR), svdvals, gradgrad=False),
    internal("_linalg_svd", each(dense, RECTANGULAR, ((), {}), ((True,), {}), ((False, False), {})), None, LAPACK, grad=False),
    op("svd", each(dense, RECTANGULAR, ((), {}), ((False,), {}), ((True, False), {})), None, grad=False),
    through("svd.product", svd_all, each(dense, RECTANGULAR, ((True,), {}), ((False,), {})), svd_all_ref, tolerance=1e-3),
]  # fmt: skip
