"""Bessel and Airy functions."""

import numpy as np
import scipy.special as sp

from ops.common import ANY_REAL
from ops.shared.one_operand import function
from ops.shared.special import in_double, one_number


def airy(x):
    return sp.airy(x)[0]


def spherical_j0(x):
    return np.sinc(np.asarray(x) / np.pi)


OPS = [
    function("i0", in_double(sp.i0), tolerance=1e-5),
    one_number("i0", sp.i0, -9, 9, ANY_REAL, tolerance=1e-2),
    one_number("i0e", sp.i0e, -9, 9, ANY_REAL, grad=True),
    one_number("i1", sp.i1, -9, 9, ANY_REAL, grad=True, tolerance=1e-2),
    one_number("i1e", sp.i1e, -9, 9, ANY_REAL, grad=True),
    one_number("airy_ai", airy, -12, 4),
    one_number("bessel_j0", sp.j0, -30, 30),
    one_number("bessel_j1", sp.j1, -30, 30),
    one_number("bessel_y0", sp.y0, -1, 30),
    one_number("bessel_y1", sp.y1, -1, 30),
    one_number("modified_bessel_i0", sp.i0, -9, 9),
    one_number("modified_bessel_i1", sp.i1, -9, 9),
    one_number("modified_bessel_k0", sp.k0, 0.1, 20),
    one_number("modified_bessel_k1", sp.k1, 0.1, 20),
    one_number("scaled_modified_bessel_k0", sp.k0e, 0.1, 20),
    one_number("scaled_modified_bessel_k1", sp.k1e, 0.1, 20),
    one_number("spherical_bessel_j0", spherical_j0, -30, 30),
]
