"""Makes a program smaller while it still shows the same difference."""

from __future__ import annotations

from .rounding import left, refusals


def shows(pair, program, difference):
    """The program's difference of the same kind, or None."""
    ours, theirs = pair.ask(program)
    found = left(pair, program, ours, theirs)
    if difference.kind != "error":
        found = found + refusals(pair, program, found)
    for d in found:
        if (
            d.kind == difference.kind
            and (d.step < 0) == (difference.step < 0)
            and (d.step < 0 or d.signature == difference.signature)
        ):
            return d
    return None


def minimise(pair, program, difference, max_tries=80):
    """The smallest program found in `max_tries` tries, and its difference."""
    # Later steps do not affect this one.
    if 0 <= difference.step < len(program.steps) - 1:
        cut = program.without(set(range(difference.step + 1, len(program.steps))))
        found = shows(pair, cut, difference)
        if found:
            program, difference = cut, found
    tries, size = 0, max(len(program.steps) // 2, 1)
    while tries < max_tries:
        i, smaller = len(program.steps) - size, False
        while i > -size and tries < max_tries:
            positions = set(range(max(i, 0), max(i, 0) + size))
            i -= size
            shorter = program.without(positions)
            if not shorter.steps or len(shorter.steps) == len(program.steps):
                continue
            tries += 1
            found = shows(pair, shorter, difference)
            if found:
                program, difference, smaller = shorter, found, True
        if size == 1 and not smaller:
            break
        size = max(size // 2, 1)
    return program, difference
