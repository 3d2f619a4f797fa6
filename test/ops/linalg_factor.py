"""Factorizations of matrices, and solutions that use the factors."""

import functools

import numpy as np

import torch
from ops.common import ALL, ON_CPU, VALUES, Sample, internal, to_numpy
from ops.shared.matrices import (
    LAPACK,
    RECTANGULAR,
    SQUARE,
    ct,
    definite,
    dense,
    each,
    factor,
    gradient,
    linalg,
    op,
    regular,
    through,
)  # fmt: skip

ONES = torch.ones(2, 3)
NOT_POSITIVE = torch.diag(torch.tensor([1.0, -1.0]))
SINGULAR = torch.zeros(2, 2)


def triangle(a, upper):
    return np.triu(a) if upper else np.tril(a)


def cholesky(a, upper=False):
    low = np.linalg.cholesky(a) if a.size else a
    return ct(low) if upper else low


def infos(a):
    return np.zeros(a.shape[:-2], np.int32)


def from_factor(low, upper=False):
    low = triangle(low, upper)
    return ct(low) @ low if upper else low @ ct(low)


def pivots(n, *batch):
    """A valid permutation, as LAPACK gives it."""
    p = torch.arange(1, n + 1, dtype=torch.int32)
    p[0] = n
    return p.expand(*batch, n).contiguous()


def permutation(p, m):
    """The matrix of the pivots."""
    found = np.zeros((*p.shape[:-1], m, m))
    for at in np.ndindex(p.shape[:-1]):
        rows = list(range(m))
        for i, k in enumerate(p[at]):
            rows[i], rows[k - 1] = rows[k - 1], rows[i]
        found[at][rows, range(m)] = 1
    return found


def unpack(lu, p, unpack_data=True, unpack_pivots=True):
    m, n = lu.shape[-2:]
    k = min(m, n)
    nothing = np.zeros(0, lu.dtype)
    low = np.tril(lu[..., :k], -1) + np.eye(m, k, dtype=lu.dtype)
    return (
        permutation(p, m).astype(lu.dtype) if unpack_pivots else nothing,
        low.astype(lu.dtype) if unpack_data else nothing,
        np.triu(lu[..., :k, :]) if unpack_data else nothing,
    )


def from_lu(lu, p):
    perm, low, up = unpack(lu, p)
    return perm @ low @ up


def lu_product(f):
    """LU factors depend on roundings of pivots, so the factors are multiplied again."""

    def call(a, **kwargs):
        lu, p, *_ = f(a, **kwargs)
        return torch.from_numpy(np.asarray(from_lu(to_numpy(lu), to_numpy(p)))).to(a.device)

    return call


def lu_solve(lu, p, b, left=True, adjoint=False):
    a = from_lu(lu, p)
    a = ct(a) if adjoint else a
    return np.linalg.solve(a, b) if left else np.swapaxes(np.linalg.solve(np.swapaxes(a, -1, -2), np.swapaxes(b, -1, -2)), -1, -2)


def lu_solve_samples(dtype):
    for batch in ((), (2,)):
        lu, p = regular(*batch, 3, 3, dtype=dtype), pivots(3, *batch)
        yield Sample(lu, (p, dense(*batch, 3, 2, dtype=dtype, seed=1)))
        yield Sample(lu, (p, dense(*batch, 3, 2, dtype=dtype, seed=1)), {"adjoint": True})
        yield Sample(lu, (p, dense(*batch, 2, 3, dtype=dtype, seed=1)), {"left": False})
        yield Sample(lu, (p, dense(*batch, 2, 3, dtype=dtype, seed=1)), {"left": False, "adjoint": True})
    yield Sample(regular(3, 3, dtype=dtype), (pivots(3), dense(2, 3, 2, dtype=dtype)))
    yield Sample(regular(40, 40, dtype=dtype), (pivots(40), dense(40, 2, dtype=dtype)))
    yield Sample(regular(0, 0, dtype=dtype), (torch.zeros(0, dtype=torch.int32), dense(0, 2, dtype=dtype)))


def old_lu_solve_samples(dtype):
    for s in lu_solve_samples(dtype):
        if not s.kwargs:
            yield Sample(s.args[1], (s.input, s.args[0]))


def unpack_samples(dtype):
    for s in ((3, 3), (4, 3), (2, 3, 4), (0, 3), (2, 0, 0)):
        k = min(s[-2:])
        p = pivots(k, *s[:-2]) if k else torch.zeros(*s[:-2], 0, dtype=torch.int32)
        for kwargs in ({}, {"unpack_data": False}, {"unpack_pivots": False}):
            yield Sample(dense(*s, dtype=dtype), (p,), kwargs)


