"""torch.jit.script and its relatives, as they are with PYTORCH_JIT=0: what they are given comes back."""

from __future__ import annotations

from typing import Any, TypeVar

import torch
from torch.jit._state import mention

F = TypeVar("F")


class ScriptWarning(Warning):
    """What a script may not do, and does nevertheless."""


class Error(RuntimeError):
    """A mistake found while a compiled function runs.

    Example:
        >>> issubclass(torch.jit.Error, RuntimeError)
        True
    """


class ScriptModule(torch.nn.Module):
    """A compiled module. Here it is an ordinary one, for programs that derive from it or ask for it.

    Example:
        >>> isinstance(torch.jit.script(nn.Linear(2, 2)), torch.jit.ScriptModule)
        False
    """


class RecursiveScriptModule(ScriptModule):
    """A module that `script` would compile."""


class _NoCompiledForm:
    """A type of which there are no objects: they only come from a compiler."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f"torch.jit.{cls.__name__}: this version has no compiler for TorchScript")


class ScriptFunction(_NoCompiledForm):
    """A compiled function. There are none: `script` returns the Python function.

    Example:
        >>> isinstance(torch.jit.script(abs), torch.jit.ScriptFunction)
        False
    """


class CompilationUnit(_NoCompiledForm):
    """Functions compiled from text, which this version cannot do.

    Example:
        >>> torch.jit.CompilationUnit("def f(x): return x")
        Traceback (most recent call last):
        NotImplementedError: ...
    """


class RecursiveScriptClass(_NoCompiledForm):
    """An object of a compiled class."""


def script(
    obj: F, optimize: Any = None, _frames_up: int = 0, _rcb: Any = None, example_inputs: Any = None
) -> F:  # fmt: skip
    """Return a function, class or module as it is: it runs as Python.

    Args:
        obj (Any): the function, class or module
        optimize (Any): of no effect
        example_inputs (Any): of no effect

    Returns:
        `obj`

    Example:
        >>> torch.jit.script(lambda x: x + 1)(torch.zeros(1))
        tensor([1.])
    """
    mention("script")
    return obj


def script_method(fn: F) -> F:
    """The same for a method of a ScriptModule."""
    mention("script_method")
    return fn


def script_if_tracing(fn: F) -> F:
    """Script a function when it is first traced, which never happens: it comes back as it is.

    Args:
        fn (function): the function

    Returns:
        the function

    Example:
        >>> torch.jit.script_if_tracing(abs)(-1)
        1
    """
    return fn


def interface(obj: type) -> type:
    """Declare what a module of a kind can do; the class comes back as it is.

    Args:
        obj (type): a class

    Returns:
        the class

    Raises:
        RuntimeError: `obj` is no class

    Example:
        >>> @torch.jit.interface
        ... class Layer:
        ...     def forward(self, x: torch.Tensor) -> torch.Tensor: ...
        >>> Layer.__name__
        'Layer'
    """
    if not isinstance(obj, type):
        raise RuntimeError(f"torch.jit.interface: expected a class, got {type(obj).__name__}")
    return obj


def _unwrap_optional(x: Any) -> Any:
    """The value of an optional that is not None."""
    if x is None:
        raise AssertionError("torch.jit: a value that may be None was expected not to be")
    return x


def _overload(func: F) -> F:
    """Declare one form of an overloaded function; the implementation that follows takes its place."""
    return func


_overload_method = _drop = _overload
