"""Names: unique ones for the nodes of a graph, and the dotted ones of functions and types."""

from __future__ import annotations

import builtins
import keyword
import re
import types
from collections.abc import Callable
from typing import Any, NamedTuple

import torch


class _CustomBuiltin(NamedTuple):
    """A name that generated code may use without further ado, and the import that defines it."""

    import_str: str
    obj: Any


_custom_builtins: dict[str, _CustomBuiltin] = {}


def _register_custom_builtin(name: str, import_str: str, obj: Any) -> None:
    _custom_builtins[name] = _CustomBuiltin(import_str, obj)


def _register_builtins() -> None:
    import torch.fx._pytree as fx_pytree
    import torch.utils._pytree as pytree

    _register_custom_builtin("inf", "from math import inf", float("inf"))
    _register_custom_builtin("nan", "from math import nan", float("nan"))
    _register_custom_builtin("NoneType", "NoneType = type(None)", type(None))
    _register_custom_builtin("torch", "import torch", torch)
    _register_custom_builtin("device", "from torch import device", torch.device)
    _register_custom_builtin("fx_pytree", "import torch.fx._pytree as fx_pytree", fx_pytree)
    _register_custom_builtin("pytree", "import torch.utils._pytree as pytree", pytree)


_register_builtins()

_NOT_IN_NAMES = re.compile("[^0-9a-zA-Z_]+")
_NUMBERED = re.compile(r"(.+)_(\d+)$")


def _reserved_for(name: str) -> Any:
    """What `name` means in any program, or the absent mark if it is free."""
    if name in _custom_builtins:
        return _custom_builtins[name].obj
    if name in vars(builtins):
        return vars(builtins)[name]
    return keyword if keyword.iskeyword(name) else _Namespace


class _Namespace:
    """Gives out names, each once: a name that is taken gets the next free number as its suffix."""

    def __init__(self) -> None:
        self._obj_to_name: dict[Any, str] = {}
        self._used_names: set[str] = set()
        self._base_count: dict[str, int] = {}

    def create_name(self, candidate: str, obj: Any) -> str:
        """A free name like `candidate`, kept for `obj` unless that is None."""
        if obj is not None and obj in self._obj_to_name:
            return self._obj_to_name[obj]
        name = self._free_name(candidate, obj)
        self._used_names.add(name)
        if obj is not None:
            self._obj_to_name[obj] = name
        return name

    def _free_name(self, candidate: str, obj: Any) -> str:
        name = _NOT_IN_NAMES.sub("_", candidate) or "_unnamed"
        if name[0].isdigit():
            name = "_" + name
        numbered = _NUMBERED.match(name)
        base, number = (numbered[1], int(numbered[2])) if numbered else (name, None)
        if number is None or name in self._used_names:
            number = self._base_count.get(base, 0)
            meaning = _reserved_for(name)
            if meaning is not _Namespace and meaning is not obj:
                number += 1
                name = f"{base}_{number}"
        while name in self._used_names:
            number += 1
            name = f"{base}_{number}"
        self._base_count[base] = number
        return name

    def associate_name_with_obj(self, name: str, obj: Any) -> None:
        """Keep a name that was given out for an object."""
        if self._obj_to_name.setdefault(obj, name) != name:
            raise AssertionError(f"{obj!r} already has the name {self._obj_to_name[obj]!r}")

    def _rename_object(self, obj: Any, name: str) -> None:
        self._obj_to_name[obj] = name
        self._used_names.add(name)


def _snake_case(text: str) -> str:
    """`BatchNorm2d` as `batch_norm2d`: an underscore before a capital that follows a small letter or a digit."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", text).lower()


def _is_magic(text: str) -> bool:
    return len(text) > 4 and text.startswith("__") and text.endswith("__")


def _find_module_of_method(orig_method: Callable[..., Any]) -> str:
    """The module of a function that does not say it."""
    if getattr(orig_method, "__module__", None):
        return orig_method.__module__
    name = orig_method.__name__
    for place in (torch, torch.nn.functional, torch._C._nn):
        if getattr(place, name, None) is orig_method:
            return place.__name__
    raise RuntimeError(f"torch.fx: cannot find the module of the function {name}")


def _get_qualified_name(func: Callable[..., Any]) -> str:
    """The dotted name of a function, by which code can refer to it."""
    name = func.__name__
    if getattr(builtins, name, None) is func:
        return name
    if isinstance(func, (types.MethodDescriptorType, types.WrapperDescriptorType)) and hasattr(torch.Tensor, name):
        return f"torch.Tensor.{name}"
    module = _find_module_of_method(func)
    if module == "torch._globals" and getattr(torch, name, None) is func:
        module = "torch"
    if module == "torch" and getattr(torch, name, None) is not func and type(func).__name__ in ("OpOverload", "OpOverloadPacket"):
        module = "torch._ops"
    return f"{module.replace('torch._ops', 'torch.ops')}.{name}"


def _type_repr(obj: Any) -> str:
    """An annotation as text."""
    if isinstance(obj, type) and not isinstance(obj, types.GenericAlias):
        return obj.__qualname__ if obj.__module__ == "builtins" else f"{obj.__module__}.{obj.__qualname__}"
    if obj is ...:
        return "..."
    return obj.__name__ if isinstance(obj, types.FunctionType) else repr(obj)
