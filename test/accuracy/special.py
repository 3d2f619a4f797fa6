"""The functions of torch.special, each with mpmath's version, the ranges where it is tested, and the error bound."""

import mpmath
from mpmath import mp, mpf

import torch


class Special:
    """`ranges`: (low, high), in logarithmic steps if they span powers of ten. `scale`: as for Function."""

    def __init__(self, name, exact, ranges, units=5, scale=None):
        self.name, self.exact, self.ranges, self.units, self.scale = name, exact, ranges, units, scale
        self.run = getattr(torch.special, name)


POSITIVE = ((1e-300, 1e-5), (1e-5, 1), (0, 1), (1, 2), (2, 4), (4, 8), (8, 50), (50, 700))
BOTH = (*POSITIVE, (-8, 0), (-700, -8))
WAVES = (*POSITIVE, (700, 1e5), (1e5, 1e9))


def i(order, scaled=False):
    return lambda x: mpmath.besseli(order, x) * (mpmath.exp(-abs(x)) if scaled else 1)


def k(order, scaled=False):
    return lambda x: mpmath.besselk(order, x) * (mpmath.exp(x) if scaled else 1)


def envelope(x):
    """Bessel functions of large numbers are waves of this height; they lose digits beside their zeros."""
    return mpmath.sqrt(2 / (mp.pi * max(abs(x), 1)))


def airy_envelope(x):
    return mpf("0.56") / max(1, -x) ** mpf("0.25") if x < 0 else 0


def normal(x):
    return mpmath.erfc(-x / mpmath.sqrt(2)) / 2


def log_normal(x):
    return mpmath.log(normal(x)) if x < 5 else mpmath.log1p(-normal(-x))


def quantile(p):
    start = mpf(torch.special.ndtri(torch.tensor(float(min(p, 1 - p)), dtype=torch.float64)).item())
    found = mpmath.findroot(lambda x: mpmath.log(normal(x)) - mpmath.log(min(p, 1 - p)), start)
    return found if p < 0.5 else -found


ONE_NUMBER = [
    Special("i0", i(0), (*BOTH, (700, 713))),
    Special("i1", i(1), (*BOTH, (700, 713))),
    Special("i0e", i(0, True), BOTH),
    Special("i1e", i(1, True), BOTH),
    Special("modified_bessel_i0", i(0), BOTH),
    Special("modified_bessel_i1", i(1), BOTH),
    Special("modified_bessel_k0", k(0), POSITIVE),
    Special("modified_bessel_k1", k(1), POSITIVE),
    Special("scaled_modified_bessel_k0", k(0, True), POSITIVE),
    Special("scaled_modified_bessel_k1", k(1, True), POSITIVE),
    Special("bessel_j0", lambda x: mpmath.besselj(0, x), WAVES, scale=envelope),
    Special("bessel_j1", lambda x: mpmath.besselj(1, x), WAVES, scale=lambda x: envelope(x) if x > 1 else 0),
    Special("bessel_y0", lambda x: mpmath.bessely(0, x), WAVES, scale=envelope),
    Special("bessel_y1", lambda x: mpmath.bessely(1, x), WAVES, scale=envelope),
    Special("spherical_bessel_j0", lambda x: mpmath.sin(x) / x, BOTH),
    Special(
        "airy_ai",
        mpmath.airyai,
        ((-9, 0), (0, 1), (1, 2), (2, 10), (10, 50), (50, 103), (-1000, -9), (-1e6, -1000)),
        scale=airy_envelope,
    ),
    Special("erfcx", lambda x: mpmath.erfc(x) * mpmath.exp(x * x), ((-26, 0), (-1, 0), (0, 1), (1, 8), (8, 100), (100, 1e100))),
    Special("ndtr", normal, ((-37, -8), (-8, -1), (-1, 1), (1, 9))),
    Special("log_ndtr", log_normal, ((-1e4, -30), (-30, -1), (-1, 1), (1, 5), (5, 37))),
    Special("ndtri", quantile, ((1e-300, 1e-20), (1e-20, 0.01), (0.01, 0.5), (0.5, 0.9), (0.9, 1))),
    Special("entr", lambda x: -x * mpmath.log(x), POSITIVE),
]


def third_kind(n, x):
    return mpmath.chebyu(n, x) - (mpmath.chebyu(n - 1, x) if n else 0)


def fourth_kind(n, x):
    return mpmath.chebyu(n, x) + (mpmath.chebyu(n - 1, x) if n else 0)


KINDS = {"t": mpmath.chebyt, "u": mpmath.chebyu, "v": third_kind, "w": fourth_kind}
POLYNOMIALS = {
    **{f"chebyshev_polynomial_{kind}": f for kind, f in KINDS.items()},
    **{f"shifted_chebyshev_polynomial_{kind}": lambda n, x, f=f: f(n, 2 * x - 1) for kind, f in KINDS.items()},
    "hermite_polynomial_h": mpmath.hermite,
    "hermite_polynomial_he": lambda n, x: mpmath.hermite(n, x / mpmath.sqrt(2)) * mpf(2) ** (-mpf(n) / 2),
    "laguerre_polynomial_l": lambda n, x: mpmath.laguerre(n, 0, x),
    "legendre_polynomial_p": mpmath.legendre,
}
