"""Orthogonal polynomials. Degrees are given as numbers of the type of x."""

import numpy as np
import scipy.special as sp

from ops.shared.special import two_numbers


def of_degree(f):
    """0 for negative degrees; degrees are cut to whole numbers."""

    def ref(x, n):
        n = np.trunc(n)
        return np.where(n < 0, 0, f(np.maximum(n, 0), x))

    return ref


def third(n, x):
    return np.where(n == 0, 1, sp.eval_chebyu(n, x) - sp.eval_chebyu(np.maximum(n, 1) - 1, x))


def fourth(n, x):
    return np.where(n == 0, 1, sp.eval_chebyu(n, x) + sp.eval_chebyu(np.maximum(n, 1) - 1, x))


def shifted(f):
    return lambda n, x: f(n, 2 * np.asarray(x) - 1)


KINDS = {"t": sp.eval_chebyt, "u": sp.eval_chebyu, "v": third, "w": fourth}
POLYNOMIALS = {
    **{f"chebyshev_polynomial_{kind}": f for kind, f in KINDS.items()},
    **{f"shifted_chebyshev_polynomial_{kind}": shifted(f) for kind, f in KINDS.items()},
    "hermite_polynomial_h": lambda n, x: whole_degrees(sp.eval_hermite, n, x),
    "hermite_polynomial_he": lambda n, x: whole_degrees(sp.eval_hermitenorm, n, x),
    "laguerre_polynomial_l": sp.eval_laguerre,
    "legendre_polynomial_p": sp.eval_legendre,
}


def whole_degrees(f, n, x):
    """SciPy takes integers only for these."""
    return f(np.asarray(n).astype(int), np.asarray(x, np.float64))


OPS = [op for name, f in POLYNOMIALS.items()
       for op in two_numbers(name, of_degree(f), (-1.3, 1.3), (-1, 9), (0.5, 1.0, -1.2), (0, 3, 6.0, -2), tolerance=1e-5)]  # fmt: skip
