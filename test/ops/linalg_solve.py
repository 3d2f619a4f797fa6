"""Linear equations: solutions, inverses, determinants, least squares."""

import numpy as np

import torch
from ops.common import LIB, VALUES, Op, Sample, internal
from ops.shared.matrices import LAPACK, SQUARE, dense, each, linalg, op, regular

ONES = torch.ones(2, 3)
SINGULAR = torch.zeros(2, 2)
ERROR = torch.linalg.LinAlgError


def transposed(a):
    return np.swapaxes(a, -1, -2)


def solve(a, b, left=True):
    vectors = b.ndim == 1 or (a.ndim - 1 == b.ndim and b.shape == a.shape[:-1])
    if vectors:
        return np.linalg.solve(a, b[..., None])[..., 0]
    return np.linalg.solve(a, b) if left else transposed(np.linalg.solve(transposed(a), transposed(b)))


def solve_samples(dtype):
    pairs = (((3, 3), (3, 2)), ((2, 3, 3), (2, 3, 1)), ((3, 3), (3,)), ((2, 3, 3), (2, 3)), ((3, 3), (2, 3, 2)), ((2, 1, 2, 2), (3, 2, 1)),
             ((40, 40), (40, 2)), ((0, 0), (0, 2)), ((0, 3, 3), (0, 3, 1)), ((3, 3), (3, 0)))  # fmt: skip
    for a, b in pairs:
        yield Sample(regular(*a, dtype=dtype), (dense(*b, dtype=dtype, seed=1),))
    for a, b in (((3, 3), (2, 3)), ((2, 3, 3), (2, 1, 3)), ((40, 40), (2, 40))):
        yield Sample(regular(*a, dtype=dtype), (dense(*b, dtype=dtype, seed=1),), {"left": False})


def infos(a):
    return np.zeros(a.shape[:-2], np.int32)


def triangle(a, upper, unit):
    a = np.triu(a) if upper else np.tril(a)
    return a - np.eye(a.shape[-1], dtype=a.dtype) * a + np.eye(a.shape[-1], dtype=a.dtype) if unit else a


def triangular_samples(dtype):
    for upper in (True, False):
        for unit in (True, False):
            k = {"upper": upper, "unitriangular": unit}
            yield Sample(regular(3, 3, dtype=dtype), (dense(3, 2, dtype=dtype),), k)
            yield Sample(regular(2, 3, 3, dtype=dtype), (dense(2, 2, 3, dtype=dtype),), {"left": False, **k})
            yield Sample(regular(3, 3, dtype=dtype).mT, (dense(2, 3, 1, dtype=dtype),), k)
            yield Sample(regular(40, 40, dtype=dtype), (dense(40, 7, dtype=dtype),), k)
    yield Sample(regular(0, 0, dtype=dtype), (dense(0, 2, dtype=dtype),), {"upper": True})


def solve_triangular(a, b, upper, left=True, unitriangular=False):
    return solve(triangle(a, upper, unitriangular), b, left) if a.size else b


def old_triangular_samples(dtype):
    for b, a in (((3, 2), (3, 3)), ((2, 3, 1), (3, 3)), ((3, 2), (2, 3, 3))):
        for args in ((), (False,), (True, True), (False, True, True), (True, False, True)):
            yield Sample(dense(*b, dtype=dtype), (regular(*a, dtype=dtype), *args))


def triangular_solve(b, a, upper=True, transpose=False, unitriangular=False):
    t = triangle(a, upper, unitriangular)
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    return solve(transposed(t) if transpose else t, b), np.broadcast_to(a, (*batch, *a.shape[-2:]))


def lstsq_samples(dtype):
    for a, b in (
        ((4, 3), (4, 2)),
        ((3, 4), (3, 2)),
        ((2, 4, 3), (2, 4, 1)),
        ((3, 3), (3,)),
        ((2, 4, 3), (2, 4)),
        ((40, 35), (40, 1)),
    ):
        for driver in ("gelsy", "gels", "gelsd", "gelss"):
            yield Sample(dense(*a, dtype=dtype), (dense(*b, dtype=dtype, seed=1),), {"driver": driver})
    for a, b in (((0, 3), (0, 2)), ((3, 0), (3, 2)), ((4, 3), (2, 4, 1))):
        yield Sample(dense(*a, dtype=dtype), (dense(*b, dtype=dtype, seed=1),), {"driver": "gelsy"})  # the CPU's own choice


def lstsq(a, b, driver=None, rcond=None):
    m, n = a.shape[-2:]
    vectors = b.ndim == 1 or (a.ndim - 1 == b.ndim and b.shape == a.shape[:-1])
    b = b[..., None] if vectors else b
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    real = np.abs(a[..., :0]).dtype
    x = np.linalg.pinv(a) @ b if a.size else np.zeros((*batch, n, b.shape[-1]), a.dtype)
    residuals, rank, values = np.zeros(0, real), np.zeros(0, np.int64), np.zeros(0, real)
    if m > n and driver in ("gels", "gelsd", "gelss"):
        residuals = (np.abs(a @ x - b) ** 2).sum(-2)
    if driver != "gels":
        rank = np.full(batch, min(m, n) if a.size else 0)
    if driver in ("gelsd", "gelss"):
        values = np.linalg.svd(a, compute_uv=False)
    return (x[..., 0] if vectors else x), residuals, rank, values


def det_samples(dtype):
    return [Sample(dense(*s, dtype=dtype)) for s in SQUARE[:6]] + [Sample(0.1 * regular(40, 40, dtype=dtype))]


def slogdet(a):
    sign, size = np.linalg.slogdet(a)
    return np.asarray(sign), np.asarray(size)


def logdet_samples(dtype):
    return [Sample(regular(*s, dtype=dtype)) for s in SQUARE]


