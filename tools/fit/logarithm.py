"""The polynomial of common/cpu/FloatLogarithm.h."""

import mpmath as mp
import numpy as np

from tools.fit.lawson import chebyshev_points, least_error, print_floats


def third_order(r):
    """(log(1 + r) - r + r^2 / 2) / r^3."""
    r = mp.mpf(r)
    return float((mp.log1p(r) - r + r * r / 2) / r**3) if abs(r) > 1e-9 else 1 / 3


def logarithm():
    """Of degree 7, relative to log(1 + r)."""
    r = chebyshev_points(2**-0.5 - 1, 2**0.5 - 1)
    values = np.array([third_order(x) for x in r])
    print_floats(*least_error(r, values, np.abs(r**3 / np.log1p(r)), 8))
