"""Softmax and its logarithm."""

import scipy.special as sp

from ops.common import ALL_FLOATS, Op, Sample, rand


def softmax_samples(dtype):
    return [Sample(rand(*s, dtype=dtype), (d,)) for s, d in (((5,), 0), ((3, 4), 0), ((3, 4), 1), ((2, 3, 4), 1), ((2, 70), -1))]


OPS = [
    Op("softmax", softmax_samples, sp.softmax, ALL_FLOATS, covers=("_softmax", "_softmax_backward_data", "special_softmax")),
    Op(
        "log_softmax",
        softmax_samples,
        sp.log_softmax,
        ALL_FLOATS,
        covers=("_log_softmax", "_log_softmax_backward_data", "special_log_softmax"),
    ),
]
