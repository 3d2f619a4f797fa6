"""The normal distribution, the scaled error function, entropies."""

import scipy.special as sp

from ops.common import ANY_REAL
from ops.shared.special import one_number, two_numbers

BOTH = ((-0.9, 3), (-0.9, 3), (0.0, 2.0, -1), (0.0, 2.0, 3))

OPS = [
    one_number("entr", sp.entr, 0.1, 4, ANY_REAL, grad=True),
    one_number("erfcx", sp.erfcx, -3, 20, grad=True),
    one_number("ndtr", sp.ndtr, -9, 9, ANY_REAL, grad=True),
    one_number("ndtri", sp.ndtri, 0.01, 0.99, grad=True),
    one_number("log_ndtr", sp.log_ndtr, -30, 9, grad=True),
    *two_numbers("xlog1py", sp.xlog1py, *BOTH, ANY_REAL),
    *two_numbers("xlogy", sp.xlogy, (-1, 3), (0.1, 4), (0.0, 2.0, -1), (0.5, 2.0, 3), ANY_REAL),
]
OPS[5].grad = True
