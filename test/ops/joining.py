"""Tensors put together."""

import itertools

import numpy as np

import torch
from ops.common import ALL, NUMBERS, Op, Sample, rand

LIB = torch.ops.aten
ONES = torch.ones(2, 3)


# --- joining ---------------------------------------------------------------------------------------------


def joined(name, ref, *cases, dtypes=ALL, **kwargs):
    """cases: (shapes, arguments...)."""

    def samples(dtype):
        return [Sample([rand(*s, dtype=dtype, seed=i) for i, s in enumerate(shapes)], tuple(a)) for shapes, *a in cases]

    kwargs = {"method": False, **kwargs}
    return Op(name, samples, lambda x, *a: ref(x, *a), dtypes, **kwargs)


def cat(x, dim=0):
    return np.concatenate([t for t in x if t.shape != (0,)], dim)


def block_diag(x):
    x = [np.atleast_2d(t) for t in x]
    result, at = np.zeros(np.sum([t.shape for t in x], 0), x[0].dtype), [0, 0]
    for t in x:
        result[at[0] : at[0] + t.shape[0], at[1] : at[1] + t.shape[1]] = t
        at = [at[0] + t.shape[0], at[1] + t.shape[1]]
    return result


def meshgrid(x, indexing="ij"):
    return list(np.meshgrid(*x, indexing=indexing))


def cartesian_prod(x):
    return x[0] if len(x) == 1 else np.array(list(itertools.product(*x)), x[0].dtype)


def combinations(x, r=2, with_replacement=False):
    pick = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    return np.array(list(pick(x, r)), x.dtype).reshape(-1, r)


def mixed_samples(dtype):
    """Joined tensors take the type that they promote to."""
    return [Sample([rand(2, dtype=dtype), rand(3, dtype=torch.int32), rand(2, dtype=torch.bool)])]


CAT = ([(2, 3), (4, 3)],), ([(2, 3), (2, 1), (2, 2)], 1), ([(3,), (0,), (2,)],), ([(0,), (2, 3), (1, 3)],), ([(2, 0), (2, 3)], -1)
MISMATCH = [(lambda: torch.cat([ONES, torch.ones(2, 2)]), RuntimeError, "Sizes of tensors must match"),
            (lambda: torch.cat([torch.tensor(1.0)]), RuntimeError, "zero-dimensional"),
            (lambda: torch.cat([]), (RuntimeError, ValueError), "non-empty"),
            (lambda: torch.cat([ONES, torch.ones(3)]), RuntimeError, "number of dimensions"),
            (lambda: torch.cat([ONES, ONES], out=torch.ones(4, 3, dtype=torch.int)), TypeError, "cast"),
            (lambda: torch.stack([ONES, torch.ones(2)]), RuntimeError, "equal size"),
            (lambda: torch.stack([]), RuntimeError, "non-empty")]  # fmt: skip
ROWS = ([(3,), (3,)],), ([(2, 3), (1, 3)],), ([(), ()],)

JOINING = [
    joined("cat", cat, *CAT, errors=MISMATCH),
    Op("cat", mixed_samples, lambda x: np.concatenate(x), NUMBERS, method=False, grad=False),
    joined("concat", cat, *CAT[:2]),
    joined("concatenate", cat, *CAT[:2]),
    joined("stack", np.stack, ([(2, 3), (2, 3)],), ([(2, 3), (2, 3), (2, 3)], -1), ([(), ()],), ([(0, 2), (0, 2)], 1)),
    joined("hstack", np.hstack, ([(3,), (2,)],), ([(2, 3), (2, 1)],), ([(), ()],)),
    joined("vstack", np.vstack, *ROWS),
    joined("row_stack", np.vstack, *ROWS),
    joined("dstack", np.dstack, *(c for c in ROWS if len(c[0][0]) != 2), ([(2, 3), (2, 3)],)),
    joined("column_stack", np.column_stack, ([(3,), (3,)],), ([(3,), (3, 2)],), ([(), ()],)),
    joined(
        "block_diag",
        block_diag,
        ([(2, 3), (1, 2)],),
        ([(3,), (), (2, 1)],),
        ([(0, 2), (1, 1)],),
        call=lambda x: torch.block_diag(*x),
        out=False,
        errors=[(lambda: torch.block_diag(torch.ones(1, 1, 1)), RuntimeError, "2 or fewer|dimension")],
    ),  # fmt: skip
    joined(
        "meshgrid",
        meshgrid,
        ([(2,), (3,)],),
        ([(2,), (3,), (1,)],),
        ([(), (2,)],),
        call=lambda x: torch.meshgrid(*x, indexing="ij"),
        out=False,
    ),
    joined(
        "meshgrid",
        lambda x: meshgrid(x, "xy"),
        ([(2,), (3,)],),
        ([(2,), (3,), (1,)],),
        call=lambda x: torch.meshgrid(*x, indexing="xy"),
        out=False,
        errors=[
            (lambda: torch.meshgrid(ONES, indexing="ij"), RuntimeError, "0D or 1D|1D"),
            (lambda: torch.meshgrid(torch.ones(2), indexing="yx"), RuntimeError, "indexing"),
        ],
    ),  # fmt: skip
    joined(
        "cartesian_prod",
        cartesian_prod,
        ([(2,), (3,)],),
        ([(2,), (1,), (3,)],),
        ([(3,)],),
        call=lambda x: torch.cartesian_prod(*x),
        out=False,
        errors=[(lambda: torch.cartesian_prod(ONES), RuntimeError, "1D")],
    ),  # fmt: skip
    Op(
        "combinations",
        lambda d: [Sample(rand(4, dtype=d), a) for a in ((), (3,), (1,), (2, True), (5,))],
        combinations,
        ALL,
        method=False,
        out=False,
        errors=[(lambda: torch.combinations(ONES), RuntimeError, "1D")],
        meta=False,
    ),  # fmt: skip
]


OPS = JOINING
