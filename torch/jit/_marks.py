"""Decorators and questions that are meant for TorchScript's compiler; in Python they change nothing."""

from __future__ import annotations

import builtins
import types
import typing
from typing import Any, TypeVar

F = TypeVar("F")


def is_scripting() -> bool:
    """Whether the caller is being compiled by TorchScript.

    Returns:
        False

    Example:
        >>> torch.jit.is_scripting()
        False
    """
    return False


def is_tracing() -> bool:
    """Whether the caller is being traced.

    Returns:
        False

    Example:
        >>> torch.jit.is_tracing()
        False
    """
    return False


def export(fn: F) -> F:
    """Mark a method as one that TorchScript compiles: it comes back as it is.

    Args:
        fn (function): the method

    Returns:
        the method

    Example:
        >>> torch.jit.export(abs)(-1)
        1
    """
    return fn


def unused(fn: F) -> F:
    """Mark a function as one that TorchScript leaves out: it comes back as it is.

    Args:
        fn (function): the function

    Returns:
        the function

    Example:
        >>> torch.jit.unused(abs)(-1)
        1
    """
    return fn


def ignore(drop: Any = False, **kwargs: object) -> Any:
    """Mark a function as one that TorchScript leaves to Python: it comes back as it is.

    Args:
        drop (function or bool, default False): the function; a bool makes the call a decorator
        **kwargs (Any): of no effect

    Returns:
        the function, or a decorator

    Raises:
        RuntimeError: `drop` is something else

    Example:
        >>> torch.jit.ignore(abs)(-1)
        1
    """
    if callable(drop):
        return drop
    if not builtins.isinstance(drop, bool):
        raise RuntimeError(f"Argument to @torch.jit.ignore must be a bool or a function but got {drop}")
    return lambda fn: fn


def annotate(the_type: Any, the_value: F) -> F:
    """The value; the type is for TorchScript.

    Args:
        the_type (type): its type
        the_value (Any): the value

    Returns:
        the value

    Example:
        >>> torch.jit.annotate(list[int], [])
        []
    """
    return the_value


def Attribute(value: F, type: Any) -> F:
    """The value; the type is for TorchScript.

    Args:
        value (Any): the value
        type (type): its type

    Returns:
        the value

    Example:
        >>> torch.jit.Attribute(3, int)
        3
    """
    return value


def isinstance(obj: Any, target_type: Any) -> bool:
    """Whether a value is of a type, its contents included.

    Args:
        obj (Any): the value; every element is looked at, and an empty container has any contents
        target_type (type or tuple of type): such as `list[int]`, `dict[str, torch.Tensor]` or `int | None`

    Returns:
        whether it is

    Raises:
        RuntimeError: a container without the type of its contents

    Example:
        >>> torch.jit.isinstance([1, 2], list[int]), torch.jit.isinstance([1, "a"], list[int])
        (True, False)
    """
    if builtins.isinstance(target_type, tuple):
        return any(isinstance(obj, each) for each in target_type)
    origin, inside = typing.get_origin(target_type), typing.get_args(target_type)
    if target_type in (list, dict, tuple, typing.List, typing.Dict, typing.Tuple):  # noqa: UP006
        name = getattr(target_type, "__name__", str(target_type))
        raise RuntimeError(f"Attempted to use {name} without a contained type. Please add a contained type, e.g. {name}[int]")
    if origin in (typing.Union, types.UnionType):
        return any(isinstance(obj, each) for each in inside)
    if origin is None:
        return builtins.isinstance(obj, target_type if target_type is not None else builtins.type(None))
    if not builtins.isinstance(obj, origin):
        return False
    if origin is dict:
        return all(isinstance(k, inside[0]) and isinstance(v, inside[1]) for k, v in obj.items())
    if origin is tuple and inside[-1:] != (...,):
        return len(obj) == len(inside) and all(isinstance(each, kind) for each, kind in zip(obj, inside))
    return all(isinstance(each, inside[0]) for each in obj)
