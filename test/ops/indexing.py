"""Elements and slices named by index tensors: read, written, added up."""

import numpy as np

import torch
from ops.common import ALL, BEYOND, FLOATS, LIB, NOT_LONG, NUMBERS, ONES, REAL, ROWS, VALUES, Op, Sample, along, internal, rand


def selected(dtype):
    x = rand(3, 4, dtype=dtype)
    yield from (
        Sample(x, (0, ROWS)),
        Sample(x, (1, ROWS.int())),
        Sample(x, (-1, torch.tensor(1))),
        Sample(x, (0, torch.zeros(0, dtype=torch.long))),
    )
    yield from (
        Sample(rand(2, 3, 4, dtype=dtype), (1, ROWS)),
        Sample(rand(dtype=dtype), (0, torch.tensor([0]))),
        Sample(rand(3, 0, dtype=dtype), (0, ROWS)),
    )


def slices(*shapes):
    """x, dim, index, source: one slice of the source for each index; a slice is written twice only where values are summed."""
    index = {3: torch.tensor([2, 0]), 1: torch.tensor([0]), 5: torch.tensor([4, 1, 0])}

    def samples(dtype):
        for shape, dim in shapes:
            i = index[shape[dim]] if shape else torch.tensor([0])
            source = list(shape)
            if shape:
                source[dim] = len(i)
            yield Sample(rand(*shape, dtype=dtype), (dim, i, rand(*source, dtype=dtype, seed=1)))

    return samples


SLICES = slices(((3,), 0), ((3, 4), 0), ((2, 5), -1), ((2, 3, 2), 1), ((1,), 0), ((3, 0), 0))


def index_add(x, dim, index, source, alpha=1):
    x = x.copy()
    lines, added = along(x, dim), along(source, dim)
    for k, i in enumerate(index):
        lines[i] = lines[i] + (alpha * added[k] if x.dtype.kind != "b" else added[k])
    return x


def added(dtype):
    yield from SLICES(dtype)
    x = rand(3, 4, dtype=dtype)
    yield Sample(x, (0, ROWS, rand(3, 4, dtype=dtype, seed=1)))
    yield Sample(x, (0, ROWS, rand(3, 4, dtype=dtype, seed=1)), {"alpha": 2} if dtype != torch.bool else {})


def index_copy(x, dim, index, source):
    x = x.copy()
    along(x, dim)[index] = along(source, dim)
    return x


def filled(dtype):
    x = rand(3, 4, dtype=dtype)
    yield from (
        Sample(x, (0, ROWS, 1)),
        Sample(x, (-1, ROWS, torch.tensor(1, dtype=dtype))),
        Sample(rand(2, 3, 2, dtype=dtype), (1, torch.tensor([1]), 0)),
    )
    yield Sample(x, (0, torch.zeros(0, dtype=torch.long), 1))


def index_fill(x, dim, index, value):
    x = x.copy()
    along(x, dim)[index] = value
    return x


SELECT = [(lambda: torch.index_select(ONES, 0, BEYOND), (IndexError, RuntimeError), "out of range", VALUES),
          (lambda: torch.index_select(ONES, 0, NOT_LONG), (IndexError, RuntimeError), "int"),
          (lambda: torch.index_select(ONES, 0, torch.zeros(1, 1, dtype=torch.long)), IndexError, "vector"),
          (lambda: torch.index_select(ONES, 2, ROWS), IndexError, "out of range")]  # fmt: skip

ADD = [(lambda: torch.zeros(2, 3).index_add_(0, BEYOND, torch.ones(1, 3)), (IndexError, RuntimeError), "out of (range|bounds)", VALUES),
       (lambda: torch.zeros(2, 3).index_add_(0, torch.tensor([0]), torch.ones(2, 3)), (IndexError, RuntimeError), "[Nn]umber of ind|shape|size"),
       (lambda: torch.zeros(2, 3).index_add_(0, torch.tensor([0]), torch.ones(1, 3).double()), RuntimeError, "same (scalar type|dtype)")]  # fmt: skip


def plans(dtype):
    x = rand(3, 4, 2, dtype=dtype)
    mask = torch.tensor([True, False, True])
    plans = [[ROWS], [None, ROWS], [ROWS, torch.tensor([[1], [3]])], [ROWS, None, torch.tensor([1, 0, -1])], [mask], [torch.tensor(1)], [ROWS[:0]],
             [None, torch.tensor([True, False, True, True]), torch.tensor([0, 1, 0])], [rand(3, 4, dtype=torch.bool)]]  # fmt: skip
    return [Sample(x, (p,)) for p in plans]


def numpy_index(indices):
    return tuple(slice(None) if i is None else i for i in indices)


def index_put(x, indices, values, accumulate=False):
    x = x.copy()
    if not accumulate:
        x[numpy_index(indices)] = values
    elif x.dtype.kind == "b":
        np.logical_or.at(x, numpy_index(indices), values)
    else:
        np.add.at(x, numpy_index(indices), values)
    return x


