"""The polynomials of common/cpu/Exponential.h."""

import mpmath as mp
import numpy as np

from tools.fit.lawson import chebyshev_points, interpolated, least_error, print_floats


def second_order(r):
    """(e^r - 1 - r) / r^2."""
    r = mp.mpf(r)
    return (mp.expm1(r) - r) / r**2 if r else mp.mpf(1) / 2


def exponential():
    """Of degree 4 for floats, relative to e^r; of degree 9 for doubles, at Chebyshev points."""
    end = float(mp.log(2) / 2)
    r = chebyshev_points(-end, end)
    values = np.array([float(second_order(x)) for x in r])
    print_floats(*least_error(r, values, r * r / np.exp(r), 5))
    print(", ".join(float(c).hex() for c in interpolated(second_order, mp.mpf(-end), mp.mpf(end), 10)))
