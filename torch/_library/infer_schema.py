"""The schema of an operator out of the annotations of a function."""

from __future__ import annotations

import collections.abc
import inspect
import types
import typing
from collections.abc import Callable
from typing import Any

import torch

_TYPES = {
    torch.Tensor: "Tensor", int: "SymInt", float: "float", bool: "bool", str: "str", torch.dtype: "ScalarType",
    torch.device: "Device", torch.Generator: "Generator",
}  # fmt: skip
_RETURNS = ("Tensor", "Tensor[]", "SymInt", "float", "bool", "Scalar")
_SEQUENCES = (list, collections.abc.Sequence)


def _word(kind: Any) -> str | None:
    """The schema's word for an annotation; None if there is none."""
    if kind in _TYPES:
        return _TYPES[kind]
    origin, inside = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        rest = [each for each in inside if each is not type(None)]
        optional = "?" if len(rest) < len(inside) else ""
        if set(rest) == {int, float, bool}:
            return "Scalar" + optional
        word = _word(rest[0]) if len(rest) == 1 else None
        return word + optional if word and optional else None
    if origin in _SEQUENCES and len(inside) == 1:
        word = _word(inside[0])
        return word + "[]" if word and word.rstrip("?") not in ("str", "Generator") and not word.endswith("[]") else None
    return None


def _default(name: str, value: Any, fail: Callable[[str], Any]) -> str:
    if value is None or isinstance(value, (bool, int, float)):
        return str(value)
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, torch.dtype):
        return str(value).partition(".")[2]
    if isinstance(value, torch.device):
        return f'"{value}"'
    return fail(f"the default of the parameter {name} has the type {type(value).__name__}, which schemas cannot hold")


def infer_schema(prototype_function: Callable[..., Any], /, *, mutates_args: Any, op_name: str | None = None) -> str:
    """The schema that a function's annotations say.

    Args:
        prototype_function (function): the function
        mutates_args (Iterable[str] or str): names of the tensors that it changes in place, or "unknown"
        op_name (str, optional): what stands before the arguments

    Returns:
        the schema

    Raises:
        ValueError: an argument has no annotation, or one that operators do not know

    Example:
        >>> def scaled(x: torch.Tensor, by: float = 2.0) -> torch.Tensor:
        ...     return x * by
        >>> torch.library.infer_schema(scaled, mutates_args=())
        '(Tensor x, float by=2.0) -> Tensor'
    """
    signature = inspect.signature(prototype_function)

    def fail(text: str) -> Any:
        raise ValueError(f"infer_schema(func): {text}. The signature is {signature}")

    if isinstance(mutates_args, str) and mutates_args != "unknown":
        raise ValueError(f"infer_schema: mutates_args must be a sequence of names or 'unknown', got the str {mutates_args!r}")
    hints = _hints(prototype_function)
    absent = set() if mutates_args == "unknown" else set(mutates_args) - set(signature.parameters)
    if absent:
        fail(f"mutates_args names {', '.join(sorted(absent))}, which are no parameters")
    parts = []
    for k, (name, parameter) in enumerate(signature.parameters.items()):
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            fail(f"the parameter {name} is positional-only, *args or **kwargs, which schemas do not have")
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in parts:
            parts.append("*")
        parts.append(_argument(k, name, parameter, hints, mutates_args, fail))
    return f"{op_name or ''}({', '.join(parts)}) -> {_returns(hints.get('return', signature.return_annotation), fail)}"


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    """The annotations as types; those that are text are evaluated where the function stands."""
    try:
        return typing.get_type_hints(function)
    except NameError as error:
        raise ValueError(f"infer_schema(func): an annotation cannot be evaluated: {error}") from None


def _argument(k: int, name: str, parameter: Any, hints: Any, mutates_args: Any, fail: Callable[[str], Any]) -> str:
    if name not in hints:
        fail(f"Parameter {name} must have a type annotation")
    word = _word(hints[name])
    if word is None:
        if typing.get_origin(hints[name]) is tuple:
            fail(f"Parameter {name} has the unsupported type {hints[name]}; a list takes the place of a tuple")
        fail(
            f"Parameter {name} has the unsupported type {hints[name]}; supported are {', '.join(sorted(_TYPES.values()))}, "
            "lists of them, Optional of them, and int | float | bool"
        )
    if mutates_args == "unknown" and word.startswith("Tensor") or mutates_args != "unknown" and name in mutates_args:
        if not word.startswith("Tensor"):
            fail(f"Parameter {name} is in mutates_args, but only tensors can be changed")
        word = word.replace("Tensor", f"Tensor(a{k}!)", 1)
    if parameter.default is parameter.empty:
        return f"{word} {name}"
    return f"{word} {name}={_default(name, parameter.default, fail)}"


def _returns(annotation: Any, fail: Callable[[str], Any]) -> str:
    if annotation is inspect.Signature.empty:
        fail("the result must have a type annotation; None if there is none")
    if annotation in (None, type(None)):
        return "()"
    many = typing.get_origin(annotation) is tuple
    kinds = typing.get_args(annotation) if many else (annotation,)
    words = [None if str(kind).startswith(("typing.Sequence", "collections.abc")) else _word(kind) for kind in kinds]
    for kind, word in zip(kinds, words):
        if word not in _RETURNS:
            fail(f"the result has the unsupported type {kind}; supported are {', '.join(_RETURNS)}, and tuples of them")
    return f"({', '.join(map(str, words))})" if many else str(words[0])
