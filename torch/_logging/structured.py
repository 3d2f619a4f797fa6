"""Parts of structured trace records: strings that are written once, stacks of Python frames."""

import logging
import traceback

_INTERNED = {}
_trace_log = logging.getLogger("torch.__trace")


def intern_string(s):
    """A number for the string. The first use writes a record that maps the number to the string."""
    if s is None:
        return -1
    number = _INTERNED.get(s)
    if number is None:
        number = _INTERNED[s] = len(_INTERNED)
        _trace_log.debug("", extra={"metadata": {"str": [s, number]}, "payload": None})
    return number


def from_traceback(frames):
    """The frames of a traceback.StackSummary as a list for a record, the innermost last."""
    return [
        {"line": frame.lineno, "name": frame.name, "filename": intern_string(frame.filename), "loc": frame.line}
        for frame in frames
    ]


def current_stack(skip):
    """The stack of the caller, without its `skip` innermost frames."""
    frames = traceback.extract_stack()
    return from_traceback(frames[: len(frames) - skip - 1])


def forget_strings():
    """Start over for a new file: each file contains the strings that it uses."""
    _INTERNED.clear()
