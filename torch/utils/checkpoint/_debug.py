"""debug=True: which operators ran in the first run and in the second, and where they were called."""

from __future__ import annotations

import traceback

from torch import _C

_enabled = None


class set_checkpoint_debug_enabled:
    """Inside a `with` of it, `debug` of every checkpoint is this value, whatever it was called with.

    Args:
        enabled (bool or None): the value; None leaves it

    Example:
        >>> with torch.utils.checkpoint.set_checkpoint_debug_enabled(True):
        ...     pass
    """

    def __init__(self, enabled: bool | None) -> None:
        self.enabled = enabled

    def __enter__(self) -> None:
        global _enabled
        self.before, _enabled = _enabled, self.enabled

    def __exit__(self, *problem: object) -> None:
        global _enabled
        _enabled = self.before


def is_enabled(debug):
    return debug if _enabled is None else _enabled


def _described(value):
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_described, value[:8])) + ("]" if len(value) <= 8 else ", ...]")
    return repr(value)[:80]


class OperatorLog:
    """Inside, each operator call is a line, with the Python stack of the call."""

    def __init__(self):
        self.lines = []

    def __enter__(self):
        _C._push_dispatch_mode(self._call)
        return self

    def __exit__(self, *problem):
        _C._pop_dispatch_mode()

    def _call(self, name, overload, args, kwargs):
        from torch.utils.checkpoint._selective import overload_of

        result = overload_of(name, overload)(*args, **kwargs)
        if name == "aten::detach":  # most of them are the hooks'
            return result
        words = [_described(value) for value in args] + [f"{key}={_described(value)}" for key, value in kwargs.items()]
        stack = [line for line in traceback.format_stack()[:-1] if "torch/utils/checkpoint" not in line]
        self.lines.append(
            (f"{_described(result)} = {name.replace('::', '.')}.{overload or 'default'}({', '.join(words)})", "".join(stack[-6:]))
        )
        return result


def report(problem, first, second):
    """The text of an error, with both logs."""
    parts = [f"{problem}\n\nThe operators of both runs, because debug=True was given:"]
    for title, log in (("The first run", first), ("The run in backward, up to the error", second)):
        parts.append(f"\n--- {title} ---")
        for number, (line, stack) in enumerate(log.lines, 1):
            parts.append(f"{number} of {len(log.lines)}: {line}\n{stack}")
    parts.append("\n--- Both, without stacks ---")
    for number in range(max(len(first.lines), len(second.lines))):
        one, other = (log.lines[number][0] if number < len(log.lines) else "(nothing)" for log in (first, second))
        parts.append(f"  {one}" if one == other else f"! {one}\n! {other}   <- in backward")
    return "\n".join(parts)
