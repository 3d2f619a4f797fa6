"""Polynomials whose largest relative error is least."""

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


def print_floats(coefficients, error):
    print(f"// lowest power first; relative error {error:.1e}")
    print(", ".join(float(np.float32(c)).hex() for c in coefficients))
