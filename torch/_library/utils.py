"""Names and schemas of operators."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch


def parse_namespace(qualname: str) -> tuple[str, str]:
    """("namespace", "name") of "namespace::name"."""
    namespace, _, name = qualname.partition("::")
    if not name or "::" in name or not namespace:
        raise ValueError(f"Expected a qualified name of the form namespace::name, got {qualname!r}")
    return namespace, name


def lookup_op(qualname: str) -> Any:
    """The object of torch.ops for "namespace::name" or "namespace::name.overload"."""
    namespace, name = parse_namespace(qualname)
    base, _, overload = name.partition(".")
    return getattr(getattr(getattr(torch.ops, namespace), base), overload or "default")


def is_functional_schema(schema: Any) -> bool:
    """Whether an operator changes none of its arguments and returns none of them."""
    return not schema.is_mutable and not any("(" in str(each.type) for each in schema.returns)


def mutated_arguments(schema: Any, args: Any, kwargs: Any) -> Iterator[Any]:
    """The tensors of a call that the operator may change."""
    for k, argument in enumerate(schema.arguments):
        if argument.is_write:
            value = args[k] if k < len(args) else kwargs.get(argument.name)
            yield from (each for each in (value if isinstance(value, (list, tuple)) else [value]) if each is not None)


def fill_defaults(schema: Any, args: Any, kwargs: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call with the defaults filled in: those that may be positional, and the others by name."""
    positional, named = list(args), dict(kwargs)
    for k, argument in enumerate(schema.arguments):
        if argument.kwarg_only:
            named.setdefault(argument.name, argument.default_value)
        elif k >= len(args):
            positional.append(named.pop(argument.name, argument.default_value))
    return tuple(positional), named


def has_kwarg_only_args(schema: Any) -> bool:
    """Whether some arguments can only be passed by name."""
    return any(argument.kwarg_only for argument in schema.arguments)


def tensors_in(value: Any) -> Iterator[torch.Tensor]:
    """The tensors in nested lists, tuples and dicts."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from tensors_in(each)
    elif isinstance(value, dict):
        yield from tensors_in(list(value.values()))
