"""Sobol sequences: the reference draws digits of Gray codes from the direction numbers. The state itself is compared with SciPy's."""

import numpy as np

import torch
from ops.common import ALL, LIB, VALUES, Sample, internal

BITS = 30


def state(dimension):
    """Direction numbers of SciPy's table, by the recurrence of Bratley and Fox."""
    from scipy.stats import _sobol

    found = np.zeros((dimension, BITS), dtype=np.uint32)
    _sobol._initialize_v(found, dimension, BITS)
    return found.astype(np.int64)


def points(directions, first, n):
    """Rows first + 1 to first + n as integers."""
    found = np.zeros((n, len(directions)), dtype=np.int64)
    for i in range(n):
        gray = (first + i + 1) ^ (first + i + 1) >> 1
        for j in range(BITS):
            if gray >> j & 1:
                found[i] ^= directions[:, j]
    return found


def draw(quasi, n, directions, dimension, num_generated, dtype):
    rows = points(directions[:dimension], num_generated, n)
    start = points(directions[:dimension], num_generated - 1, 1)[0] if num_generated else np.zeros(dimension, dtype=np.int64)
    rows ^= start ^ quasi
    return rows.astype(np.float64 if dtype == torch.float64 else np.float32) / 2**BITS, rows[-1] if n else quasi


def ff(quasi, n, directions, dimension, num_generated):
    return draw(quasi, n, directions, dimension, num_generated, None)[1]


def scramble(directions, ltm, dimension):
    """Bits from the highest on, times the matrix, whose diagonal counts as 1."""
    ltm = np.where(np.eye(BITS, dtype=bool), 1, ltm)
    bits = directions[:, :, None] >> np.arange(BITS)[::-1] & 1
    return (np.einsum("dpk,djk->djp", ltm, bits) % 2 << np.arange(BITS)[::-1]).sum(-1)


def draws(dtype):
    v, zero = torch.from_numpy(state(5)), torch.zeros(5, dtype=torch.int64)
    for n, done, start, kind in (
        (4, 0, zero, None),
        (7, 5, zero + 12345, torch.float64),
        (0, 0, zero, None),
        (300, 2**20 - 5, zero, torch.float32),
    ):
        yield Sample(start, (n, v, 5, done, kind))


def matrices(dtype):
    entries = np.tril(np.random.RandomState(0).randint(0, 2, (3, BITS, BITS)))
    entries[:, range(BITS), range(BITS)] = 1
    return [Sample(torch.from_numpy(state(3)), (torch.from_numpy(entries), 3))]


def on_copy(fn):
    return lambda x, *args: fn(x.clone(), *args)


def initialized(dtype):
    return [Sample(torch.zeros(d, BITS, dtype=torch.int64), (d,)) for d in (1, 2, 40, 2500)]


V, Q = torch.zeros(2, BITS, dtype=torch.int64), torch.zeros(2, dtype=torch.int64)
PLAIN = {"dtypes": (torch.int64,), "takes": ALL, "grad": False, "noncontiguous": False}
DRAW, FF = LIB._sobol_engine_draw, LIB._sobol_engine_ff_


def step_errors(fn, *dtype):
    return (
        (lambda: fn(Q.int(), 1, V, 2, 0, *dtype), RuntimeError, "quasi must be of type int64"),
        (lambda: fn(Q, 1, V.int(), 2, 0, *dtype), RuntimeError, "sobolstate must be of type int64"),
        (lambda: fn(Q, 1, V, 3, 0, *dtype), RuntimeError, "must have the shape"),
        (
            lambda: fn(Q, 1, torch.empty(2, BITS, dtype=torch.int64, device="meta"), 2, 0, *dtype),
            RuntimeError,
            "sobolstate must be on cpu|copy out of meta tensor",
            VALUES,
        ),
        (lambda: fn(Q, 1, V, 0, 0, *dtype), RuntimeError, "dimension must be from 1 to 21201"),
        (lambda: fn(Q[:1], 1, V, 2, 0, *dtype), RuntimeError, "quasi must have the shape"),
        (lambda: fn(Q, -1, V, 2, 0, *dtype), RuntimeError, "must not be negative"),
        (lambda: fn(Q, 1, V, 2, -5, *dtype), RuntimeError, "must not be negative"),
        (lambda: fn(Q, 2, V, 2, 2**30 - 2, *dtype), RuntimeError, "at most"),
        (lambda: fn(Q, 2**62, V, 2, 2**62, *dtype), RuntimeError, "at most"),
    )


OPS = [
    internal("_sobol_engine_draw", draws, draw, **PLAIN, errors=(
        *step_errors(DRAW, None), (lambda: DRAW(Q, 1, V, 2, 0, torch.float16), NotImplementedError, "not implemented for 'Half'"))),
    internal("_sobol_engine_ff_", lambda dtype: [Sample(s.input, s.args[:-1]) for s in draws(dtype)], ff, call=on_copy(FF), **PLAIN, errors=step_errors(FF)),
    internal("_sobol_engine_scramble_", matrices, scramble, call=on_copy(LIB._sobol_engine_scramble_), **PLAIN, errors=(
        (lambda: LIB._sobol_engine_scramble_(V.clone(), torch.zeros(2, 5, BITS, dtype=torch.int64), 2), RuntimeError, "ltm must have the shape"),
        (lambda: LIB._sobol_engine_scramble_(V.clone(), torch.zeros(2, BITS, BITS), 2), RuntimeError, "ltm must be of type int64"),
        (lambda: LIB._sobol_engine_scramble_(V.int(), torch.zeros(2, BITS, BITS).long(), 2), RuntimeError, "self must be of type int64"))),
    internal("_sobol_engine_initialize_state_", initialized, lambda x, dimension: state(dimension), call=on_copy(LIB._sobol_engine_initialize_state_), **PLAIN, errors=(
        (lambda: LIB._sobol_engine_initialize_state_(V.float(), 2), RuntimeError, "must be of type int64"),
        (lambda: LIB._sobol_engine_initialize_state_(V[:, :5], 2), RuntimeError, "must have the shape"),
        (lambda: LIB._sobol_engine_initialize_state_(V, 21202), RuntimeError, "dimension must be from 1 to 21201"))),
]  # fmt: skip
