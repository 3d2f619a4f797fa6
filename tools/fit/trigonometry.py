"""The polynomials of common/cpu/Trigonometry.h and ArcFunctions.h, in z: the square of their argument."""

import mpmath as mp
import numpy as np

from tools.fit.lawson import chebyshev_points, interpolated, least_error

# A bit more than pi / 4 squared: arguments are reduced with rounding.
END = mp.mpf("0.621")


def sine(z):
    """(r - sin r) / r^3 with r^2 = z."""
    r = mp.sqrt(z)
    return (r - mp.sin(r)) / r**3


def cosine(z):
    """(cos r - 1 + r^2 / 2) / r^4."""
    return (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2


def arctangent(z):
    """(atan t - t) / t^3."""
    t = mp.sqrt(z)
    return (mp.atan(t) - t) / t**3


def arcsine(z):
    """(asin s - s) / s^3."""
    s = mp.sqrt(z)
    return (mp.asin(s) - s) / s**3


def print_terms(name, coefficients, error):
    print(f"// {name}, highest power first; relative error {mp.nstr(error, 2)}")
    print(", ".join(c.hex() for c in reversed(coefficients)))


def relative_error(f, parts, factor, end):
    """The largest error of a polynomial for f times factor(z), which is small next to the result."""
    points = [end * k / 500 for k in range(1, 501)]
    return max(abs((mp.polyval(list(map(mp.mpf, reversed(parts))), z) - f(z)) * factor(z)) for z in points)


def rounded(z, values, factors, terms):
    """Coefficients of least error, rounded to floats one after the other: the next ones make up for the error."""
    found = []
    for left in range(terms, 0, -1):
        found.append(float(np.float32(least_error(z, values, factors, left)[0][0])))
        values, factors = (values - found[-1]) / z, factors * z
    return found


def both_types(name, f, factor, end, float_terms, double_terms):
    """Of least error relative to the result for floats; for doubles at Chebyshev points."""
    z = chebyshev_points(0, float(end))
    values = np.array([float(f(mp.mpf(v))) for v in z])
    factors = np.array([float(abs(factor(mp.mpf(v)))) for v in z])
    floats = rounded(z, values, factors, float_terms)
    # From a bit above 0 on: errors count little there.
    doubles = [float(c) for c in interpolated(f, end / 20, end, double_terms)]
    for type, c in ("floats", floats), ("doubles", doubles):
        print_terms(f"{name} for {type}", c, relative_error(f, c, factor, end))


def tangent(numerator, denominator, convert):
    """tan(r) = r (1 - z A(z)) / (1 - z B(z)), right at Chebyshev points of z."""
    terms = numerator + denominator
    points = [END / 2 * (1 + mp.cos(mp.pi * (2 * k + 1) / (2 * terms))) for k in range(terms)]
    ratio = [mp.tan(mp.sqrt(z)) / mp.sqrt(z) for z in points]
    rows = [[z**p for p in range(numerator)] + [-t * z**p for p in range(denominator)] for z, t in zip(points, ratio)]
    c = [convert(v) for v in mp.lu_solve(mp.matrix(rows), mp.matrix([(1 - t) / z for z, t in zip(points, ratio)]))]
    above, below = c[:numerator], c[numerator:]

    def error(z):
        parts = [1 - z * mp.polyval(list(map(mp.mpf, reversed(part))), z) for part in (above, below)]
        return abs(parts[0] / parts[1] * mp.sqrt(z) / mp.tan(mp.sqrt(z)) - 1)

    largest = max(error(END * k / 500) for k in range(1, 501))
    print_terms("A of the tangent", above, largest)
    print_terms("B", below, largest)


def trigonometry():
    both_types("sine", sine, lambda z: mp.sqrt(z) ** 3 / mp.sin(mp.sqrt(z)), END, 3, 6)
    both_types("cosine", cosine, lambda z: z**2 / mp.cos(mp.sqrt(z)), END, 3, 6)
    tangent(1, 3, lambda v: float(np.float32(float(v))))
    tangent(3, 4, float)


def arc_functions():
    both_types("arctangent", arctangent, lambda z: mp.sqrt(z) ** 3 / mp.atan(mp.sqrt(z)), mp.mpf("0.3335"), 6, 14)
    both_types("arcsine", arcsine, lambda z: mp.sqrt(z) ** 3 / mp.asin(mp.sqrt(z)), mp.mpf(1) / 4, 5, 13)
