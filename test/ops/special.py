"""Special functions."""

import numpy as np
import scipy.special as sp

import torch
from ops.common import ALL_FLOATS, ANY_REAL, Op, Sample, rand, wide
from ops.shared.one_operand import SMOOTH_COMPLEX, function, special


def digamma_samples(dtype):
    return [Sample(rand(3, 4, dtype=dtype, low=0.3, high=9)), Sample(rand(5, dtype=dtype, low=-2.7, high=-2.3))]


def logit(x, eps=None):
    x = np.clip(x, eps, 1 - eps) if eps is not None else x
    return np.log(x / (1 - x))


def polygamma_samples(dtype):
    return [Sample(n, (rand(3, 4, dtype=dtype, low=0.3, high=5),)) for n in (0, 1, 2, 4)]


OPS = [
    function("sinc", np.sinc, SMOOTH_COMPLEX),
    function("erf", sp.erf),
    function("erfc", sp.erfc),
    function("erfinv", sp.erfinv, ANY_REAL, -0.9, 0.9),
    function("lgamma", sp.gammaln, ANY_REAL, 0.3, 9, tolerance=1e-4),
    Op("digamma", digamma_samples, wide(sp.digamma), ANY_REAL, inplace=True, tolerance=1e-4),
    Op(
        "polygamma",
        polygamma_samples,
        wide(sp.polygamma),
        ANY_REAL,
        method=False,
        noncontiguous=False,
        grad=False,
        tolerance=1e-4,
    ),
    Op(
        "logit",
        lambda d: [Sample(rand(3, 4, dtype=d, low=0.1, high=0.9)), Sample(rand(5, dtype=d, low=-0.5, high=1.5), (0.2,))],
        wide(logit),
        ANY_REAL,
        inplace=True,
    ),
    special("sinc", np.sinc, dtypes=SMOOTH_COMPLEX),
    special("erf", sp.erf),
    special("erfc", sp.erfc),
    special("erfinv", sp.erfinv, -0.9, 0.9),
    special("gammaln", sp.gammaln, 0.3, 9, tolerance=1e-4),
    special("digamma", sp.digamma, 0.3, 9, tolerance=1e-4),
    special("psi", sp.psi, 0.3, 9, tolerance=1e-4),
    special("logit", logit, 0.1, 0.9),
    Op(
        "special_polygamma",
        polygamma_samples,
        wide(sp.polygamma),
        ANY_REAL,
        method=False,
        noncontiguous=False,
        grad=False,
        tolerance=1e-4,
        call=torch._C._special.special_polygamma,
    ),
    Op(
        "polygamma_",
        lambda d: [Sample(s.args[0], (s.input,)) for s in polygamma_samples(d)],
        lambda x, n: wide(sp.polygamma)(n, x),
        ALL_FLOATS,
        call=lambda x, n: x.clone().polygamma_(n),
        method=False,
        out=False,
        grad=False,
        tolerance=1e-4,
    ),
]
