"""Blocks with other settings of a library, and modules whose settings are checked."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from types import ModuleType
from typing import Any


def set_flags(module: ModuleType, values: dict[str, Any]) -> tuple[Any, ...]:
    """Set the attributes that are not None, and return all of them as they were."""
    before = tuple(getattr(module, name) for name in values)
    for name, value in values.items():
        if value is not None:
            setattr(module, name, value)
    return before


@contextlib.contextmanager
def flags(module: ModuleType, values: dict[str, Any]) -> Iterator[None]:
    """A block with other settings."""
    before = dict(zip(values, set_flags(module, values)))
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(module, name, value)


class Precision:
    """The precision of one kind of operation: "none", "ieee", "tf32" or "bf16"; of no effect on a CPU.

    Args:
        value (str): at first
    """

    def __init__(self, value: str = "none") -> None:
        self.__dict__["fp32_precision"] = value

    def __setattr__(self, name: str, value: str) -> None:
        if name != "fp32_precision" or value not in ("none", "ieee", "tf32", "bf16"):
            raise RuntimeError(f"fp32_precision must be 'none', 'ieee', 'tf32' or 'bf16', got {name}={value!r}")
        self.__dict__[name] = value
