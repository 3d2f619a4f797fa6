"""Norms of matrices, conditions, ranks and pseudoinverses."""

import numpy as np

import torch
from ops.common import ALL_FLOATS, COMPLEX, FLOATS, Op, Sample
from ops.shared.matrices import LAPACK, ct, dense, each, linalg, op, regular

ONES = torch.ones(2, 3)
INF = float("inf")
SVD_ORDERS, SUM_ORDERS = (2, -2, "nuc"), (1, -1, INF, -INF, "fro")


def norm_samples(orders):
    def samples(dtype):
        for order in orders:
            yield Sample(dense(3, 4, dtype=dtype), (order,))
            yield Sample(dense(2, 3, 2, dtype=dtype), (order,), {"dim": (0, 2)})
            yield Sample(dense(2, 3, 2, dtype=dtype), (order,), {"dim": (-1, 0), "keepdim": True})

    return samples


def matrix_norm(a, ord="fro", dim=(-2, -1), keepdim=False, dtype=None):
    return np.linalg.norm(a if dtype is None else a.astype(np.float64), ord, tuple(dim), keepdim)


def norm(a, ord=None, dim=None, keepdim=False):
    if dim is None and ord is None:
        a = a.reshape(-1)
        return np.linalg.norm(a)
    return np.linalg.norm(a, ord, tuple(dim) if isinstance(dim, (tuple, list)) else dim, keepdim)


def any_norm_samples(dtype):
    x = dense(3, 4, dtype=dtype)
    yield from (Sample(x, a) for a in ((), (1,), ("fro",), (INF,), (-1,)))
    yield from (Sample(x, (p, d)) for p in (None, 1, 2, 3, INF) for d in (0, (1,)))
    yield from (Sample(x[0], (p,)) for p in (1, 2, -INF))
    yield Sample(dense(2, 3, 4, dtype=dtype), ("fro", (0, 1), True))


def values(a, hermitian):
    return np.abs(np.linalg.eigvalsh(a)) if hermitian else np.linalg.svd(a, compute_uv=False)


def cutoff(a, s, atol, rtol):
    eps = np.finfo(a.dtype).eps * max(a.shape[-2:])
    if rtol is None:
        rtol = eps if atol is None else np.where(np.asarray(atol) > 0, 0, eps)
    return np.maximum(np.asarray(0 if atol is None else atol)[..., None], np.asarray(rtol)[..., None] * s.max(-1, keepdims=True))


def matrix_rank(a, tol=None, hermitian=False, atol=None, rtol=None):
    s = values(a, hermitian)
    atol, rtol = (atol, rtol) if tol is None else (tol, 0)
    return np.asarray((s > cutoff(a, s, atol, rtol)).sum(-1))


def deficient(dtype):
    """Matrices of rank 2, and of full rank."""
    a = dense(4, 2, dtype=dtype) @ dense(2, 3, dtype=dtype)
    return [a, dense(2, 3, 4, dtype=dtype), torch.stack([a, dense(4, 3, dtype=dtype)])]


def rank_samples(dtype):
    real = torch.empty(0, dtype=dtype).real.dtype if dtype.is_complex else dtype
    for a in deficient(dtype):
        tensor = torch.tensor(0.1, dtype=real)
        for args, kwargs in (((), {}), ((0.1,), {}), ((tensor,), {}), ((), {"atol": 0.1, "rtol": 0.05}), ((), {"rtol": 0.1}), ((), {"atol": tensor}),
                             ((), {"atol": tensor, "rtol": tensor})):  # fmt: skip
            yield Sample(a, args, kwargs)
        square = a @ a.mH
        yield Sample(square, (), {"rtol": 1e-3, "hermitian": True})
    yield Sample(dense(2, 3, 3, dtype=dtype), (), {"atol": torch.tensor([0.1, 5.0], dtype=real)})


def pinv(a, rcond=None, hermitian=False, atol=None, rtol=None):
    atol, rtol = (atol, rtol) if rcond is None else (0, rcond)
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    inverse = np.where(s > cutoff(a, s, atol, rtol), 1 / s, 0)
    return (ct(vh) * inverse[..., None, :] @ ct(u)).astype(a.dtype)


def pinv_samples(dtype):
    real = torch.empty(0, dtype=dtype).real.dtype if dtype.is_complex else dtype
    tensor = torch.tensor(0.01, dtype=real)
    for a in (dense(4, 3, dtype=dtype), dense(2, 3, 4, dtype=dtype)):
        yield Sample(a)
        for args, kwargs in (
            ((0.01,), {}),
            ((tensor,), {}),
            ((), {"atol": 0.01, "rtol": 0.01}),
            ((), {"atol": tensor}),
            ((), {"rtol": tensor}),
        ):
            yield Sample(a, args, kwargs)


