"""Polynomials of the hyperbolic tangent of floats, from 0 to where it rounds to 1."""

import mpmath as mp

from tools.fit.neighbours import coefficients, print_table


def tanh():
    print("// tanh(x). For each power of t = x - k / 4, from the highest on, its coefficients for k = 0 to 31, of which")
    print("// the last go on to 9.25: relative errors of 6e-9.")
    eighth = mp.mpf(1) / 8
    pieces = [coefficients(mp.tanh, 2 * k * eighth, (-eighth, eighth), 6, num_points=12) for k in range(31)]
    pieces.append(coefficients(mp.tanh, 62 * eighth, (-eighth, 12 * eighth), 6, num_points=24))
    print_table("kTanh", pieces)
