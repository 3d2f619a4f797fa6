"""Functions of the modules that describe ONNX's operators: they can be imported, and refuse to be called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def refusing(module: str) -> Callable[[str], Any]:
    """A `__getattr__` for a module whose functions make nodes of ONNX's graphs."""

    def __getattr__(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module '{module}' has no attribute '{name}'")

        def refuse(*args: Any, **kwargs: Any) -> Any:
            raise NotImplementedError(f"{module}.{name}: this version of torch does not export to ONNX")

        return refuse

    return __getattr__
