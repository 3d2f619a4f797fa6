"""Incomplete gamma functions, the multivariate gamma function, the zeta function."""

import numpy as np
import scipy.special as sp

import torch
from ops.common import ALL_FLOATS, REAL, Op, Sample, unary
from ops.shared.special import in_double, pairs, two_numbers

REFUSED = ((lambda: torch.igamma(torch.ones(2), 2), TypeError, "must be Tensor"),)


def incomplete(name, ref, call=None):
    method = {"inplace": True} if call is None else {"method": False, "call": call}
    return Op(name, pairs((0.1, 9), (0.1, 9)), in_double(ref), ALL_FLOATS, grad=False, errors=REFUSED, **method)


def multivariate(name, **kwargs):
    return Op(name, lambda d: [Sample(s.input, (p,)) for p in (1, 2, 3) for s in unary(1.6, 9)(d)], in_double(several), REAL,
              tolerance=1e-5, **kwargs)  # fmt: skip


def several(x, p):
    return sum(sp.gammaln(x - i / 2) for i in range(p)) + p * (p - 1) / 4 * np.log(np.pi)


ERRORS = ((lambda: torch.mvlgamma(torch.ones(2), 0), RuntimeError, "1 or more"),
          (lambda: torch.mvlgamma(torch.ones(2).bool(), 1), RuntimeError, "boolean"))  # fmt: skip
S = torch._C._special

OPS = [
    incomplete("igamma", sp.gammainc),
    incomplete("igammac", sp.gammaincc),
    incomplete("special_gammainc", sp.gammainc, S.special_gammainc),
    incomplete("special_gammaincc", sp.gammaincc, S.special_gammaincc),
    multivariate("mvlgamma", inplace=True, errors=ERRORS),
    multivariate("special_multigammaln", call=S.special_multigammaln, method=False),
    *two_numbers("zeta", sp.zeta, (1.5, 9), (0.1, 9), (2.0, 3.5), (1.0, 2.5), tolerance=1e-5),
]
