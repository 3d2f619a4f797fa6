"""Names of modules that come from a package: each importer puts a prefix of its own in front of them.

So modules of two packages, and those of the program, never share a name: `<torch_package_0>.model` is not `model`.
"""

from __future__ import annotations

import itertools
import re

_numbers = itertools.count()
_PREFIX = re.compile(r"<torch_package_\d+>(?:\.|$)")


def new_prefix() -> str:
    return f"<torch_package_{next(_numbers)}>"


def prefix_of(name: str) -> str:
    """The prefix of a name without the dot; empty for a module of the program."""
    found = _PREFIX.match(name)
    return found[0].removesuffix(".") if found else ""


def demangle(name: str) -> str:
    """The name inside its package."""
    return _PREFIX.sub("", name, count=1)
