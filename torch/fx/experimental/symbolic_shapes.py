"""Conditions on sizes that PyTorch can leave open. Here sizes are numbers, and conditions have values."""

from __future__ import annotations

from typing import Any


class GuardOnDataDependentSymNode(RuntimeError):
    """A decision that needs a value that is not known; never raised here."""


def guard_or_false(a: Any) -> bool:
    """The value of a condition."""
    return bool(a)


def guard_or_true(a: Any) -> bool:
    """The value of a condition."""
    return bool(a)


def statically_known_true(x: Any) -> bool:
    """The value of a condition."""
    return bool(x)


def guard_size_oblivious(expr: Any) -> bool:
    """The value of a condition."""
    return bool(expr)


def is_symbolic(x: Any) -> bool:
    """Whether a number is a symbol: none is."""
    return False


def has_free_symbols(val: Any) -> bool:
    """Whether a value contains symbols: none does."""
    return False


def free_symbols(val: Any) -> set[Any]:
    """The symbols in a value: there are none."""
    return set()


def free_unbacked_symbols(val: Any) -> set[Any]:
    """The symbols in a value that have no known value: there are none."""
    return set()


def hint_int(a: Any, fallback: int | None = None) -> int:
    """The value of a size."""
    return int(a)
