"""The polynomials of common/cpu/Exponential.h."""

import mpmath as mp
import numpy as np

from tools.fit.lawson import chebyshev_points, least_error, print_floats


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
    terms = 10
    points = [end * mp.cos(mp.pi * (2 * k + 1) / (2 * terms)) for k in range(terms)]
    matrix = mp.matrix([[x**p for p in range(terms)] for x in points])
    double = mp.lu_solve(matrix, mp.matrix([second_order(x) for x in points]))
    print(", ".join(float(c).hex() for c in double))
