"""Kernels in Python for single overloads: `torch.ops.aten.add.Tensor.py_impl(key)`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from torch import _C

_handles: list[Any] = []  # (overload, key, handle of the registration)


def register(overload: Any, key: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The decorator behind `OpOverload.py_impl`."""
    frame = sys._getframe(2)
    place = f"{frame.f_code.co_filename}:{frame.f_lineno}"

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        if isinstance(key, _C.DispatchKey):
            _at_key(overload, key, function, place)
        else:
            _at_class(overload, key, function)
        return function

    return decorate


def _at_key(overload: Any, key: Any, function: Callable[..., Any], place: str) -> None:
    if key in overload.py_kernels:
        raise RuntimeError(f"py_impl: {overload} has a kernel in Python for {key.name} already")
    name = overload._schema.overload_name
    handle = _C._dispatch_impl(overload._qualified, name, key.name, function, place)
    overload.py_kernels[key] = function
    _handles.append((overload, key, handle))


def _at_class(overload: Any, key: Any, function: Callable[..., Any]) -> None:
    from torch._C import Tensor
    from torch.utils._python_dispatch import TorchDispatchMode

    if not isinstance(key, type) or not issubclass(key, (TorchDispatchMode, Tensor)):
        raise TypeError(f"py_impl: expected a DispatchKey, a class of dispatch modes or a class of tensors, got {key!r}")
    if key in overload.python_key_table:
        raise RuntimeError(f"py_impl: {overload} has a function for {key.__name__} already")
    overload.python_key_table[key] = function
    _C._use_python_key_tables()


def unregister(overload: Any, key: Any) -> None:
    """Undo a registration."""
    if not isinstance(key, _C.DispatchKey):
        del overload.python_key_table[key]
        return
    del overload.py_kernels[key]
    for entry in _handles:
        if entry[0] is overload and entry[1] == key:
            _C._dispatch_unimpl(overload._qualified, overload._schema.overload_name, entry[2])
            _handles.remove(entry)
            return
