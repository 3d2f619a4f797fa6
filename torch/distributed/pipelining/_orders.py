"""In which order a process computes the parts of a batch, one function for each schedule.

An order is a list of actions. Sends do not wait, so that any order works in which no process receives what was not sent before.
`p` processes, `n` parts, and `rank` is this process. In a V, process r has the stages r and 2 p - 1 - r.
"""

from __future__ import annotations

from collections.abc import Callable

from torch.distributed.pipelining._actions import B, F, I, W, _Action, _ComputationType


def action(kind: _ComputationType, stage: int, part: int) -> _Action:
    """An action, in the order of words that these functions need."""
    return _Action(stage, kind, part)


def alternate(forward: list[_Action], backward: list[_Action], before: int) -> list[_Action]:
    """`before` forward passes, then one backward and one forward in turns."""
    before = min(before, len(forward))
    order = forward[:before]
    for k, step in enumerate(backward):
        order.append(step)
        order += forward[before + k : before + k + 1]
    return order


def _rounds(rank: int, p: int, n: int, local: int) -> Callable[[int, bool], tuple[int, int]]:
    """Stage and part of the k-th pass of a process whose `local` stages parts go through in rounds."""
    per_round = n // max(1, n // p)

    def place(k: int, backwards: bool) -> tuple[int, int]:
        own = (k // per_round) % local
        part = (k // (per_round * local)) * per_round + k % per_round
        return (local - 1 - own if backwards else own) * p + rank, part

    return place


def interleaved(rank: int, p: int, n: int, local: int) -> list[_Action]:
    """1F1B in rounds."""
    place, total, per_round = _rounds(rank, p, n, local), n * local, n // max(1, n // p)
    forward = [action(F, *place(k, False)) for k in range(total)]
    backward = [action(B, *place(k, True)) for k in range(total)]
    # The processes after this one are ahead by two passes each; one more is under way.
    return alternate(forward, backward, (local - 1) * per_round + 2 * (p - 1 - rank) + 1)


def interleaved_zero_bubble(rank: int, p: int, n: int, local: int) -> list[_Action]:
    """As `interleaved`, with `rank` gradients of weights put off: they fill the time in which a process would wait at the end."""
    place, total, per_round = _rounds(rank, p, n, local), n * local, n // max(1, n // p)
    forward = [action(F, *place(k, False)) for k in range(total)]
    before = min((local - 1) * per_round + (p - 1 - rank), total)
    order = forward[:before]
    for k in range(total):
        order += forward[before + k : before + k + 1]
        order.append(action(I, *place(k, True)))
        if k >= rank:
            order.append(action(W, *place(k - rank, True)))
    return order + [action(W, *place(k, True)) for k in range(max(total - rank, 0), total)]


class _V:
    """An order that grows. `down` and `up` are the two stages of a process, in the two halves of the V."""

    def __init__(self, rank: int, p: int) -> None:
        self.down, self.up = rank, 2 * p - 1 - rank
        self.order: list[_Action] = []
        self.counts: dict[tuple[_ComputationType, int], int] = {}

    def add(self, kinds: str, stage: int) -> None:
        """The next part of the batch through a stage; I and B count as one."""
        for kind in map(_ComputationType, kinds):
            counted = I if kind == B else kind
            k = self.counts.get((counted, stage), 0)
            self.counts[(counted, stage)] = k + 1
            self.order.append(action(kind, stage, k))
            if kind == B:
                self.counts[(W, stage)] = self.counts.get((W, stage), 0) + 1

    def count(self, kind: _ComputationType, stage: int) -> int:
        return self.counts.get((kind, stage), 0)


def v_zero_bubble(rank: int, p: int, n: int) -> list[_Action]:
    """The V of Qi et al., "Pipeline Parallelism with Controllable Memory", 2024."""
    v, total = _V(rank, p), max(n, 2 * p - 1)
    for _ in range(2 * (p - rank) - 1):
        v.add("F", v.down)
    for _ in range(rank):
        v.add("F", v.up)
        v.add("F", v.down)
    for _ in range(p - rank):
        v.add("FIW", v.up)
    while v.count(F, v.up) < v.count(F, v.down) or v.count(F, v.down) < total:
        v.add("FIW" if v.count(F, v.down) < total else "IW", v.down)
        v.add("FIW", v.up)
    for _ in range(rank):
        v.add("I", v.down)
        v.add("I", v.up)
    for _ in range(p - rank):
        v.add("IW", v.down)
    for stage in (v.up, v.down):
        while v.count(W, stage) < v.count(I, stage):
            v.add("W", stage)
    # The order is one of as many parts as fill the V; those that are not there are left out.
    return [step for step in v.order if step.microbatch_index is not None and step.microbatch_index < n]


def dual_pipe_v(rank: int, p: int, n: int) -> list[_Action]:
    """The V of DeepSeek's DualPipeV: a forward pass of one half goes with a backward pass of the other."""
    v, later = _V(rank, p), p - rank - 1
    put_off: list[int] = []  # stages whose gradients of weights are computed later

    def backward(stage: int, splits: bool) -> None:
        v.add("I" if splits else "B", stage)
        if splits:
            put_off.append(stage)

    for _ in range(2 * later):
        v.add("F", v.down)
    for _ in range(rank + 1):
        v.add("F", v.down)
        v.add("F", v.up)
    for _ in range(later):
        v.add("IWF", v.up)
    for _ in range(n - 2 * p + rank + 1):
        v.add("F", v.down)
        v.add("B", v.up)
        v.add("F", v.up)
        v.add("B", v.down)
    for _ in range(later):
        v.add("B", v.up)
        v.add("F", v.up)
        v.add("B", v.down)
    splits = False
    for k in range(rank + 1):
        half = k == (rank + 1) // 2
        splits = splits or (half and rank % 2 == 1)
        backward(v.up, splits)
        splits = splits or (half and rank % 2 == 0)
        backward(v.down, splits)
    for _ in range(later):
        v.add("W", put_off.pop(0))
        backward(v.down, True)
    for stage in put_off:
        v.add("W", stage)
    return v.order
