"""Elements gathered and scattered along a dimension."""

import numpy as np

import torch
from ops.common import ALL, ALL_FLOATS, BEYOND, BOOL, COMPLEX, NOT_LONG, ONES, REAL, ROWS, VALUES, Op, Sample, internal, rand


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

DATA, PIECES = rand(6), torch.tensor([2, 0, 4])


def segment_samples(dtype):
    x = rand(6, dtype=dtype)
    for reduce in ("sum", "mean", "max", "min", "prod"):
        lengths = PIECES if reduce in ("sum", "prod") else torch.tensor([2, 1, 3])
        yield from (Sample(x, (reduce,), {"lengths": lengths}), Sample(x, (reduce,), {"lengths": lengths.int(), "initial": 2.0}))
        yield Sample(rand(2, 5, 3, dtype=dtype), (reduce,), {"offsets": torch.tensor([[0, 2, 5], [0, 1, 5]]), "axis": 1})
    yield Sample(x, ("sum",), {"lengths": torch.tensor([2, 1]), "unsafe": True})


def pieces(x, lengths=None, offsets=None, axis=0):
    """The place and the elements of each piece."""
    ends = np.concatenate([np.zeros((*lengths.shape[:-1], 1), int), np.cumsum(lengths, -1)], -1) if offsets is None else offsets
    for outer in np.ndindex(*x.shape[:axis]):
        for k in range(ends.shape[-1] - 1):
            yield (*outer, k), (*outer, slice(ends[outer][k], ends[outer][k + 1]))


def segment_reduce(x, reduce, lengths=None, offsets=None, axis=0, initial=None, unsafe=False):
    count = (lengths if offsets is None else offsets[..., 1:]).shape[-1]
    found = np.zeros((*x.shape[:axis], count, *x.shape[axis + 1 :]), x.dtype)
    for to, part in pieces(x, lengths, offsets, axis):
        rows = x[part]
        total = {"sum": np.sum, "mean": np.sum, "prod": np.prod, "max": np.max, "min": np.min}[reduce](
            rows, 0, **({} if initial is None else {"initial": initial})
        )
        found[to] = total / len(rows) if reduce == "mean" else total
    return found


def segment_gradients(dtype):
    samples = [s for s in segment_samples(dtype) if "unsafe" not in s.kwargs and "initial" not in s.kwargs]
    return [Sample(rand(*torch.segment_reduce(s.input, *s.args, **s.kwargs).shape, dtype=dtype, seed=3),
                   (torch.segment_reduce(s.input, *s.args, **s.kwargs), s.input, *s.args), s.kwargs) for s in samples]  # fmt: skip


def segment_gradient(g, y, x, reduce, **kwargs):
    found = np.zeros_like(x)
    for to, part in pieces(x, **kwargs):
        rows = x[part]
        if reduce in ("max", "min"):
            found[part] = (rows == y[to]) * g[to]
        else:
            found[part] = {"sum": 1, "mean": 1 / max(len(rows), 1), "prod": y[to] / rows}[reduce] * g[to]
    return found


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
    Op("segment_reduce", segment_samples, segment_reduce, ALL_FLOATS, gradgrad=False, meta=False, method=False, out=False, noncontiguous=False, tolerance=1e-3, errors=tuple(
        (call, RuntimeError, text, VALUES) for call, text in (
            (lambda: torch.segment_reduce(DATA, "sum"), "Either lengths or offsets"), (lambda: torch.segment_reduce(DATA, "foo", lengths=PIECES), "reduce must be"),
            (lambda: torch.segment_reduce(DATA, "sum", lengths=PIECES, indices=PIECES), "not supported yet"), (lambda: torch.segment_reduce(DATA, "sum", lengths=PIECES[:2]), "sum to the size"),
            (lambda: torch.segment_reduce(DATA, "sum", lengths=-PIECES), "negative value"), (lambda: torch.segment_reduce(DATA, "sum", lengths=PIECES + 9), "after the end"),
            (lambda: torch.segment_reduce(DATA, "sum", lengths=PIECES, axis=-2), "Expected axis|Dimension out of range|dimension"), (lambda: torch.segment_reduce(DATA, "sum", lengths=PIECES * 1.0), "must be integers"))
        if "axis" not in text)),
    internal("_segment_reduce_backward", segment_gradients, segment_gradient, ALL_FLOATS, grad=False, meta=False, noncontiguous=False, tolerance=1e-2),
]  # fmt: skip
