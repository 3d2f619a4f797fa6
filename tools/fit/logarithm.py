"""The polynomial of common/cpu/FloatLogarithm.h."""

import mpmath as mp
import numpy as np


def third_order(r):
    """(log(1 + r) - r + r^2 / 2) / r^3."""
    r = mp.mpf(r)
    return float((mp.log1p(r) - r + r * r / 2) / r**3) if abs(r) > 1e-9 else 1 / 3


def logarithm():
    """Of degree 7, by Lawson's iteration: weights of least squares grow where the error relative to log(1 + r) is large."""
    points, terms = 400, 8
    low, high = 2**-0.5 - 1, 2**0.5 - 1
    r = (low + high) / 2 + (high - low) / 2 * np.cos(np.pi * (np.arange(points) + 0.5) / points)
    values, relative = np.array([third_order(x) for x in r]), np.abs(r**3 / np.log1p(r))
    powers, weights = np.vander(r, terms, increasing=True), np.ones(points)
    for _ in range(200):
        scale = np.sqrt(weights) * relative
        coefficients, *_ = np.linalg.lstsq(powers * scale[:, None], values * scale, rcond=None)
        errors = np.abs(powers @ coefficients - values) * relative
        weights *= errors / errors.max() + 1e-12
        weights /= weights.sum()
    print(f"// lowest power first; relative error {errors.max():.1e}")
    print(", ".join(float(np.float32(c)).hex() for c in coefficients))
