"""Named tuples that operators return (`torch.return_types.max`, ...). Each is made when it is first touched or returned."""

import functools
import re

from torch import _C
from torch._dispatch_library import get_schema


@functools.cache
def _fields(name):
    """The names of the results of an operator, "" where they have none."""
    for overload in _overloads().get(name, ()):
        found = re.fullmatch(r".*-> \((.*)\)", str(get_schema(f"aten::{name}", overload)))
        parts = [part.split() for part in found[1].split(", ")] if found else []
        if len(parts) > 1 and all(len(part) == 2 for part in parts):
            return ",".join(part[1] for part in parts)
    return ""


@functools.cache
def _overloads():
    found = {}
    for full in _C._dispatch_get_all_op_names():
        if full.startswith("aten::"):
            name, _, overload = full[6:].partition(".")
            found.setdefault(name, []).append(overload)
    return found


def __getattr__(name):
    fields = "" if name.startswith("__") else _fields(name)
    if not fields:
        raise AttributeError(f"module 'torch.return_types' has no attribute '{name}'")
    globals()[name] = kind = _C._named_tuple(name, fields)
    return kind


def __dir__():
    return sorted({*globals(), *(name for name in _overloads() if not name.endswith("_backward") and _fields(name))})
