"""Window functions: torch.*_window and torch.signal.windows."""

import numpy as np
import scipy.signal.windows as sw

import torch
from ops.common import ALL_FLOATS, COMPLEX, Op, Sample
from ops.shared.creation import of_numpy

LENGTHS = (0, 1, 2, 3, 6, 13, 4000)


def window(name, ref, *extra):
    def samples(dtype):
        arguments = [(), (True,), (False,), *((False, *e) for e in extra)]
        return [Sample(n, a, {"dtype": dtype}) for n in LENGTHS for a in arguments]

    def reference(n, periodic=True, *a, dtype=None):
        return ref(n, periodic, *a).astype(np.float32 if dtype == torch.bfloat16 else of_numpy(dtype))

    function = getattr(torch, name)
    return Op(name, samples, reference, ALL_FLOATS, method=False, out=False, grad=False, noncontiguous=False, factory=True, takes=COMPLEX,
              errors=((lambda: function(-1), RuntimeError, "non-negative"), (lambda: function(3, dtype=torch.int32), RuntimeError, "floating"),
                      (lambda: function(3, dtype=torch.complex64), NotImplementedError, "ComplexFloat")))  # fmt: skip


def scipy(f):
    return lambda n, periodic, *a: f(n, *a, sym=not periodic)


def hamming(n, periodic, alpha=0.54, beta=0.46):
    steps = n if periodic else n - 1
    return np.ones(n) if n == 1 else alpha - beta * np.cos(2 * np.pi * np.arange(n) / max(steps, 1))


OPS = [
    window("bartlett_window", scipy(sw.bartlett)),
    window("blackman_window", scipy(sw.blackman)),
    window("hann_window", scipy(sw.hann)),
    window("hamming_window", hamming, (0.6,), (0.6, 0.3)),
    window("kaiser_window", lambda n, periodic, beta=12.0: sw.kaiser(n, beta, sym=not periodic), (3.0,), (0.0,)),
]
