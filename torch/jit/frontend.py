"""Names of TorchScript's parser that programs use. Functions run as Python, so nothing is parsed."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

_RESERVED = frozenset(("print",))
_RESERVED_PREFIX = "__jit"


class FrontendError(Exception):
    """An error in what is to be compiled.

    Args:
        source_range (SourceRange): where
        msg (str): what is wrong

    Example:
        >>> from torch.jit.frontend import FrontendError
        >>> FrontendError(None, "no such thing").msg
        'no such thing'
    """

    def __init__(self, source_range: Any, msg: str) -> None:
        super().__init__(source_range, msg)
        self.source_range, self.msg = source_range, msg
        self.error_report = msg

    def __str__(self) -> str:
        return self.msg


class NotSupportedError(FrontendError):
    """Something that TorchScript does not support.

    Args:
        source_range (SourceRange): where
        msg (str): what is wrong

    Example:
        >>> from torch.jit.frontend import FrontendError, NotSupportedError
        >>> issubclass(NotSupportedError, FrontendError)
        True
    """


class UnsupportedNodeError(NotSupportedError):
    """Syntax that TorchScript does not support.

    Args:
        ctx (SourceContext): where
        offending_node (ast.AST): the syntax
        reason (str, default ""): what is wrong with it

    Example:
        >>> import ast
        >>> from torch.jit.frontend import UnsupportedNodeError
        >>> str(UnsupportedNodeError(None, ast.parse("x")))
        'Module is not supported'
    """

    def __init__(self, ctx: Any, offending_node: Any, reason: str = "") -> None:
        super().__init__(None, f"{type(offending_node).__name__} is not supported {reason}".strip())


class FrontendTypeError(FrontendError):
    """A type that TorchScript does not support.

    Args:
        source_range (SourceRange): where
        msg (str): what is wrong

    Example:
        >>> from torch.jit.frontend import FrontendError, FrontendTypeError
        >>> issubclass(FrontendTypeError, FrontendError)
        True
    """


def is_reserved_name(name: str) -> bool:
    """Whether TorchScript keeps a name for itself.

    Args:
        name (str): the name

    Returns:
        whether it does

    Example:
        >>> from torch.jit.frontend import is_reserved_name
        >>> is_reserved_name("print"), is_reserved_name("x")
        (True, False)
    """
    return name.startswith(_RESERVED_PREFIX) or name in _RESERVED


def get_default_args(fn: Callable[..., Any] | None) -> dict[str, Any]:
    """The defaults of a function's parameters.

    Args:
        fn (function or None): the function

    Returns:
        the defaults by name

    Example:
        >>> from torch.jit.frontend import get_default_args
        >>> get_default_args(lambda x, y=2: x)
        {'y': 2}
    """
    if fn is None:
        return {}
    parameters = inspect.signature(fn).parameters.values()
    return {each.name: each.default for each in parameters if each.default is not inspect.Parameter.empty}


def _refusal(name: str) -> Callable[..., Any]:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f"torch.jit.frontend.{name} parses functions for TorchScript's compiler, which is not there")

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"""Refused: nothing is parsed.

Args:
    *args (Any): any
    **kwargs (Any): any

Raises:
    NotImplementedError: always

Example:
    >>> import torch.jit.frontend
    >>> torch.jit.frontend.{name}(print, "print")
    Traceback (most recent call last):
    NotImplementedError: ...
"""
    return refuse


get_jit_class_def, get_jit_def, build_def = map(_refusal, ("get_jit_class_def", "get_jit_def", "build_def"))