def cholesky_solve_samples(dtype):
    for b, a in (((3, 2), (3, 3)), ((2, 3, 1), (2, 3, 3)), ((2, 3, 1), (3, 3)), ((40, 2), (40, 40)), ((0, 2), (0, 0))):
        for upper in (False, True):
            f = factor(*a, dtype=dtype, seed=1)
            yield Sample(dense(*b, dtype=dtype), (f.mH if upper else f, upper))


def helper_samples(dtype):
    return [s for s in cholesky_solve_samples(dtype) if s.input.dim() == s.args[0].dim()]


def ldl_factor(a, hermitian=False):
    """Diagonally dominant matrices need no pivots, so that the factors are unique."""
    n = a.shape[-1]
    lower = np.tril(a)
    d = np.zeros(a.shape[:-1], a.dtype)
    for j in range(n):
        c = lower[..., j + 1 :, j].copy()
        d[..., j] = lower[..., j, j].real if hermitian else lower[..., j, j]
        lower[..., j, j] = d[..., j]
        lower[..., j + 1 :, j] = c / d[..., j, None]
        other = np.conj(c) if hermitian else c
        lower[..., j + 1 :, j + 1 :] -= np.tril(lower[..., j + 1 :, j, None] * other[..., None, :])
    numbers = np.broadcast_to(np.arange(1, n + 1, dtype=np.int32), a.shape[:-1])
    return lower, numbers


def ldl_samples(dtype):
    for s in SQUARE[:6]:
        a = regular(*s, dtype=dtype)
        yield Sample(a + a.mT)
        yield Sample(a + a.mH, (), {"hermitian": True})


def ldl_solve(ld, p, b, hermitian=False):
    low = np.tril(ld, -1) + np.eye(ld.shape[-1], dtype=ld.dtype)
    d = np.diagonal(ld, 0, -2, -1)[..., None, :]
    d = d.real if hermitian else d
    return np.linalg.solve(low * d @ (ct(low) if hermitian else np.swapaxes(low, -1, -2)), b)


def ldl_solve_samples(dtype):
    for s, b in (((3, 3), (3, 2)), ((2, 3, 3), (2, 3, 1)), ((3, 3), (2, 3, 1))):
        p = torch.arange(1, 4, dtype=torch.int32).expand(s[:-1]).contiguous()
        for hermitian in (False, True):
            yield Sample(regular(*s, dtype=dtype), (p, dense(*b, dtype=dtype)), {"hermitian": hermitian})


def positive(q, r):
    """QR factors are unique up to signs of the columns."""
    k = min(r.shape[-2:])
    d = torch.diagonal(r, 0, -2, -1)
    sign = torch.where(d.real < 0, -1.0, 1.0).to(r.dtype)
    q = torch.cat([q[..., :k] * sign[..., None, :], q[..., k:]], -1) if q.dim() > 1 else q
    return q, torch.cat([r[..., :k, :] * sign[..., :, None], r[..., k:, :]], -2)


def qr(a, mode="reduced"):
    m, n = a.shape[-2:]
    shape = {"reduced": (m, min(m, n)), "complete": (m, m)}.get(mode)
    if a.size == 0:
        q = np.zeros(0, a.dtype) if mode == "r" else np.broadcast_to(np.eye(*shape, dtype=a.dtype), (*a.shape[:-2], *shape))
        rows = m if mode == "complete" else min(m, n)
        return q, np.zeros((*a.shape[:-2], rows, n), a.dtype)
    q, r = np.linalg.qr(a, "complete" if mode == "complete" else "reduced")
    q, r = torch.from_numpy(q), torch.from_numpy(r)
    q, r = positive(q, r)
    if mode == "complete":  # further columns are any basis
        k = min(m, n)
        return q.numpy()[..., :k], r.numpy()
    return (np.zeros(0, a.dtype) if mode == "r" else q.numpy()), r.numpy()


def qr_call(a, mode="reduced"):
    q, r = torch.linalg.qr(a, mode)
    q, r = positive(q, r) if a.numel() else (q, r)
    return (q[..., : min(a.shape[-2:])].clone() if mode == "complete" and a.numel() else q), r


def reflectors(v, tau, columns):
    """The product of Householder reflectors."""
    m, k = v.shape[-2], tau.shape[-1]
    q = np.broadcast_to(np.eye(m, dtype=v.dtype), (*v.shape[:-2], m, m)).copy()
    for i in range(k):
        w = np.concatenate([np.zeros((*v.shape[:-2], i)), np.ones((*v.shape[:-2], 1)), v[..., i + 1 :, i]], -1)[..., None]
        q = q @ (np.eye(m) - tau[..., i, None, None] * (w @ ct(w)))
    return q[..., :columns].astype(v.dtype)


