"""Decides whether a difference is only rounding that later steps amplify, and not a defect.

There are two tests. First, the peer runs the program again with its results replaced by ours after each step, so that every step
is compared with equal inputs. If a difference remains, the peer runs with a change of one unit in the last place after each step.
If its own results move by as much as the difference, the program is ill-conditioned.
"""

from __future__ import annotations

import math

from .compare import differences

NOISES = 4
MARGIN = 4.0
NUMBERS = ("values", "gradients")


def left(pair, program, ours, theirs):
    """The differences that are not rounding: all soft ones, and the first hard one."""
    found = differences(program, ours, theirs)
    if not any(d.kind in NUMBERS for d in found):
        return found
    forced = pair.theirs.ask(program, force=ours["steps"])
    found = differences(program, ours, forced)
    hard = [d for d in found if d.kind in NUMBERS]
    if hard and moves(pair, program, ours, forced, hard[0].step):
        return [d for d in differences(program, ours, forced, factor=1e9) if d.kind not in NUMBERS]
    return found


def refusals(pair, program, found):
    """If one library refuses the backward pass of all results, compares the backward passes of single results."""
    if not any(d.kind == "error" and d.step < 0 for d in found):
        return []
    ours, theirs = pair.ask(program, each=True)
    return [d for d in left(pair, program, ours, theirs) if d.kind in NUMBERS] if "grads" in ours and "grads" in theirs else []


def moves(pair, program, ours, theirs, step):
    """Whether noise moves the peer's numbers by as much as ours differ from them."""

    def place(r):
        return flat(r["steps"][step]) if step >= 0 else flat(r.get("grads", {})) + flat(r["end"])

    if "crash" in ours or "crash" in theirs:
        return False
    mine, other = place(ours), place(theirs)
    if len(mine) != len(other):
        return False
    apart = [k for k, (x, y) in enumerate(zip(mine, other)) if not (x == y or (x != x and y != y))]
    if any(not (math.isfinite(mine[k]) and math.isfinite(other[k])) for k in apart):
        return False
    base = place(pair.theirs.ask(program))
    span = [0.0] * len(base)
    for i in range(NOISES):
        noisy = pair.theirs.ask(program, noise=i)
        if "crash" in noisy or len(place(noisy)) != len(base) or len(base) != len(mine):
            return False
        for k, (x, y) in enumerate(zip(place(noisy), base)):
            span[k] = max(span[k], abs(x - y) if math.isfinite(x) and math.isfinite(y) else math.inf)
    if step >= 0 and program.steps[step].op == "train":
        span = pooled(ours["steps"][step], span)
    return all(abs(mine[k] - other[k]) <= MARGIN * span[k] + 1e-9 * abs(other[k]) for k in apart)


def pooled(tensors, span):
    """The largest change in each tensor: after many operators, a few noise runs do not reach every element."""
    found, at = [], 0
    for n in (len(flat(t)) for t in tensors):
        found += [max(span[at : at + n], default=0.0)] * n
        at += n
    return found


def flat(r):
    """All numbers in a result, in a fixed order."""
    if isinstance(r, dict):
        if "numbers" in r:
            return list(r["numbers"])
        return [x for k, v in r.items() if k not in ("shape", "strides", "grad") for x in flat(v)]
    if isinstance(r, list):
        return [x for v in r for x in flat(v)]
    return [float(r)] if isinstance(r, (int, float)) else []
