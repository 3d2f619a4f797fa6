"""The elementary functions, each with mpmath's version, its hardest points, and exceptions to the error bound."""

import mpmath
from mpmath import mp, mpf

import torch
import torch.nn.functional as F


class Function:
    """One function to test.

    `special`: where to look closely. `scale`: a size that errors are measured beside where the result is smaller, for zeros that
    no number of the type is near to. `complex`: the function takes complex numbers too.
    """

    def __init__(self, name, run, exact, special=(), units=4, scale=None, complex=False):
        self.name, self.run, self.exact = name, run, exact
        self.special, self.units, self.scale, self.complex = special, units, scale, complex


def guarded(f):
    """mpmath raises at poles, where the answer is an infinity or NaN."""

    def run(*x):
        try:
            return f(*x)
        except (ZeroDivisionError, ValueError):
            return mpmath.nan

    return run


def log_or_pole(f):
    return lambda x: -mpmath.inf if x == 0 else f(x)


def tiny_or(f):
    """mpmath's version loses the smaller part of a small complex number."""
    return lambda x: x if abs(x) < mpf(10) ** -20 else f(x)


def real_only(f, low=-mpmath.inf, high=mpmath.inf):
    return lambda x: f(x) if low <= x <= high else mpmath.nan


def erfc(x):
    if x > 1e3:
        return mpf(0)
    return mpmath.erfc(x) if x > -1e3 else mpf(2)


def normal(x):
    return erfc(-x / mpmath.sqrt(2)) / 2


def gelu_tanh(x):
    return x / (1 + mpmath.exp(-2 * mpmath.sqrt(2 / mp.pi) * (x + mpf("0.044715") * x**3)))


def softplus(x):
    return mpmath.log1p(mpmath.exp(x)) if x < 2000 else x


def log_gamma(x):
    if x <= 0 and x == mpmath.floor(x):
        return mpmath.inf
    if x < -(10**6):
        # By reflection: log(pi / |sin(pi x)|) - log gamma(1 - x).
        return mpmath.log(mp.pi / abs(mpmath.sinpi(x))) - mpmath.loggamma(1 - x).real
    return mpmath.loggamma(x).real


def digamma(x):
    if x == 0:
        return None
    if x < 0 and x == mpmath.floor(x):
        return mpmath.nan
    if x < -100:
        return digamma(1 - x) - mp.pi * mpmath.cospi(x) / mpmath.sinpi(x)
    return mpmath.digamma(x)


def trigamma(x):
    if x <= 0 and x == mpmath.floor(x):
        return mpmath.inf
    if x < 0:
        return (mp.pi / mpmath.sinpi(x)) ** 2 - trigamma(1 - x)
    if x > 10**6:
        # Bernoulli's series; the next term is 1e-60 times the first.
        terms = [(1, 1), (mpf(1) / 2, 2), (mpf(1) / 6, 3), (-mpf(1) / 30, 5), (mpf(1) / 42, 7), (-mpf(1) / 30, 9)]
        return sum(c / x**k for c, k in terms)
    return mpmath.polygamma(1, x)


def erfinv(x):
    if abs(x) > 1:
        return mpmath.nan
    if abs(x) == 1:
        return mpmath.inf * x
    return mpmath.erfinv(x)


E_ = [700.0, 709.78, -745.0, 88.7, -103.9, 11.09, -17.0, 89.0, -87.0, 0.6931471805599453]
PI = [1.5707963267948966, 3.141592653589793, 6.283185307179586, 11.0, 1e5, 1e10, 1e22, 33.0, 22.0]