def logdet(a):
    sign, size = np.linalg.slogdet(a)
    return np.asarray(np.log(sign) + size)


def first(f, n):
    """The first results: LU factors are not unique."""
    return lambda *args, **kwargs: tuple(f(*args, **kwargs))[:n]


def check_errors_call(info, name, is_matrix):
    LIB._linalg_check_errors(info, name, is_matrix=is_matrix)
    return info


def tensorinv_samples(dtype):
    yield Sample(dense(4, 6, 8, 3, dtype=dtype), (2,))
    yield Sample(dense(6, 2, 3, dtype=dtype), (1,))
    yield Sample(regular(4, 4, dtype=dtype).reshape(2, 2, 4))


def tensorsolve_samples(dtype):
    a = regular(6, 6, dtype=dtype)
    return [Sample(a.reshape(2, 3, 6), (dense(2, 3, dtype=dtype),)), Sample(a.reshape(6, 3, 2), (dense(6, dtype=dtype),)),
            Sample(a.reshape(2, 3, 6).movedim(0, 2).contiguous(), (dense(3, 2, dtype=dtype),), {"dims": (1,)})]  # fmt: skip


def tensorsolve(a, b, dims=None):
    return np.linalg.tensorsolve(a, b, axes=dims)


SOLVE = [(lambda: torch.linalg.solve(ONES, ONES), RuntimeError, "square"), (lambda: torch.linalg.solve(torch.eye(3), ONES), RuntimeError, "[Ii]ncompatible"),
         (lambda: torch.linalg.solve(torch.eye(2), ONES.double()), RuntimeError, "same dtype"), (lambda: torch.linalg.solve(SINGULAR, ONES), ERROR, "singular", VALUES)]  # fmt: skip
SOLVE_EX = [(lambda: torch.linalg.solve_ex(SINGULAR, ONES, check_errors=True), ERROR, "singular", VALUES)]
INV = [
    (lambda: torch.linalg.inv(SINGULAR), ERROR, "singular", VALUES),
    (lambda: torch.linalg.inv(SINGULAR.expand(3, 2, 2)), ERROR, "Batch element 0", VALUES),
]
INV_EX = [(lambda: torch.linalg.inv_ex(SINGULAR, check_errors=True), ERROR, "singular", VALUES)]
NAN = torch.full((2, 2), float("nan"))
LSTSQ = [(lambda: torch.linalg.lstsq(ONES, ONES, driver="x"), RuntimeError, "driver"), (lambda: torch.linalg.lstsq(ONES, ONES.mT), RuntimeError, "rows"),
         (lambda: torch.linalg.lstsq(NAN, NAN), RuntimeError, "NaN", VALUES), (lambda: torch.linalg.lstsq(torch.diag(torch.tensor([1.0, 0.0])), ONES, driver="gels"), ERROR, "full rank", VALUES)]  # fmt: skip

OPS = [
    linalg("solve", solve_samples, solve, errors=SOLVE),
    linalg("solve_ex", solve_samples, lambda a, b, left=True: (solve(a, b, left), infos(a)), errors=SOLVE_EX),
    internal("_linalg_solve_ex", solve_samples, None, LAPACK),
    linalg("inv", each(regular, SQUARE), np.linalg.inv, errors=INV),
    linalg("inv_ex", each(regular, SQUARE), lambda a: (np.linalg.inv(a), infos(a)), errors=INV_EX),
    op("inverse", each(regular, SQUARE), np.linalg.inv),
    linalg("det", det_samples, lambda a: np.asarray(np.linalg.det(a)), errors=[(lambda: torch.linalg.det(ONES), RuntimeError, "square")]),
    op("det", det_samples, lambda a: np.asarray(np.linalg.det(a)), out=False),
    internal("_linalg_det", det_samples, None, LAPACK),
    linalg("slogdet", det_samples, slogdet),
    op("slogdet", det_samples, slogdet),
    internal("_linalg_slogdet", det_samples, None, LAPACK),
    op("logdet", logdet_samples, logdet, out=False),
    linalg("solve_triangular", triangular_samples, solve_triangular,
           errors=[(lambda: torch.linalg.solve_triangular(ONES, ONES, upper=True), RuntimeError, "square"),
                   (lambda: torch.linalg.solve_triangular(torch.eye(3), ONES, upper=True), RuntimeError, "[Ii]ncompatible")]),
    op("triangular_solve", old_triangular_samples, triangular_solve),
    linalg("lstsq", lstsq_samples, lstsq, gradgrad=False, tolerance=1e-2, errors=LSTSQ),
    linalg("tensorinv", tensorinv_samples, lambda a, ind=2: np.linalg.tensorinv(a, ind), tolerance=1e-2,
           errors=[(lambda: torch.linalg.tensorinv(ONES), RuntimeError, "prod"), (lambda: torch.linalg.tensorinv(ONES, 0), RuntimeError, "positive")]),
    linalg("tensorsolve", tensorsolve_samples, tensorsolve, errors=[(lambda: torch.linalg.tensorsolve(ONES, ONES), RuntimeError, "prod")]),
    Op("_linalg_check_errors", lambda d: [Sample(torch.zeros(2, dtype=d), ("linalg.inv", False))], lambda i, n, m: i, (torch.int32,),
       call=check_errors_call, method=False, out=False, grad=False, noncontiguous=False, takes=(torch.float32,),
       errors=[(lambda: LIB._linalg_check_errors(torch.ones(2, dtype=torch.int32), "linalg.eigh", is_matrix=False), ERROR, "converge", VALUES),
               (lambda: LIB._linalg_check_errors(torch.ones((), dtype=torch.int32), "linalg.svd", is_matrix=True), ERROR, "converge", VALUES)]),
]  # fmt: skip
