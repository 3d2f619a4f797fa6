"""Graphs of functions. This version records none; the marks that packages set for the recorder are accepted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from torch import _lazy
from torch._missing_device import MissingDevice as _Missing

F = TypeVar("F", bound="Callable[..., Any] | str")
_wrapped: list[Any] = []


def wrap(fn_or_name: F) -> F:
    """Mark a function as one call of a graph, which is what it would be recorded as; it comes back as it is.

    Args:
        fn_or_name (function or str): the function, or its name in the calling module

    Returns:
        `fn_or_name`

    Raises:
        RuntimeError: neither a function nor a str

    Example:
        >>> torch.fx.wrap(len) is len
        True
    """
    if not callable(fn_or_name) and not isinstance(fn_or_name, str):
        raise RuntimeError(f"torch.fx.wrap: expected a function or its name, got {type(fn_or_name).__name__}")
    _wrapped.append(fn_or_name)
    return fn_or_name


_missing = _Missing(__name__, globals(), NotImplementedError, "this version of torch records no graphs")
_missing.refused_classes(
    "CodeGen Graph GraphModule Interpreter Node Proxy ProxyableClassMeta Tracer Transformer",
    "A graph of a function, or a part of one, which this version does not record.",
    NotImplementedError,
)
_missing.refuses("replace_pattern symbolic_trace", "Needs the graph of a function, which this version does not record.")

__getattr__, __dir__ = _lazy.lazy(__name__, ("experimental", "graph", "graph_module", "node", "proxy"))
