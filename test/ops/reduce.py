"""Sums, products, means and truths over dimensions."""

import numpy as np
import scipy.special as sp

import torch
from ops.common import ALL, ALL_FLOATS, ANY_REAL, BOOL, COMPLEX, FLOATS, REAL, Op, Sample, axis_aware, internal, rand, reduction
from ops.shared.reductions import reduce


def one_dim(low=-3.0, high=3.0, full=True):
    """Everything, or one dimension at a time."""

    def samples(dtype):
        found = []
        for shape in ((5,), (3, 4), (2, 3, 4), (70, 3)):
            x = rand(*shape, dtype=dtype, low=low, high=high)
            found += [Sample(x)] * full + [Sample(x, (0,)), Sample(x, (-1,), {"keepdim": True})]
        return found

    return samples


def truth(f):
    """Of bytes the answer is a byte."""
    return lambda x, **kwargs: np.asarray(f(x, **kwargs)).astype(np.uint8 if x.dtype == np.uint8 else bool)


def integers_wide(f):
    """Sums of integers are of 64 bits."""
    return lambda x, **kwargs: f(x.astype(np.int64) if x.dtype.kind in "bui" else x, **kwargs)


EMPTY = [(lambda: torch.argmax(torch.zeros(0)), IndexError, "reduction dim to be specified"),
         (lambda: torch.max(torch.zeros(0)), RuntimeError, "numel\\(\\) == 0"),
         (lambda: torch.zeros(2, 0).max(1), IndexError, "non-zero size"),
         (lambda: torch.zeros(2).sum((0, 0)), RuntimeError, "appears multiple times"),
         (lambda: torch.zeros(2).sum(1), IndexError, "out of range")]  # fmt: skip


def sum_to_size(x, *size):
    size = size[0] if isinstance(size[0], tuple) else size
    padded = (1,) * (x.ndim - len(size)) + tuple(size)
    return x.sum(tuple(d for d in range(x.ndim) if padded[d] == 1 and x.shape[d] != 1), keepdims=True).reshape(size)


def hashed(x, dim=None, keepdim=False):
    wide = x.astype(np.float64).view(np.uint64) if x.dtype.kind == "f" else x.astype(np.int64).view(np.uint64)
    axes = tuple(range(x.ndim)) if dim is None else (dim if isinstance(dim, (tuple, list)) else (dim,))
    return np.bitwise_xor.reduce(wide, axis=axes, keepdims=keepdim)


OPS = [
    reduce("sum", integers_wide(np.sum), ALL, reduction(empty=True), out=False, errors=EMPTY),
    reduce("sum", integers_wide(np.sum), FLOATS, samples=reduction(full=False)),
    reduce("nansum", integers_wide(np.nansum), REAL + BOOL, reduction(empty=True)),
    reduce(
        "mean",
        np.mean,
        ALL_FLOATS + COMPLEX,
        reduction(empty=True),
        errors=[(lambda: torch.mean(torch.tensor([1])), RuntimeError, "floating point or complex")],
    ),
    reduce("nanmean", np.nanmean, ALL_FLOATS),
    reduce("prod", integers_wide(np.prod), ALL, one_dim(0.5, 1.5), out=False, tolerance=1e-4),
    reduce("prod", integers_wide(np.prod), FLOATS, one_dim(0.5, 1.5, full=False), tolerance=1e-4),
    reduce("all", truth(np.all), ALL, reduction(empty=True), grad=False),
    reduce("any", truth(np.any), ALL, reduction(empty=True), grad=False),
    Op(
        "count_nonzero",
        lambda d: [Sample(rand(3, 4, dtype=d)), Sample(rand(3, 4, dtype=d), (0,)), Sample(rand(3, 4, dtype=d), ((0, 1),))],
        lambda x, dim=None: np.count_nonzero(x, dim),
        ALL,
        grad=False,
        out=False,
    ),
    Op(
        "logsumexp",
        lambda d: [Sample(s.input, s.args or (tuple(range(s.input.dim())),), s.kwargs) for s in one_dim()(d)],
        axis_aware(lambda x, **k: sp.logsumexp(x * 1.0 if x.dtype == bool else x, **k)),
        ALL,
    ),
    Op(
        "special_logsumexp",
        lambda d: [Sample(rand(3, 4, dtype=d), a) for a in ((0,), (1, True), ((0, 1),))],
        lambda x, dim, keepdim=False: sp.logsumexp(x, axis=dim, keepdims=keepdim),
        ALL,
        call=torch.special.logsumexp,
        method=False,
    ),
    *(internal(name, lambda dtype: [Sample(rand(*s, dtype=dtype)) for s in ((), (5,), (2, 3), (0,))], f, BOOL, grad=False,
               errors=((lambda name=name: getattr(torch.ops.aten, name)(torch.ones(2)), RuntimeError, "expected a bool tensor"),))
      for name, f in (("_is_all_true", np.all), ("_is_any_true", np.any))),
    Op("sum_to_size", lambda dtype: [Sample(rand(2, 3, 4, dtype=dtype), a) for a in ((1, 3, 1), ((3, 4),), (1,), (2, 3, 4))], sum_to_size, ALL_FLOATS + COMPLEX, takes=ALL,
       call=torch.Tensor.sum_to_size, method=False, out=False, errors=((lambda: torch.ones(2, 3).sum_to_size(2, 2), RuntimeError, "is not expandable"),)),
    Op("hash_tensor", reduction(), hashed, ANY_REAL, grad=False, errors=(
        (lambda: torch.hash_tensor(torch.ones(2), mode=1), RuntimeError, "Unknown hash_tensor mode"), (lambda: torch.hash_tensor(torch.ones(0)), RuntimeError, "Specify the reduction dim"),
        (lambda: torch.hash_tensor(torch.ones(0, 2), 0), IndexError, "non-zero size"), (lambda: torch.hash_tensor(torch.ones(2), 1), IndexError, "out of range"),
        (lambda: torch.hash_tensor(torch.ones(2) * 1j), NotImplementedError, "not implemented for 'ComplexFloat'"))),
]  # fmt: skip
