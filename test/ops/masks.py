"""Elements that a mask chooses, or their value: masked_*, nonzero, one_hot."""

import numpy as np

import torch
import torch.nn.functional as F
from ops.common import ALL, INTS, ONES, Op, Sample, rand

# --- masks -----------------------------------------------------------------------------------------------


def masked(*more):
    def samples(dtype):
        for shape, mask in (((3, 4), (3, 4)), ((3, 4), (4,)), ((3, 4), (3, 1)), ((), ()), ((0, 2), (2,)), ((2, 3), ())):
            yield Sample(rand(*shape, dtype=dtype), (rand(*mask, dtype=torch.bool, seed=2), *more))

    return samples


def fills(dtype):
    yield from masked(1)(dtype)
    yield from masked(torch.tensor(1, dtype=dtype))(dtype)


def masked_fill(x, mask, value):
    return np.where(mask, np.asarray(value, x.dtype), x)


def masked_select(x, mask):
    x, mask = np.broadcast_arrays(x, mask)
    return x[mask]


def masked_scatter(x, mask, source):
    x, mask = x.copy(), np.broadcast_to(mask, x.shape)
    x[mask] = source.ravel()[: mask.sum()]
    return x


def sources(dtype):
    return [Sample(s.input, (*s.args, rand(3, 5, dtype=dtype, seed=1))) for s in masked()(dtype)]


def nonzero_samples(dtype):
    return [
        Sample(rand(*s, dtype=dtype).masked_fill(rand(*s, dtype=torch.bool), 0))
        for s in ((5,), (3, 4), (2, 3, 2), (), (0, 3), (2, 0))
    ]


def one_hot(x, num_classes=-1):
    return np.eye(x.max() + 1 if num_classes < 0 else num_classes, dtype=np.int64)[x]


def argwhere(x):
    return np.argwhere(x)


MASKS = [(lambda: torch.zeros(2).masked_fill_(torch.tensor([1, 0]), 1), RuntimeError, "bool"),
         (lambda: torch.zeros(2).masked_fill_(torch.ones(3, dtype=torch.bool), 1), RuntimeError, "size|broadcast"),
         (lambda: torch.zeros(2).masked_fill_(torch.ones(2, dtype=torch.bool), torch.ones(2)), RuntimeError, "0-dim")]  # fmt: skip

BY_MASK = [
    Op("masked_fill", fills, masked_fill, ALL, inplace=True, out=False, errors=MASKS),
    Op(
        "masked_select",
        masked(),
        masked_select,
        ALL,
        meta=False,
        covers=("masked_select_backward",),
        errors=[(lambda: torch.masked_select(ONES, torch.ones(3, dtype=torch.int)), RuntimeError, "[Bb]ool")],
    ),  # fmt: skip
    Op(
        "masked_scatter",
        sources,
        masked_scatter,
        ALL,
        inplace=True,
        out=False,
        covers=("masked_scatter_backward",),
        errors=[
            (
                lambda: torch.zeros(3).masked_scatter_(torch.ones(3, dtype=torch.bool), torch.ones(2)),
                RuntimeError,
                "number of ones|elements",
            ),
            (
                lambda: torch.zeros(3).masked_scatter_(torch.ones(3, dtype=torch.bool), torch.ones(3).double()),
                RuntimeError,
                "dtype",
            ),
        ],
    ),  # fmt: skip
    Op("nonzero", nonzero_samples, argwhere, ALL, grad=False, meta=False),
    Op("argwhere", nonzero_samples, argwhere, ALL, grad=False, meta=False, out=False),
    Op(
        "nonzero_numpy",
        lambda d: nonzero_samples(d)[:3],
        lambda x: list(np.nonzero(x)),
        ALL,
        call=lambda x: torch.nonzero(x, as_tuple=True),
        method=False,
        out=False,
        grad=False,
        meta=False,
    ),  # fmt: skip
    Op(
        "where",
        lambda d: nonzero_samples(d)[:3],
        lambda x: list(np.nonzero(x)),
        ALL,
        method=False,
        out=False,
        grad=False,
        meta=False,
    ),
    Op(
        "one_hot",
        lambda d: [
            Sample(torch.tensor([[0, 3], [1, 1]]).to(d)),
            Sample(torch.tensor([0, 2]).to(d), (5,)),
            Sample(torch.tensor(1).to(d), (2,)),
        ],
        one_hot,
        INTS[4:],
        call=F.one_hot,
        method=False,
        out=False,
        grad=False,
        meta=False,
        errors=[
            (lambda: F.one_hot(torch.tensor([-1])), RuntimeError, "non-negative"),
            (lambda: F.one_hot(torch.tensor([3]), 2), RuntimeError, "smaller than num_classes"),
            (lambda: F.one_hot(torch.tensor([1.0])), RuntimeError, "[Ll]ong|int64|index"),
        ],
    ),  # fmt: skip
]


OPS = BY_MASK
