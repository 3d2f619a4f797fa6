"""Writes random programs of 5 to 20 operators. The same seed gives the same program; no tensor library is needed."""

from . import ops_elementwise, ops_index, ops_inplace, ops_join, ops_reduce, ops_views  # noqa: F401  (they register their steps)
from .registry import OPS
from .state import State


def generate(seed):
    s = State(seed)
    for _ in range(s.rng.randint(1, 3)):
        s.leaf(grad=True if s.chance(0.7) else None)
    functions, weights = [f for _, f in OPS], [w for w, _ in OPS]
    count, tries = s.rng.randint(5, 20), 0
    done = 0
    while done < count and tries < 200:
        tries += 1
        if s.rng.choices(functions, weights)[0](s) is not None:
            done += 1
    return s.program
