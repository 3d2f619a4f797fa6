"""Elements gathered and scattered along a dimension."""

import numpy as np

import torch
from ops.common import (
    ALL,
    ALL_FLOATS,
    BEYOND,
    BOOL,
    COMPLEX,
    NOT_LONG,
    ONES,
    REAL,
    ROWS,
    VALUES,
    Op,
    Sample,
    rand,
)


def gathered(dtype):
    x = rand(3, 4, dtype=dtype)
    yield from (
        Sample(x, (0, torch.tensor([[2, 0, 1]]))),
        Sample(x, (1, torch.tensor([[3, 3], [0, 1]]))),
        Sample(x, (-1, torch.zeros(3, 0, dtype=torch.long))),
    )
    yield from (Sample(rand(4, dtype=dtype), (0, ROWS)), Sample(rand(dtype=dtype), (0, torch.tensor(0))))


def taken_along(dtype):
    return [
        Sample(rand(3, 4, dtype=dtype), (torch.tensor([[2], [0], [1]]), 1)),
        Sample(rand(1, 4, dtype=dtype), (torch.tensor([[2], [0]]), 1)),
    ]


def gather(x, dim, index):
    if x.ndim == 0:
        return x
    others = tuple(slice(0, n) if d != dim % x.ndim else slice(None) for d, n in enumerate(index.shape))
    return np.take_along_axis(x[others], index, dim)


def scatter_samples(*more, unique=True):
    """x, dim, index, source; without `unique` an element may be written more than once."""

    def samples(dtype):
        index = torch.tensor([[0, 2, 1], [1, 0, 2]]) if unique else torch.tensor([[0, 0, 1], [1, 0, 1]])
        yield Sample(rand(3, 4, dtype=dtype), (0, index, rand(2, 3, dtype=dtype, seed=1), *more))
        yield Sample(rand(2, 4, dtype=dtype), (1, index, rand(2, 3, dtype=dtype, seed=1), *more))
        yield Sample(rand(4, dtype=dtype), (-1, torch.tensor([3, 1]), rand(2, dtype=dtype, seed=1), *more))
        yield Sample(rand(4, dtype=dtype), (0, torch.zeros(0, dtype=torch.long), rand(0, dtype=dtype), *more))
        if dtype == torch.float32:  # a source larger than the index has no gradient
            yield Sample(rand(3, 4, dtype=dtype), (0, index, rand(3, 4, dtype=dtype, seed=1), *more))

    return samples


def with_numbers(dtype):
    yield from scatter_samples()(dtype)
    yield Sample(rand(3, 4, dtype=dtype), (1, torch.tensor([[3], [0]]), 1))


COMBINE = {
    None: lambda old, new: new,
    "add": np.add,
    "sum": np.add,
    "multiply": np.multiply,
    "prod": np.multiply,
    "amax": np.maximum,
    "amin": np.minimum,
}


def scatter(x, dim, index, source, reduce=None, include_self=True):
    x, counts = x.copy(), np.zeros(x.shape, np.int64)
    for place in np.ndindex(index.shape):
        at = list(place)
        at[dim] = index[place]
        at = tuple(at)
        new = source[place] if isinstance(source, np.ndarray) and source.ndim else source
        is_first = counts[at] == 0 and not include_self
        x[at] = new if is_first else COMBINE["sum" if reduce == "mean" else reduce](x[at], new)
        counts[at] += 1
    if reduce == "mean":
        n = np.maximum(counts + include_self, 1)
        x = x / n if x.dtype.kind in "fc" else x // n
    return x


def reductions(kinds, include_self=(True, False)):
    def samples(dtype):
        return [
            Sample(s.input, (*s.args, k), {"include_self": i})
            for k in kinds
            for i in include_self
            for s in scatter_samples(unique=False)(dtype)
        ]

    return samples


def old_reductions(dtype):
    return [Sample(s.input, s.args, {"reduce": k}) for k in ("add", "multiply") for s in scatter_samples(unique=False)(dtype)]


INDEX = torch.tensor([[0, 1]])

SCATTER = [(lambda: torch.zeros(2, 3).scatter_(0, BEYOND[None], 1.0), (IndexError, RuntimeError), "out of bounds", VALUES),
           (lambda: torch.zeros(2, 3).scatter_(0, ROWS, ONES), RuntimeError, "same number of dimensions"),
           (lambda: torch.zeros(2, 3).scatter_(0, NOT_LONG[None], 1.0), (IndexError, RuntimeError), "int"),
           (lambda: torch.zeros(2, 3).scatter_(0, INDEX, ONES.double()), RuntimeError, "dtype"),
           (lambda: torch.zeros(2, 3).scatter_(0, torch.zeros(1, 4, dtype=torch.long), torch.ones(1, 4)), RuntimeError, "[Ee]xpected index"),
           (lambda: torch.zeros(2, 3).scatter_reduce_(0, INDEX, ONES, "median"), RuntimeError, "reduce")]  # fmt: skip

GATHER = [(lambda: torch.gather(ONES, 0, BEYOND[None]), (IndexError, RuntimeError), "out of bounds", VALUES),
          (lambda: torch.gather(ONES, 0, ROWS), RuntimeError, "same number of dimensions"),
          (lambda: torch.gather(ONES, 0, NOT_LONG[None]), RuntimeError, "int64"),
          (lambda: torch.gather(ONES, 0, torch.zeros(1, 4, dtype=torch.long)), RuntimeError, "Size does not match")]  # fmt: skip

OPS = [
    Op("gather", gathered, gather, ALL, errors=GATHER),
    Op(
        "take_along_dim",
        taken_along,
        lambda x, i, dim: np.take_along_axis(np.broadcast_to(x, (len(i), 4)), i, dim),
        ALL,
        errors=[(lambda: torch.take_along_dim(ONES, NOT_LONG[None], 0), RuntimeError, "Long|int")],
    ),
    Op("take_along_dim", lambda d: [Sample(rand(3, 4, dtype=d), (ROWS,))], lambda x, i: x.ravel()[i], ALL, noncontiguous=False),
    Op("scatter", with_numbers, scatter, ALL, inplace=True, errors=SCATTER),
    Op("scatter", old_reductions, scatter, ALL, grad=False, inplace=True),
    Op("scatter_add", scatter_samples(unique=False), lambda *a: scatter(*a, "add"), ALL, inplace=True),
    Op(
        "scatter_reduce",
        reductions(("sum", "prod", "amax", "amin")),
        scatter,
        REAL + BOOL,
        takes=COMPLEX,
        inplace=True,
        gradgrad=False,
    ),
    Op("scatter_reduce", reductions(("mean",)), scatter, ALL_FLOATS + COMPLEX, inplace=True),
]
