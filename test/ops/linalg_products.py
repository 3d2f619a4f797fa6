"""Powers, exponentials and chains of products of matrices; Vandermonde and covariance matrices."""

import functools

import numpy as np

import torch
from ops.common import ALL_FLOATS, BOOL, COMPLEX, FLOATS, INTS, NUMBERS, REDUCED, VALUES, Op, Sample, rand
from ops.shared.matrices import LAPACK, dense, each, linalg, op, regular

ONES = torch.ones(2, 3)


def exponential(a):
    """By a Taylor series of a / 2^s, squared s times."""
    wide = a.astype(np.complex128 if a.dtype.kind == "c" else np.float64)
    if a.size == 0:
        return a
    steps = max(0, int(np.ceil(np.log2(max(1e-9, np.abs(wide).sum(-2).max())))) + 3)
    x = wide / 2.0**steps
    result = term = np.broadcast_to(np.eye(a.shape[-1]), a.shape)
    for k in range(1, 20):
        term = term @ x / k
        result = result + term
    for _ in range(steps):
        result = result @ result
    return result.astype(a.dtype)


def exp_samples(dtype):
    for s in ((3, 3), (2, 3, 3), (1, 1), (0, 0), (0, 2, 2), (2, 1, 2, 2)):
        yield Sample(dense(*s, dtype=dtype))
    for scale in (1e-3, 0.1, 3):
        yield Sample(scale * dense(2, 2, dtype=dtype))
    if dtype not in REDUCED:  # it overflows there
        yield Sample(torch.stack([20 * dense(2, 2, dtype=dtype), dense(2, 2, dtype=dtype)]))


def exp_backward(a, g):
    n = a.shape[-1]
    ah = np.conj(np.swapaxes(a, -1, -2))
    return exponential(np.block([[ah, g], [np.zeros_like(ah), ah]]))[..., :n, n:]


def power_samples(dtype):
    exponents = (0, 1, 2, 3, 5, 8) if not (dtype.is_floating_point or dtype.is_complex) else (0, 1, 2, 3, 5, -1, -2)
    for n in exponents if dtype not in REDUCED else (0, 1, 2, 3):
        yield Sample(regular(3, 3, dtype=dtype) if dtype in LAPACK else rand(3, 3, dtype=dtype, low=-2, high=2), (n,))
        yield Sample(regular(2, 2, 2, dtype=dtype) if dtype in LAPACK else rand(2, 2, 2, dtype=dtype, low=-2, high=2), (n,))


def power(a, n):
    return np.linalg.matrix_power(a, n).astype(a.dtype)


def chain_samples(dtype):
    for shapes in (
        ((2, 3), (3, 4)),
        ((3,), (3, 2), (2,)),
        ((2, 3), (3, 4), (4, 1), (1, 5)),
        ((3,), (3,)),
        ((3,), (3, 2)),
        ((2, 3), (3,)),
        ((2, 0), (0, 3), (3, 2)),
    ):
        yield Sample([rand(*s, dtype=dtype, seed=i, low=-2, high=2) for i, s in enumerate(shapes)])


def covariance_samples(dtype):
    whole = torch.tensor([1, 2, 0, 3])
    weights = torch.tensor(
        [0.5, 1.0, 2.0, 0.1], dtype=torch.float64 if dtype in (torch.float64, torch.complex128) else torch.float32
    )
    for s in ((4,), (3, 4), (1, 4)):
        x = rand(*s, dtype=dtype)
        yield from (
            Sample(x, (), k)
            for k in (
                {},
                {"correction": 0},
                {"fweights": whole},
                {"aweights": weights},
                {"fweights": whole, "aweights": weights, "correction": 2},
            )
        )


def covariance(x, correction=1, fweights=None, aweights=None):
    # numpy.cov conjugates the other factor of complex numbers as we do.
    return np.asarray(np.cov(x, ddof=correction, fweights=fweights, aweights=aweights))


def vander(x, N=None, increasing=False):
    wide = x.astype(np.int64) if x.dtype.kind in "biu" else x
    return np.vander(wide, N, increasing)


