"""Errors of results relative to mpmath, in units in the last place of a type."""

import math

import mpmath
from mpmath import mp, mpf

import torch

mp.dps = 50


def precision(dtype):
    """Digits in base 2, the exponent of the smallest step, the largest finite number."""
    info = torch.finfo(dtype)
    return 1 - math.frexp(info.eps)[1] + 1, math.frexp(info.tiny)[1] - 1 - (1 - math.frexp(info.eps)[1]), info.max


def unit(size, dtype):
    """The distance between neighbours of a type at a number of that size."""
    digits, min_exponent, _ = precision(dtype)
    if size == 0:
        return mpf(2) ** min_exponent
    exponent = mpmath.frexp(size)[1]
    return mpf(2) ** max(exponent - digits, min_exponent)


def real_error(got, exact, dtype, floor=0):
    """The distance of `got` from the exact number. If that is not real, NaN is right; beyond the largest number, infinity."""
    if exact is None:
        return 0.0
    if isinstance(exact, mpmath.mpc):
        exact = exact.real if exact.imag == 0 else mpmath.nan
    if mpmath.isnan(exact):
        return 0.0 if math.isnan(got) else math.inf
    if math.isnan(got):
        return math.inf
    largest = mpf(precision(dtype)[2])
    step = unit(largest, dtype)
    if math.isinf(got) or mpmath.isinf(exact):
        if math.isinf(got) and (got > 0) == (exact > 0) and abs(exact) > largest - 4 * step:
            return 0.0
        if math.isinf(got) or abs(got) < largest - 4 * step:
            return math.inf
        return 0.0 if (got > 0) == (exact > 0) else math.inf
    return float(abs(mpf(got) - exact) / unit(max(abs(exact), floor), dtype))


def complex_error(got, exact, dtype):
    """Of the whole number: the smaller part may lose digits beside the larger."""
    if mpmath.isnan(exact.real) or mpmath.isnan(exact.imag) or mpmath.isinf(exact):
        return 0.0
    size = abs(exact)
    if size > mpf(precision(dtype)[2]) / 4:
        return 0.0
    if not (math.isfinite(got.real) and math.isfinite(got.imag)):
        return math.inf
    return float(abs(mpmath.mpc(got.real, got.imag) - exact) / unit(size, dtype))
