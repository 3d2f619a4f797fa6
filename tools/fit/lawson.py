"""Polynomials of functions: of least relative error, for floats; at Chebyshev points in many digits, for doubles."""

import mpmath as mp
import numpy as np


def chebyshev_points(low, high, count=400):
    return (low + high) / 2 + (high - low) / 2 * np.cos(np.pi * (np.arange(count) + 0.5) / count)


def least_error(x, values, relative, terms):
    """(coefficients, lowest power first; largest error), by Lawson's iteration: the weights of least squares grow where an error
    times `relative` is large."""
    powers, weights = np.vander(x, terms, increasing=True), np.ones(len(x))
    for _ in range(200):
        scale = np.sqrt(weights) * relative
        coefficients, *_ = np.linalg.lstsq(powers * scale[:, None], values * scale, rcond=None)
        errors = np.abs(powers @ coefficients - values) * relative
        weights *= errors / errors.max() + 1e-12
        weights /= weights.sum()
    return coefficients, errors.max()


def interpolated(f, low, high, terms):
    """Coefficients, lowest power first, of the polynomial that is f at the Chebyshev points from low to high."""
    middle, half = (low + high) / 2, (high - low) / 2
    points = [middle + half * mp.cos(mp.pi * (2 * k + 1) / (2 * terms)) for k in range(terms)]
    matrix = mp.matrix([[x**p for p in range(terms)] for x in points])
    return mp.lu_solve(matrix, mp.matrix([f(x) for x in points]))


def print_floats(coefficients, error):
    print(f"// lowest power first; relative error {error:.1e}")
    print(", ".join(float(np.float32(c)).hex() for c in coefficients))
