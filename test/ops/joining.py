"""Tensors put together."""

import numpy as np

import torch
from ops.common import NUMBERS, ONES, Op, Sample, rand
from ops.shared.joined import joined


def cat(x, dim=0):
    return np.concatenate([t for t in x if t.shape != (0,)], dim)


def block_diag(x):
    x = [np.atleast_2d(t) for t in x]
    result, at = np.zeros(np.sum([t.shape for t in x], 0), x[0].dtype), [0, 0]
    for t in x:
        result[at[0] : at[0] + t.shape[0], at[1] : at[1] + t.shape[1]] = t
        at = [at[0] + t.shape[0], at[1] + t.shape[1]]
    return result


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


def chunk_cat(tensors, dim, n):
    dim %= tensors[0].ndim
    rows = []
    for t in tensors:
        padded = np.pad(t, [(0, -t.shape[d] % n if d == dim else 0) for d in range(t.ndim)])
        rows.append(padded.reshape(*t.shape[:dim], n, -1))
    return np.concatenate(rows, dim + 1)


OPS = [
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
    ),
    joined("_stack", np.stack, ([(2, 3), (2, 3)],), ([(2, 3), (2, 3), (2, 3)], -1), ([(0, 2), (0, 2)], 1)),
    joined("_chunk_cat", chunk_cat, ([(2, 3), (5, 3)], 0, 2), ([(2, 3), (2, 4), (2, 1)], 1, 3), ([(4,), (1,)], 0, 4), ([(2, 3)], -1, 2)),
]  # fmt: skip