def reflector_samples(dtype):
    for s, k in (((4, 3), 3), ((4, 3), 2), ((2, 4, 2), 2), ((3, 0), 0), ((3, 3), 0)):
        yield Sample(dense(*s, dtype=dtype), (dense(*s[:-2], k, dtype=dtype, seed=1),))


def ormqr(v, tau, c, left=True, transpose=False):
    q = reflectors(v, tau, v.shape[-2])
    q = ct(q) if transpose else q
    return q @ c if left else c @ q


def ormqr_samples(dtype):
    for batch in ((), (2,)):
        v, tau = dense(*batch, 4, 3, dtype=dtype), dense(*batch, 2, dtype=dtype, seed=1)
        for left in (True, False):
            for transpose in (True, False):
                shape = (4, 2) if left else (2, 4)
                yield Sample(v, (tau, dense(*batch, *shape, dtype=dtype, seed=2), left, transpose))


def geqrf_r(a):
    """R, with positive numbers on its diagonal."""
    r = torch.geqrf(a)[0][..., : min(a.shape[-2:]), :].triu()
    return positive(torch.zeros(0), r)[1] if r.numel() else r


UPPER = (((), {}), ((), {"upper": True}))
POSITIVE = [(lambda: torch.linalg.cholesky(ONES), RuntimeError, "square"),
            (lambda: torch.linalg.cholesky(NOT_POSITIVE), torch.linalg.LinAlgError, "order 2", VALUES),
            (lambda: torch.linalg.cholesky(NOT_POSITIVE.expand(2, 2, 2)), torch.linalg.LinAlgError, "Batch element 0", VALUES)]  # fmt: skip
CHECKED = [(lambda: torch.linalg.cholesky_ex(NOT_POSITIVE, check_errors=True), torch.linalg.LinAlgError, "order 2", VALUES)]
LU_ERRORS = [(lambda: torch.linalg.lu_factor(SINGULAR), RuntimeError, "is zero", VALUES),
             (lambda: torch.linalg.lu_factor(ONES, pivot=False), RuntimeError, "without pivoting", VALUES, ON_CPU),
             (lambda: torch.linalg.lu_factor(ONES[0]), RuntimeError, "at least 2 dimensions")]  # fmt: skip
WRONG_PIVOTS = [(lambda: torch.linalg.lu_solve(torch.eye(2), torch.tensor([1, 9], dtype=torch.int32), torch.eye(2)), RuntimeError, "pivots", VALUES, ON_CPU),
                (lambda: torch.linalg.lu_solve(torch.eye(2), torch.tensor([1, 2]), torch.eye(2)), RuntimeError, "int32"),
                (lambda: torch.linalg.lu_solve(torch.eye(2), torch.ones(3, dtype=torch.int32), torch.eye(2)), RuntimeError, "pivots"),
                (lambda: torch.linalg.lu_solve(torch.eye(2), torch.ones(2, dtype=torch.int32), torch.eye(3)), RuntimeError, "[Ii]ncompatible")]  # fmt: skip
QR_ERRORS = [
    (lambda: torch.linalg.qr(ONES, "q"), RuntimeError, "unrecognized mode"),
    (lambda: torch.linalg.qr(ONES[0]), RuntimeError, "at least 2"),
]
NO_TAU = [(lambda: torch.linalg.householder_product(ONES, ONES[0]), RuntimeError, "greater than or equal"),
          (lambda: torch.linalg.householder_product(ONES.mT, torch.ones(2, 2)), RuntimeError, "one dimension less"),
          (lambda: torch.linalg.householder_product(ONES.mT, torch.ones(3)), RuntimeError, "tau")]  # fmt: skip
ONE_TRIANGLE = {"grad": False}  # one triangle of the input is read: the derivatives are below

FACTORED = ((3, 3), (4, 3), (3, 4), (2, 3, 3), (0, 3), (2, 0, 3), (2, 3, 0), (40, 35))

