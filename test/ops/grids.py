"""Grids, products and combinations of tensors; one-hot rows."""

import itertools

import numpy as np

import torch
import torch.nn.functional as F
from ops.common import ALL, INTS, ON_CPU, ONES, Op, Sample, rand
from ops.shared.joined import joined, lists


def meshgrid(x, indexing="ij"):
    return list(np.meshgrid(*x, indexing=indexing))


def cartesian_prod(x):
    return x[0] if len(x) == 1 else np.array(list(itertools.product(*x)), x[0].dtype)


def combinations(x, r=2, with_replacement=False):
    pick = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    return np.array(list(pick(x, r)), x.dtype).reshape(-1, r)


def one_hot(x, num_classes=-1):
    return np.eye(x.max() + 1 if num_classes < 0 else num_classes, dtype=np.int64)[x]


MESHES = lists([(2,), (3,)], [(2,), (3,), (1,)], [(), (2,)])

OPS = [
    Op(
        "meshgrid",
        lambda d: [Sample(s.input, (), {"indexing": i}) for s in MESHES(d) for i in ("ij", "xy")],
        meshgrid,
        ALL,
        call=lambda x, indexing: torch.meshgrid(*x, indexing=indexing),
        method=False,
        out=False,
        errors=[
            (lambda: torch.meshgrid(ONES, indexing="ij"), RuntimeError, "0D or 1D|1D"),
            (lambda: torch.meshgrid(torch.ones(2), indexing="yx"), RuntimeError, "indexing"),
        ],
    ),
    Op("meshgrid.default", MESHES, meshgrid, ALL, call=torch.ops.aten.meshgrid, method=False, out=False),
    joined(
        "cartesian_prod",
        cartesian_prod,
        ([(2,), (3,)],),
        ([(2,), (1,), (3,)],),
        ([(3,)],),
        call=lambda x: torch.cartesian_prod(*x),
        out=False,
        errors=[(lambda: torch.cartesian_prod(ONES), RuntimeError, "1D")],
    ),
    Op(
        "combinations",
        lambda d: [Sample(rand(4, dtype=d), a) for a in ((), (3,), (1,), (2, True), (5,))],
        combinations,
        ALL,
        method=False,
        out=False,
        errors=[(lambda: torch.combinations(ONES), RuntimeError, "1D")],
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
        errors=[
            (lambda: F.one_hot(torch.tensor([-1])), RuntimeError, "non-negative"),
            (lambda: F.one_hot(torch.tensor([3]), 2), RuntimeError, "smaller than num_classes", ON_CPU),
            (lambda: F.one_hot(torch.tensor([1.0])), RuntimeError, "[Ll]ong|int64|index"),
        ],
        meta=False,
    ),
]
