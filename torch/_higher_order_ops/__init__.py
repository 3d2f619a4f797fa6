"""Operators that take operators: `with_effects`, which orders calls that do something beside their results."""

from torch._lazy import lazy

TYPE_CHECKING = False  # type checkers treat this as true
if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy(__name__, ("effects",), {})
