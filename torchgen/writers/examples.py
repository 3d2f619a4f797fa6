"""Rewrites the examples of functions for the forms that torchgen derives: torch.add(x, 1) becomes x.add(1), x.add_(1)."""

from __future__ import annotations

import re

from torchgen.schema import split_commas


def _closing(text: str, start: int) -> int:
    """The position at which the parenthesis opened at `start` closes; -1 if it does not close."""
    depth, quote = 0, ""
    for i in range(start, len(text)):
        c = text[i]
        if quote:
            quote = "" if c == quote else quote
        elif c in "\"'":
            quote = c
        elif c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
            if depth == 0:
                return i
    return -1


def as_method(example: list[str], call: str, name: str, self_at: int) -> list[str] | None:
    """The example with each `call(...)` rewritten as a call of the method `name` where possible; None if no call can be."""
    found, changed = [], False
    for line in example:
        at = line.find(call + "(") if line.startswith((">>>", "...")) else -1
        while at >= 0:
            opening = at + len(call)
            end = _closing(line, opening)
            if end < 0:
                break
            args = split_commas(line[opening + 1 : end])
            if len(args) <= self_at or "=" in re.sub(r"\(.*\)", "", args[self_at]) or re.match(r"^[-\d*\[(]", args[self_at]):
                break
            owner = args.pop(self_at)
            if not re.match(r"^[A-Za-z_][\w.]*(\(.*\))?(\.\w+)*$", owner):
                owner = f"({owner})"
            new = f"{owner}.{name}({', '.join(args)})"
            line = line[:at] + new + line[end + 1 :]
            changed = True
            at = line.find(call + "(", at + len(new))
        found.append(line)
    return found if changed else None


def first_call(example: list[str]) -> list[str]:
    """The example up to the result of its first expression, which is the same for the in-place form."""
    found: list[str] = []
    for line in example:
        if found and line.startswith(">>>") and not found[-1].startswith((">>>", "...")):
            break
        found.append(line)
    return found