OPS = [
    linalg("cholesky_ex", each(definite, SQUARE, *UPPER), lambda a, upper=False: (cholesky(a, upper), infos(a)), errors=CHECKED, **ONE_TRIANGLE),
    linalg("cholesky", each(definite, SQUARE, *UPPER), cholesky, errors=POSITIVE, **ONE_TRIANGLE),
    op("cholesky", each(definite, SQUARE, *UPPER), cholesky, **ONE_TRIANGLE),
    op("cholesky_inverse", each(factor, SQUARE), lambda f, upper=False: np.linalg.inv(from_factor(f, upper)), **ONE_TRIANGLE,
       errors=[(lambda: torch.cholesky_inverse(SINGULAR), torch.linalg.LinAlgError, "is zero", VALUES)]),
    op("cholesky_solve", cholesky_solve_samples, lambda b, f, upper=False: np.linalg.solve(from_factor(f, upper), b), **ONE_TRIANGLE,
       errors=[(lambda: torch.cholesky_solve(ONES, torch.eye(3)), RuntimeError, "[Ii]ncompatible")]),
    internal("_cholesky_solve_helper", helper_samples, lambda b, f, upper: np.linalg.solve(from_factor(f, upper), b), LAPACK,
             tolerance=1e-3, **ONE_TRIANGLE),
    gradient("linalg_cholesky.symmetric", lambda a, upper: torch.linalg.cholesky(a @ a.mH + torch.eye(a.shape[-1], dtype=a.dtype), upper=upper),
             each(dense, ((3, 3), (2, 2, 2)), ((False,), {}), ((True,), {}))),
    gradient("cholesky_inverse.triangle", lambda a, upper: torch.cholesky_inverse(a - 0.5 * torch.diag_embed(a.diagonal(0, -2, -1) - a.diagonal(0, -2, -1).conj()), upper),
             each(regular, ((3, 3), (2, 2, 2)), ((False,), {}), ((True,), {}))),
    gradient("cholesky_solve.triangle", lambda b, f, upper: torch.cholesky_solve(b, f.triu() if upper else f.tril(), upper), cholesky_solve_samples),
    linalg("lu_factor_ex", each(regular, SQUARE), None, errors=[
        (lambda: torch.linalg.lu_factor_ex(SINGULAR, check_errors=True), RuntimeError, "is zero", VALUES)]),
    linalg("lu_factor", each(dense, FACTORED), None, errors=LU_ERRORS),
    through("linalg_lu_factor.product", lu_product(torch.linalg.lu_factor), each(dense, FACTORED[:3]), lambda a: a, meta=False),
    through("linalg_lu_factor_ex.product", lu_product(torch.linalg.lu_factor_ex), each(dense, FACTORED[:3]), lambda a: a, meta=False),
    internal("_lu_with_info", each(dense, FACTORED), None, LAPACK),
    linalg("lu", each(dense, FACTORED), None),
    through("linalg_lu.product", lambda a: functools.reduce(torch.matmul, torch.linalg.lu(a)), each(dense, FACTORED), lambda a: a),
    op("lu_unpack", unpack_samples, unpack, ALL, method=False,
       errors=[(lambda: torch.lu_unpack(ONES, torch.ones(2)), RuntimeError, "int32"),
               (lambda: torch.lu_unpack(ONES, torch.ones(3, dtype=torch.int32)), RuntimeError, "LU_pivots"),
               (lambda: torch.lu_unpack(ONES, torch.tensor([1, 7], dtype=torch.int32)), RuntimeError, "pivots", VALUES, ON_CPU)]),
    linalg("lu_solve", lu_solve_samples, lu_solve, tolerance=5e-3, errors=WRONG_PIVOTS),
    op("lu_solve", old_lu_solve_samples, lambda b, lu, p: lu_solve(lu, p, b), tolerance=5e-3),
    linalg("ldl_factor_ex", ldl_samples, lambda a, hermitian=False: (*ldl_factor(a, hermitian), infos(a)), grad=False),
    linalg("ldl_factor", ldl_samples, ldl_factor, grad=False,
           errors=[(lambda: torch.linalg.ldl_factor(SINGULAR), RuntimeError, "singular", VALUES)]),
    linalg("ldl_solve", ldl_solve_samples, ldl_solve, grad=False,
           errors=[(lambda: torch.linalg.ldl_solve(torch.eye(2), torch.tensor([9, 2], dtype=torch.int32), torch.eye(2)), RuntimeError, "pivots", VALUES, ON_CPU)]),
    op("geqrf", each(dense, RECTANGULAR), None, grad=False),
    through("geqrf.r", geqrf_r, each(dense, RECTANGULAR[:5]), lambda a: qr(a)[1]),
    linalg("qr", each(dense, RECTANGULAR), None, errors=QR_ERRORS),
    through("linalg_qr.unique", qr_call, each(dense, RECTANGULAR, *[((m,), {}) for m in ("reduced", "complete", "r")]), qr),
    op("qr", each(dense, RECTANGULAR[:3]), None, grad=False),
    linalg("householder_product", reflector_samples, lambda v, tau: reflectors(v, tau, v.shape[-1]), errors=NO_TAU),
    op("orgqr", reflector_samples, lambda v, tau: reflectors(v, tau, v.shape[-1])),
    op("ormqr", ormqr_samples, ormqr, errors=[(lambda: torch.ormqr(ONES.mT, torch.ones(2), torch.ones(2, 2)), RuntimeError, "torch.ormqr")]),
]  # fmt: skip
