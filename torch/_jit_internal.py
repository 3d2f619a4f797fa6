"""What annotates functions for TorchScript, and helpers that packages import from here."""

from __future__ import annotations

import collections
import inspect
import types
import typing
from collections.abc import Callable
from typing import Any, Dict, Final, List, Optional, Tuple, Union  # noqa: F401, UP035

import torch
from torch.futures import Future  # noqa: F401
from torch.jit._marks import export, ignore, is_scripting, isinstance, unused  # noqa: F401
from torch.jit._script import _drop, _overload, _overload_method  # noqa: F401

_isinstance = isinstance


class FunctionModifiers:
    """Names of what a decorator asks the compiler to do with a function."""

    UNUSED, IGNORE, EXPORT, DEFAULT = "unused", "ignore", "export", "default"
    COPY_TO_SCRIPT_WRAPPER, _DROP = "copy to script wrapper", "drop"


class BroadcastingListCls:
    """Makes `BroadcastingList2[int]` an annotation: a list of two, or one number for both."""

    def __getitem__(self, types: Any) -> None:
        return None


BroadcastingList1 = BroadcastingListCls()
BroadcastingList2, BroadcastingList3, BroadcastingList4 = BroadcastingList1, BroadcastingList1, BroadcastingList1
BroadcastingList5, BroadcastingList6 = BroadcastingList1, BroadcastingList1

boolean_dispatched: dict[Any, Any] = {}


def boolean_dispatch(
    arg_name: str, arg_index: int, default: bool, if_true: Callable[..., Any], if_false: Callable[..., Any], module_name: str,
    func_name: str,
) -> Callable[..., Any]:  # fmt: skip
    """A function that calls one of two, as one of its arguments says.

    Args:
        arg_name (str): of the argument
        arg_index (int): its position
        default (bool): its value in calls without it
        if_true (function): for True
        if_false (function): for False
        module_name (str): of the new function, or None
        func_name (str): of the new function, or None
    """

    def chosen(*args, **kwargs):
        flag = kwargs.get(arg_name, args[arg_index] if arg_index < len(args) else default)
        return (if_true if flag else if_false)(*args, **kwargs)

    if if_true.__doc__ is None and if_false.__doc__ is not None:
        chosen.__doc__ = if_false.__doc__
    elif if_false.__doc__ is None and if_true.__doc__ is not None:
        chosen.__doc__ = if_true.__doc__
    else:
        chosen.__doc__ = None
    if module_name is not None:
        chosen.__module__ = module_name
    if func_name is not None:
        chosen.__name__ = func_name
    boolean_dispatched[chosen] = {
        "if_true": if_true, "if_false": if_false, "index": arg_index, "default": default, "arg_name": arg_name,
    }  # fmt: skip
    return chosen


def _copy_to_script_wrapper(fn: Any) -> Any:
    return fn


def copy_torchscript_modifier(orig: Any, new: Any) -> None:
    """Copy what a decorator noted on a function; the decorators here note nothing."""


def get_torchscript_modifier(fn: Any) -> str:
    """What a decorator asked for: nothing."""
    return FunctionModifiers.DEFAULT


def is_ignored_fn(fn: Any) -> bool:
    """Whether a compiler would leave a function out: none is marked."""
    return False


def module_has_exports(mod: Any) -> bool:
    """Whether a module has methods marked for export: none is marked."""
    return False


def is_tuple(ann: Any) -> bool:
    """Whether an annotation is a tuple."""
    return ann is typing.Tuple or typing.get_origin(ann) is tuple  # noqa: UP006


def is_list(ann: Any) -> bool:
    """Whether an annotation is a list."""
    return ann is typing.List or typing.get_origin(ann) is list  # noqa: UP006


def is_dict(ann: Any) -> bool:
    """Whether an annotation is a dictionary."""
    return ann is typing.Dict or typing.get_origin(ann) is dict  # noqa: UP006


def is_union(ann: Any) -> bool:
    """Whether an annotation is a union."""
    return ann is typing.Union or typing.get_origin(ann) in (typing.Union, types.UnionType)


def is_optional(ann: Any) -> bool:
    """Whether an annotation is a union with None."""
    return ann is typing.Optional or is_union(ann) and type(None) in typing.get_args(ann)


def is_future(ann: Any) -> bool:
    """Whether an annotation is a Future."""
    return typing.get_origin(ann) is Future


def is_final(ann: Any) -> bool:
    """Whether an annotation is Final."""
    return ann is Final or typing.get_origin(ann) is Final


def get_callable_argument_names(fn: Any) -> list[str]:
    """Names of a function's positional arguments; none if it takes others too."""
    try:
        parameters = inspect.signature(fn).parameters.values()
    except (TypeError, ValueError):
        return []
    plain = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return [p.name for p in parameters] if all(p.kind is plain for p in parameters) else []


def _qualified_name(obj: Any, mangle_name: bool = True) -> str:
    """The name that TorchScript gives to a class or function."""
    if hasattr(obj, "_jit_override_qualname"):
        return obj._jit_override_qualname
    name, module = obj.__qualname__.rpartition("<locals>.")[2], obj.__module__
    if name == "<lambda>":
        name = "_lambda"
    module = "__torch__" if module == "__main__" else f"__torch__.{module}" if mangle_name else module
    return f"{module}.{name}"


def get_annotation_str(annotation: Any) -> str:
    """The text of an annotation."""
    return annotation if type(annotation) is str else inspect.formatannotation(annotation)


def _create_named_tuple(t: Any, unqual_name: str, field_names: list[str], defaults: tuple[Any, ...]) -> Any:
    return collections.namedtuple(unqual_name, field_names, defaults=defaults)(*t)


def _is_exception(obj: Any) -> bool:
    return inspect.isclass(obj) and issubclass(obj, Exception)


def raise_error_container_parameter_missing(target_type: str) -> None:
    """The error for a container type without the type of its contents."""
    example = {"Dict": "Dict[int, int]"}.get(target_type, f"{target_type}[int]")
    raise RuntimeError(f"torch.jit.isinstance: {target_type} needs the type of its contents, such as {example}")


_ = torch
