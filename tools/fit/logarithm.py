"""The polynomial of common/cpu/FloatLogarithm.h."""

import mpmath as mp
import numpy as np

from tools.fit.lawson import chebyshev_points, interpolated, least_error, print_floats


def third_order(r):
    """(log(1 + r) - r + r^2 / 2) / r^3."""
    r = mp.mpf(r)
    return float((mp.log1p(r) - r + r * r / 2) / r**3) if abs(r) > 1e-9 else 1 / 3


def logarithm():
    """Of degree 7, relative to log(1 + r)."""
    r = chebyshev_points(2**-0.5 - 1, 2**0.5 - 1)
    values = np.array([third_order(x) for x in r])
    print_floats(*least_error(r, values, np.abs(r**3 / np.log1p(r)), 8))


def double_logarithm():
    """For DoubleLogarithm.h: (2 artanh(s) - 2s) / s^3 in z = s^2, at Chebyshev points."""
    terms, end = 7, ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2

    def value(z):
        s = mp.sqrt(z)
        return (2 * mp.atanh(s) - 2 * s) / s**3

    c = interpolated(value, mp.mpf(0), end, terms)
    error = max(abs(sum(c[p] * z**p for p in range(terms)) / value(z) - 1) for z in (end * k / 200 for k in range(1, 201)))
    print(f"// lowest power first; relative error {mp.nstr(error, 2)}")
    print(", ".join(float(v).hex() for v in c))