def puts(dtype):
    found = []
    for s in plans(dtype):
        part = s.input[tuple(slice(None) if i is None else i for i in s.args[0])]
        found.append(Sample(s.input, (s.args[0], rand(*part.shape, dtype=dtype, seed=1), True)))
    x, once = rand(3, 4, dtype=dtype), [ROWS[:2]]
    return found + [Sample(x, (once, rand(2, 4, dtype=dtype, seed=1))), Sample(x, (once, rand(dtype=dtype)))]


def plain_puts(dtype):
    x = rand(3, 4, dtype=dtype)
    return [
        Sample(x, ([ROWS], rand(3, 4, dtype=dtype, seed=1), True)),
        Sample(x, ((ROWS[:2], ROWS[1:]), rand(2, dtype=dtype, seed=1))),
    ]


GET = [(lambda: ONES[BEYOND], IndexError, "out of bounds", VALUES), (lambda: ONES[ROWS[1:], ROWS], IndexError, "broadcast"),
       (lambda: ONES[torch.ones(3, dtype=torch.bool)], IndexError, "mask"), (lambda: ONES[0, 0, 0], IndexError, "too many indices"),
       (lambda: ONES[NOT_LONG], IndexError, "tensors used as indices"),
       (lambda: torch.zeros(3).index_put_([ROWS], torch.ones(2)), RuntimeError, "shape mismatch"),
       (lambda: torch.zeros(3).index_put_([ROWS], torch.ones(3).double()), RuntimeError, "same dtype|dtypes match|dtype")]  # fmt: skip


def put(x, index, values, accumulate=False):
    flat = x.flatten()
    for i, v in zip(index.ravel(), values.ravel()):
        flat[i] = flat[i] + v if accumulate else v
    return flat.reshape(x.shape)


def index_reduce_samples(dtype):
    x, rows = rand(4, 3, dtype=dtype), torch.tensor([2, 0, 2])
    for reduce in ("prod", "mean", "amax", "amin"):
        for kwargs in ({}, {"include_self": False}):
            yield Sample(x, (0, rows, rand(3, 3, dtype=dtype, seed=1), reduce), kwargs)
        yield Sample(x, (-1, rows.int()[:2], rand(4, 2, dtype=dtype, seed=1), reduce))
    yield Sample(torch.tensor(2).to(dtype), (0, torch.tensor(0), torch.tensor(3).to(dtype), "prod"))


def index_reduced(x, dim, index, source, reduce, include_self=True):
    result, slices, parts = x.copy(), along(x, dim).copy(), along(source, dim)
    for row in np.unique(index):
        picked = [*([slices[row]] if include_self else []), *parts[np.atleast_1d(index) == row]]
        values = np.array(picked)
        if reduce == "mean":
            along(result, dim)[row] = values.sum(0) // len(picked) if x.dtype.kind in "iu" else values.mean(0)
        else:
            along(result, dim)[row] = {"prod": np.prod, "amax": np.max, "amin": np.min}[reduce](values, 0)
    return result


def put_rows(x, indices, values):
    x = x.copy()
    x[tuple(indices)] = values
    return x


def masked_index(x, mask, indices, fill):
    return np.array([x[i, j] if m else fill for m, i, j in zip(mask, *indices)], dtype=x.dtype)


def masked_put(x, mask, indices, values):
    x = x.copy()
    for m, i, v in zip(mask, indices[0], values):
        if m:
            x[i] += v
    return x


def pruned(w, mask, dtype):
    return [w[mask], np.where(mask, np.cumsum(mask) - 1, -1).astype(np.int32 if dtype == torch.int32 else np.int64)]


