"""Polynomials of the normal distribution's tail beyond x, from 0 to 8: for floats, and for halves."""

import mpmath as mp
import numpy as np

from tools.fit.lawson import chebyshev_points, least_error, print_floats
from tools.fit.neighbours import coefficients, print_table


def tail(x):
    return mp.erfc(x / mp.sqrt(2)) / 2


def normal_tail():
    print("// The normal distribution's tail beyond x. For each power of t = x - k / 4, from the highest on, its")
    print("// coefficients for k = 0 to 31: relative errors of 1e-7 where x < 7, and 4e-7 up to 7.875.")
    eighth = mp.mpf(1) / 8
    print_table("kNormalTail", [coefficients(tail, 2 * k * eighth, (-eighth, eighth), 7, num_points=8) for k in range(32)])
    print("// The same of t = x - k / 2, for k = 0 to 15, as accurate as halves need: relative errors of 1e-5 where")
    print("// x < 4, 5e-4 where x < 6.25, and 2e-3 up to 7.75.")
    halves = [coefficients(tail, 4 * k * eighth, (-2 * eighth, 2 * eighth), 5, num_points=24) for k in range(16)]
    print_table("kNormalTailOfHalves", halves)


def scaled_normal_tail():
    """For VecMath.h: exp(x^2 / 2) / t times the tail, from 0 to 17, of degree 8 in u, which is linear in t = 1 / (1 + x / 3.75)
    and goes from -1 to 1."""
    scale, end = 3.75, 17
    first = 1 / (1 + end / scale)
    u = chebyshev_points(-1, 1)
    t = (1 + first) / 2 + (1 - first) / 2 * u
    x = (1 / t - 1) * scale
    values = np.array([float(mp.exp(mp.mpf(v) ** 2 / 2) * tail(mp.mpf(v)) / w) for v, w in zip(x, t)])
    print_floats(*least_error(u, values, 1 / values, 9))
    print(f"// u = {(2 / (1 - first)).hex()} t - {((1 + first) / (1 - first)).hex()}")
