"""`torch.fx.wrap`: functions that are one call of a graph instead of being recorded inside."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound="Callable[..., Any] | str")

# {(id of the globals, name): the globals}; Tracer.trace replaces these names while it records.
_wrapped_fns_to_patch: dict[tuple[int, str], dict[str, Any]] = {}
_wrapped_methods_to_patch: list[tuple[type, str]] = []


def wrap(fn_or_name: F) -> F:
    """Mark a function of the calling module as one call of a graph, which is what it is recorded as.

    It is called at the top level of the module, or as a decorator there.

    Args:
        fn_or_name (Callable or str): the function, or its name in the calling module

    Returns:
        `fn_or_name`

    Raises:
        RuntimeError: neither a function nor a str
        NotImplementedError: not called at the top level of a module

    Example:
        >>> torch.fx.wrap("len") == "len"
        True
    """
    if not callable(fn_or_name) and not isinstance(fn_or_name, str):
        raise RuntimeError(f"torch.fx.wrap: expected a function or its name, got {type(fn_or_name).__name__}")
    name = (
        fn_or_name
        if isinstance(fn_or_name, str)
        else fn_or_name.__code__.co_name
        if hasattr(fn_or_name, "__code__")
        else fn_or_name.__name__
    )
    frame = inspect.currentframe().f_back  # type: ignore[union-attr]
    if frame is None or frame.f_code.co_name != "<module>":
        raise NotImplementedError(f"torch.fx.wrap: call it at the top level of a module, with {name!r}")
    _wrapped_fns_to_patch[id(frame.f_globals), name] = frame.f_globals
    return fn_or_name