def hermitian_samples(dtype):
    a = dense(2, 3, 3, dtype=dtype)
    return [Sample(a @ a.mH + torch.eye(3, dtype=dtype), (), {"hermitian": True})]


def cond_samples(dtype):
    for s in ((3, 3), (2, 3, 3)):
        for p in ((), (2,), (-2,), (1,), (-1,), (INF,), (-INF,), ("fro",), ("nuc",)):
            yield Sample(regular(*s, dtype=dtype), p)
    yield Sample(dense(3, 4, dtype=dtype))


def cond(a, p=None):
    return np.asarray(np.linalg.cond(a, p))


def powsum(a, ord=2, dim=None, keepdim=False):
    return (np.abs(a) ** ord).sum(tuple(dim) if dim is not None else None, keepdims=keepdim)


NORM = [(lambda: torch.linalg.matrix_norm(ONES, 3), RuntimeError, "not supported"), (lambda: torch.linalg.matrix_norm(ONES, "x"), RuntimeError, "not supported"),
        (lambda: torch.linalg.matrix_norm(ONES, 1, (0, 0)), RuntimeError, "must be different"), (lambda: torch.linalg.matrix_norm(ONES, 1, (0,)), RuntimeError, "2-tuple"),
        (lambda: torch.linalg.matrix_norm(ONES, 1, dtype=torch.int32), RuntimeError, "dtype")]  # fmt: skip
ANY_NORM = [
    (lambda: torch.linalg.norm(ONES[None], 1), RuntimeError, "1D or 2D"),
    (lambda: torch.linalg.norm(ONES[None], 1, (0, 1, 2)), RuntimeError, "length 1 or 2"),
]

OPS = [
    linalg("matrix_norm", norm_samples(SVD_ORDERS), matrix_norm, gradgrad=False, takes=ALL_FLOATS, errors=NORM),
    Op("linalg_matrix_norm.sums", norm_samples(SUM_ORDERS), matrix_norm, ALL_FLOATS + COMPLEX, call=torch.linalg.matrix_norm, method=False, gradgrad=False, tolerance=2e-2),
    Op("linalg_matrix_norm.dtype", lambda d: [Sample(dense(3, 4, dtype=d), (o,), {"dtype": torch.float64}) for o in (1, 2, "fro")], matrix_norm,
       (torch.float32,), takes=ALL_FLOATS + COMPLEX, call=torch.linalg.matrix_norm, method=False, out=False, tolerance=1e-4),
    Op("linalg_norm", any_norm_samples, norm, ALL_FLOATS + COMPLEX, call=torch.linalg.norm, method=False, gradgrad=False, tolerance=2e-2, errors=ANY_NORM),
    Op("linalg__powsum", each(dense, ((3, 4),), ((), {}), ((3, [0]), {}), ((1, [0, 1], True), {})), powsum, FLOATS + COMPLEX, takes=ALL_FLOATS,
       call=torch._C._linalg.linalg__powsum, method=False, out=False, gradgrad=False, tolerance=1e-4),
    Op("nuclear_norm", each(dense, ((3, 4), (2, 3, 2)), ((), {}), ((True,), {}), (((0, 1), True), {})),
       lambda a, *args: matrix_norm(a, "nuc", args[0] if args and isinstance(args[0], (tuple, list)) else (-2, -1), bool(args and args[-1])), LAPACK, method=False, gradgrad=False, tolerance=1e-4),
    linalg("cond", cond_samples, cond, gradgrad=False, tolerance=1e-3,
           errors=[(lambda: torch.linalg.cond(ONES, 3), RuntimeError, "invalid norm"), (lambda: torch.linalg.cond(ONES, 1), RuntimeError, "square")]),
    linalg("matrix_rank", rank_samples, matrix_rank, grad=False, errors=[(lambda: torch.linalg.matrix_rank(ONES, hermitian=True), RuntimeError, "square")]),
    linalg("pinv", pinv_samples, pinv, gradgrad=False, tolerance=1e-3,
           errors=[(lambda: torch.linalg.pinv(ONES, atol=torch.ones((), dtype=torch.complex64)), RuntimeError, "complex")]),
    linalg("pinv", hermitian_samples, pinv, grad=False, tolerance=1e-3),
    op("pinverse", each(dense, ((4, 3), (2, 3, 4)), ((), {}), ((0.01,), {})), lambda a, rcond=1e-15: pinv(a, rcond), out=False, gradgrad=False, tolerance=1e-3),
]  # fmt: skip