OPS = [
    Op(
        "index_select",
        selected,
        lambda x, d, i: np.take(x, np.atleast_1d(i), d) if x.ndim else x,
        ALL,
        errors=SELECT,
    ),
    Op("index_add", added, index_add, ALL, inplace=True, errors=ADD),
    Op(
        "index_copy",
        SLICES,
        index_copy,
        ALL,
        inplace=True,
        errors=[
            (
                lambda: torch.zeros(2, 3).index_copy_(0, BEYOND, torch.ones(1, 3)),
                (IndexError, RuntimeError),
                "out of (range|bounds)",
                VALUES,
            ),
            (
                lambda: torch.zeros(2, 3).index_copy_(0, torch.tensor([0]), torch.ones(2, 3)),
                (IndexError, RuntimeError),
                "[Nn]umber of ind|shape|size",
            ),
        ],
    ),
    Op(
        "index_fill",
        filled,
        index_fill,
        ALL,
        inplace=True,
        out=False,
        errors=[
            (lambda: torch.zeros(2, 3).index_fill_(0, BEYOND, 1), (IndexError, RuntimeError), "out of (range|bounds)", VALUES),
            (lambda: torch.zeros(2, 3).index_fill_(0, ROWS[1:2], torch.ones(2)), RuntimeError, "0-dim", VALUES),
        ],
    ),
    Op("index", plans, lambda x, i: x[numpy_index(i)], ALL, call=LIB.index, method=False, out=False, errors=GET, meta=False),
    Op(
        "index",
        lambda d: [Sample(rand(3, 4, 2, dtype=d), (p,)) for p in ([ROWS], [ROWS, None, torch.tensor([1, 0, -1])])],
        lambda x, i: x[numpy_index(i)],
        FLOATS,
        call=LIB.index,
        method=False,
        out=False,
    ),
    Op("index_put", puts, index_put, ALL, call=LIB.index_put, method=False, out=False, meta=False),
    Op("index_put", plain_puts, index_put, FLOATS, inplace=True, out=False),
    Op(
        "take",
        lambda d: [
            Sample(rand(3, 4, dtype=d), (i,)) for i in (ROWS, torch.tensor([[11, -1], [0, 0]]), torch.tensor(5), ROWS[:0])
        ],
        lambda x, i: np.take(x, i),
        ALL,
        errors=[
            (lambda: torch.take(ONES, torch.tensor([6])), IndexError, "out of (range|bounds)", VALUES),
            (lambda: torch.take(ONES, NOT_LONG), RuntimeError, "Long|long|int64"),
        ],
    ),
    Op(
        "put",
        lambda d: [
            Sample(rand(3, 4, dtype=d), (torch.tensor([[11, -3], [0, 1]]), rand(2, 2, dtype=d, seed=1))),
            Sample(rand(3, 4, dtype=d), (ROWS, rand(3, dtype=d, seed=1), True)),
        ],
        put,
        ALL,
        inplace=True,
        out=False,
        errors=[
            (lambda: torch.zeros(2).put_(BEYOND, ONES[0, :1]), IndexError, "out of (range|bounds)", VALUES),
            (lambda: torch.zeros(2).put_(ROWS, torch.ones(2)), (IndexError, RuntimeError), "same number"),
        ],
    ),
    Op(
        "_index_put_impl_",
        plain_puts,
        index_put,
        ALL,
        call=lambda x, *a: LIB._index_put_impl_(x.clone(), *a),
        method=False,
        out=False,
    ),
    Op("index_reduce", index_reduce_samples, index_reduced, REAL, inplace=True, gradgrad=False, errors=(
        (lambda: ONES.index_reduce(0, torch.tensor([0]), ONES[:1], "sum"), RuntimeError, "prod, mean, amax or amin"), (lambda: ONES.index_reduce(0, BEYOND, ONES[:1], "prod"), IndexError, "out of range", VALUES),
        (lambda: ONES.index_reduce(0, NOT_LONG, ONES[:1], "prod"), RuntimeError, "int32/int64"), (lambda: ONES.index_reduce(0, torch.tensor([0]), ONES, "prod"), RuntimeError, "Number of indices"),
        (lambda: ONES.index_reduce(0, torch.tensor([0]), ONES[:1].double(), "prod"), RuntimeError, "same scalar type"),
        (lambda: ONES.index_reduce(0, torch.tensor([0]), ONES[:1, :2], "prod"), RuntimeError, "shape of self"))),
    *(internal("_unsafe_index", lambda dtype, i=i: [Sample(rand(4, 3, dtype=dtype), (i,))], lambda x, i: x[tuple(slice(None) if k is None else k for k in i)], ALL) for i in ([ROWS], [None, ROWS], [ROWS, ROWS])),
    internal("_unsafe_index_put", lambda dtype: [Sample(rand(4, 3, dtype=dtype), ([torch.tensor([2, 0])], rand(2, 3, dtype=dtype, seed=1)))], put_rows, ALL),
    internal("_index_put_impl", lambda dtype: [Sample(rand(4, 3, dtype=dtype), ([torch.tensor([2, 0])], rand(2, 3, dtype=dtype, seed=1)))], put_rows, ALL),
    internal("_unsafe_masked_index", lambda dtype: [Sample(rand(4, 3, dtype=dtype), (torch.tensor([True, False, True]), [torch.tensor([3, 99, 0]), torch.tensor([1, -99, 2])], 1))], masked_index, ALL),
    internal("_unsafe_masked_index_put_accumulate", lambda dtype: [Sample(rand(4, dtype=dtype), (torch.tensor([True, False, True]), [torch.tensor([3, 99, 3])], rand(3, dtype=dtype, seed=1)))],
             masked_put, NUMBERS, takes=(torch.bool,)),
    internal("_rowwise_prune", lambda dtype: [Sample(rand(4, 3, dtype=dtype), (torch.tensor(m), t)) for m in ([True, False, True, True], [False] * 4) for t in (torch.int32, torch.int64)], pruned, ALL, meta=False, errors=(
        (lambda: LIB._rowwise_prune(ONES, torch.tensor([True, False]), torch.float32), RuntimeError, "int32 or int64"), (lambda: LIB._rowwise_prune(ONES[0], torch.tensor([True]), torch.int32), RuntimeError, "2 dimensions"),
        (lambda: LIB._rowwise_prune(ONES, torch.tensor([True]), torch.int32), RuntimeError, "mask must be bool"))),
]  # fmt: skip
