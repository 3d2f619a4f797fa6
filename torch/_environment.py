"""Environment variables that Python code reads.

An invalid value is ignored, with a warning that lists the valid ones. c10/util/Environment.h does the same for C++.
"""

from __future__ import annotations

import os
import warnings
from typing import Any

_YES = frozenset(("1", "on", "yes", "y", "true"))
_NO = frozenset(("0", "off", "no", "n", "false"))


def warn_of(name: str, expected: str) -> None:
    """Warn that the variable's value is ignored."""
    warnings.warn(f"{name}={os.environ[name]} is ignored: expected {expected}", stacklevel=3)


def flag(name: str, otherwise: Any = False) -> Any:
    """The variable as a bool; `otherwise` if it is unset, empty or invalid."""
    word = os.environ.get(name, "").lower()
    if word and word not in _YES | _NO:
        warn_of(name, "1, on, yes, true, 0, off, no or false")
    return True if word in _YES else False if word in _NO else otherwise


def number(name: str, otherwise: Any) -> Any:
    """The variable as a number of at least 0; `otherwise` if it is unset, empty or invalid."""
    text = os.environ.get(name, "")
    if text and not text.isdecimal():
        warn_of(name, "a number of at least 0")
    return int(text) if text.isdecimal() else otherwise