def linalg_vander(x, N=None):
    n = x.shape[-1] if N is None else N
    wide = x.astype(np.int64) if x.dtype.kind in "iu" else x
    return np.concatenate(
        [np.ones((*x.shape, 1), wide.dtype), np.cumprod(np.broadcast_to(wide[..., None], (*x.shape, n - 1)), -1)], -1
    )


CHAIN = [(lambda: torch.linalg.multi_dot([ONES]), RuntimeError, "at least 2"), (lambda: torch.linalg.multi_dot([ONES, ONES]), RuntimeError, "cannot be multiplied"),
         (lambda: torch.linalg.multi_dot([ONES, ONES[0], ONES]), RuntimeError, "must be 2D")]  # fmt: skip
COV = [(lambda: torch.cov(ONES[None]), RuntimeError, "two or fewer"), (lambda: torch.cov(ONES, fweights=ONES[0]), RuntimeError, "integral"),
       (lambda: torch.cov(ONES, aweights=torch.ones(2)), RuntimeError, "numel"), (lambda: torch.cov(ONES, aweights=-torch.ones(3)), RuntimeError, "negative", VALUES)]  # fmt: skip

OPS = [
    linalg("matrix_power", power_samples, power, NUMBERS, takes=BOOL, tolerance=2e-2,
           errors=[(lambda: torch.linalg.matrix_power(ONES, 2), RuntimeError, "square")]),
    Op("matrix_power", power_samples, power, NUMBERS, takes=BOOL, tolerance=2e-2),
    linalg("matrix_exp", exp_samples, exponential, ALL_FLOATS + COMPLEX, tolerance=3e-2, errors=[(lambda: torch.linalg.matrix_exp(ONES), RuntimeError, "square")]),
    op("linalg_matrix_exp.precise", exp_samples, exponential, (torch.float64, torch.complex128), takes=ALL_FLOATS + COMPLEX, call=torch.linalg.matrix_exp, method=False, tolerance=1e-9, grad=False),
    op("matrix_exp", exp_samples, exponential, ALL_FLOATS + COMPLEX, out=False, grad=False, tolerance=3e-2),
    op("matrix_exp_backward", lambda d: [Sample(dense(3, 3, dtype=d), (dense(3, 3, dtype=d, seed=1),))], exp_backward, ALL_FLOATS + COMPLEX,
       call=torch.ops.aten.matrix_exp_backward, method=False, out=False, tolerance=3e-2),
    linalg("multi_dot", chain_samples, lambda ts: functools.reduce(np.dot, ts), NUMBERS, tolerance=3e-2, errors=CHAIN),
    linalg("vander", lambda d: [Sample(rand(*s, dtype=d), (), k) for s in ((3,), (2, 4), (1,)) for k in ({}, {"N": 3})], linalg_vander, FLOATS + INTS + COMPLEX, out=False, tolerance=1e-4,
           errors=[(lambda: torch.linalg.vander(ONES, N=1), RuntimeError, "greater than 1"), (lambda: torch.linalg.vander(torch.tensor(1.0)), RuntimeError, "dimension")]),
    op("vander", lambda d: [Sample(rand(3, dtype=d), a) for a in ((), (4,), (2, True), (0,), (1,))], vander, NUMBERS + BOOL, method=False, out=False, tolerance=3e-2,
       errors=[(lambda: torch.vander(ONES), RuntimeError, "one-dimensional"), (lambda: torch.vander(ONES[0], -1), RuntimeError, "negative")]),
    op("cov", covariance_samples, covariance, FLOATS + COMPLEX, takes=NUMBERS, out=False, errors=COV),
    Op("cov.integers", lambda d: [Sample(rand(3, 4, dtype=d))], covariance, INTS, takes=NUMBERS, method=False, out=False, call=torch.cov, tolerance=1e-4),
    op("corrcoef", each(dense, ((3, 4), (4,))), np.corrcoef, FLOATS + COMPLEX, takes=NUMBERS, out=False),
]  # fmt: skip