UNARY = [
    Function("exp", torch.exp, mpmath.exp, E_, complex=True),
    Function(
        "exp2",
        torch.exp2,
        lambda x: mpf(2) ** x,
        [1023.9, -1074, 127.9, -149, -24.5],
        complex=True,
    ),
    Function("expm1", torch.expm1, mpmath.expm1, E_, complex=True),
    Function("log", torch.log, log_or_pole(mpmath.log), complex=True),
    Function("log2", torch.log2, log_or_pole(lambda x: mpmath.log(x) / mpmath.log(2)), complex=True),
    Function("log10", torch.log10, log_or_pole(lambda x: mpmath.log(x) / mpmath.log(10)), [10, 1000], complex=True),
    Function("log1p", torch.log1p, lambda x: -mpmath.inf if x == -1 else mpmath.log1p(x), [-1, 1e-3, 3e38, 1e20], complex=True),
    Function("sin", torch.sin, mpmath.sin, PI, complex=True),
    Function("cos", torch.cos, mpmath.cos, PI, complex=True),
    Function("tan", torch.tan, mpmath.tan, PI, units=5, complex=True),
    Function("asin", torch.asin, mpmath.asin, complex=True),
    Function("acos", torch.acos, mpmath.acos, complex=True),
    Function("atan", torch.atan, tiny_or(mpmath.atan), complex=True),
    Function("sinh", torch.sinh, mpmath.sinh, [*E_, 710.4, 89.4], complex=True),
    Function("cosh", torch.cosh, mpmath.cosh, [*E_, 710.4, 89.4], complex=True),
    Function("tanh", torch.tanh, mpmath.tanh, [0.625, 9.0, 19.0], units=5, complex=True),
    Function("asinh", torch.asinh, mpmath.asinh, [1e20, 3e38, 1e200], complex=True),
    Function("acosh", torch.acosh, mpmath.acosh, [1e20, 3e38, 1e200], complex=True),
    Function("atanh", torch.atanh, tiny_or(mpmath.atanh), [0.99], complex=True),
    Function("sqrt", torch.sqrt, mpmath.sqrt, complex=True),
    Function("rsqrt", torch.rsqrt, lambda x: 1 / mpmath.sqrt(x) if x != 0 else None, complex=True),
    Function("reciprocal", torch.reciprocal, lambda x: 1 / x if x != 0 else None, complex=True),
    Function("sigmoid", torch.sigmoid, lambda x: 1 / (1 + mpmath.exp(-x)), E_, complex=True),
    Function(
        "logit",
        torch.logit,
        real_only(lambda x: mpmath.log(x / (1 - x)) if 0 < x < 1 else (-mpmath.inf if x == 0 else mpmath.inf), 0, 1),
        [0.5, 0.99],
    ),
    Function("erf", torch.erf, lambda x: mpmath.erf(x) if abs(x) < 1e3 else mpmath.sign(x), [4.0, 6.0]),
    Function("erfc", torch.erfc, erfc, [10.0, 26.5, -6.0]),
    Function("erfinv", torch.erfinv, erfinv, [0.99, -0.99, 0.5]),
    Function("lgamma", torch.lgamma, log_gamma, [3.0, 1e17, 1e5], scale=lambda x: 1 if x < 0 else 0),
    Function("digamma", torch.digamma, digamma, [1.4616321449683622, 10.0, 1e17], units=5, scale=lambda x: 1),
    Function("polygamma1", lambda x: torch.polygamma(1, x), trigamma),
    Function("sinc", torch.sinc, lambda x: mpmath.sincpi(x), [1.0, 2.5, 100.5], complex=True),
    Function("softplus", F.softplus, lambda x: x if x > 20 else softplus(x), [20.0, -30.0]),
    Function("logsigmoid", F.logsigmoid, lambda x: -softplus(-x), [20.0, -30.0]),
    Function("gelu", F.gelu, lambda x: x * normal(x), [-5.0, -13.0], units=5),
    Function("gelu_tanh", lambda x: F.gelu(x, approximate="tanh"), gelu_tanh, [-5.0, -9.0], units=5),
    Function("silu", F.silu, lambda x: x / (1 + mpmath.exp(-x)), E_, complex=True),
    Function("mish", F.mish, lambda x: x * mpmath.tanh(softplus(x)), [*E_, -20.0]),
    Function("elu", F.elu, lambda x: mpmath.expm1(x) if x < 0 else x),
    Function(
        "selu",
        F.selu,
        lambda x: (
            mpf("1.0507009873554804934193349852946")
            * (mpf("1.6732632423543772848170429916717") * mpmath.expm1(x) if x < 0 else x)
        ),
    ),
    Function("celu", lambda x: F.celu(x, 2.0), lambda x: 2 * mpmath.expm1(x / 2) if x < 0 else x),
    Function("softsign", F.softsign, lambda x: x / (1 + abs(x))),
    Function("tanhshrink", F.tanhshrink, lambda x: x - mpmath.tanh(x), scale=lambda x: abs(x)),
    Function("deg2rad", torch.deg2rad, lambda x: x * mp.pi / 180),
    Function("rad2deg", torch.rad2deg, lambda x: x * 180 / mp.pi),
    Function("square", torch.square, lambda x: x * x, complex=True),
    Function("abs", torch.abs, abs),
]


def power(x, y):
    if y == 0 or x == 1:
        return mpf(1)
    if x == 0:
        return mpf(0) if y > 0 else mpmath.inf
    if x < 0 and y != mpmath.floor(y):
        return mpmath.nan
    if x < 0:
        value = mpmath.exp(y * mpmath.log(-x))
        return -value if abs(y) < mpf(2) ** 60 and int(y) % 2 else value
    return mpmath.exp(y * mpmath.log(x))


def log_add(x, y, base):
    high, low = max(x, y), min(x, y)
    return high + mpmath.log1p(base ** (low - high) if high - low < 5000 else 0) / mpmath.log(base)


BINARY = [
    Function("pow", torch.pow, power),
    Function("atan2", torch.atan2, lambda y, x: mpmath.atan2(y, x)),
    Function("hypot", torch.hypot, mpmath.hypot),
    Function("logaddexp", torch.logaddexp, lambda x, y: log_add(x, y, mp.e), scale=lambda x, y: max(abs(x), abs(y), 1)),
    Function("logaddexp2", torch.logaddexp2, lambda x, y: log_add(x, y, mpf(2)), scale=lambda x, y: max(abs(x), abs(y), 1)),
    Function(
        "xlogy",
        torch.xlogy,
        lambda x, y: mpf(0) if x == 0 else x * mpmath.log(y) if y > 0 else (-mpmath.inf * x if y == 0 else mpmath.nan),
    ),
]
