"""Blocks with other settings of a library, and modules whose settings are checked."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from torch.backends import _precision


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
    """The precision of one kind of operation: `fp32_precision` is "none", "ieee", "tf32" or, in oneDNN, "bf16".

    Args:
        backend (str): "cuda" or "mkldnn"
        operation (str): "matmul", "conv" or "rnn"
    """

    def __init__(self, backend: str, operation: str) -> None:
        self.__dict__["_place"] = backend, operation

    @property
    def fp32_precision(self) -> str:
        """What holds: of the operation, or of the library, or of all of them."""
        return _precision.of(*self._place)

    def __setattr__(self, name: str, value: str) -> None:
        if name != "fp32_precision":
            raise AttributeError(f"there is no setting {name}; fp32_precision is one")
        _precision.set_precision(*self._place, value)
