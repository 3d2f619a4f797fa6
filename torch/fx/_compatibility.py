"""The mark of functions whose interface is kept, or is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")
_BACK_COMPAT_OBJECTS: dict[Any, None] = {}
_MARKED_WITH_COMPATIBILITY: dict[Any, None] = {}


def compatibility(is_backward_compatible: bool) -> Callable[[T], T]:
    """A decorator that notes it down in the lists above."""

    def mark(function: T) -> T:
        (_BACK_COMPAT_OBJECTS if is_backward_compatible else _MARKED_WITH_COMPATIBILITY)[function] = None
        return function

    return mark
