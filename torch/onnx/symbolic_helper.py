"""Decorators of functions that say how operators are exported to ONNX; there is no exporter that would call these."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from torch.onnx._no_exporter import refusing

F = TypeVar("F", bound=Callable[..., Any])


def parse_args(*arg_descriptors: str) -> Callable[[F], F]:
    """Say what kinds of arguments a function takes.

    Args:
        *arg_descriptors (str): such as "v" for a value, "i" for an integer, "f" for a float
    """

    def decorate(function: F) -> F:
        function._arg_descriptors = arg_descriptors  # type: ignore[attr-defined]
        return function

    return decorate


def quantized_args(*arg_q_descriptors: bool, **options: Any) -> Callable[[F], F]:
    """Say which arguments may be quantized.

    Args:
        *arg_q_descriptors (bool): for each argument
    """
    return lambda function: function


__getattr__ = refusing(__name__)
