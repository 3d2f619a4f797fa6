"""Signatures of what nodes call, and arguments brought into the form that the signatures have."""

from __future__ import annotations

import inspect
import numbers
import typing
from collections.abc import Callable
from typing import Any, NamedTuple

import torch

__all__ = [
    "ArgsKwargsPair", "check_for_mutable_operation", "get_signature_for_torch_op", "create_type_hint", "type_matches",
    "normalize_function", "normalize_module",
]  # fmt: skip

_TYPES: dict[str, Any] = {
    "Tensor": torch.Tensor, "Device": torch.device, "Layout": torch.layout, "number": numbers.Number, "Scalar": numbers.Number,
    "bool": bool, "str": str, "float": float, "int": int, "SymInt": int, "ScalarType": int, "MemoryFormat": int,
    "Generator": torch.Generator, "complex": complex, "Dimname": str, "QScheme": int, "Storage": Any, "Stream": Any,
}  # fmt: skip


class ArgsKwargsPair(NamedTuple):
    """Arguments of a call."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]


def _python_type(text: str) -> Any:
    """The type of an argument of a schema."""
    text = text.split("(")[0] + text.partition(")")[2] if "(" in text else text
    if text.endswith("?"):
        return typing.Optional[_python_type(text[:-1])]  # noqa: UP007, UP045
    if text.endswith("]"):
        return list[_python_type(text[: text.rindex("[")])]  # type: ignore[misc]
    return _TYPES.get(text, Any)


def _torchscript_schema_to_signature(schema: Any) -> inspect.Signature:
    """A schema as a signature."""
    parameters = []
    positional = inspect.Parameter.POSITIONAL_OR_KEYWORD
    if any(argument.name == "from" for argument in schema.arguments):
        positional = inspect.Parameter.POSITIONAL_ONLY
    for argument in schema.arguments:
        name = "input" if argument.name == "self" else argument.name
        kind = inspect.Parameter.KEYWORD_ONLY if argument.kwarg_only else positional
        default = argument.default_value if argument.has_default_value() else inspect.Parameter.empty
        if name in ("from",):
            name = "_from"
        parameters.append(inspect.Parameter(name, kind, default=default, annotation=_python_type(str(argument.type))))
    results = [_python_type(str(result.type)) for result in schema.returns]
    returns = None if not results else results[0] if len(results) == 1 else tuple[tuple(results)]  # type: ignore[misc]
    return inspect.Signature(_in_order(parameters), return_annotation=returns)


def _in_order(parameters: list[inspect.Parameter]) -> list[inspect.Parameter]:
    """Python has no parameter without a default behind one with a default; schemas do."""
    seen, made = False, []
    for parameter in parameters:
        if parameter.kind is not parameter.KEYWORD_ONLY:
            if parameter.default is not parameter.empty:
                seen = True
            elif seen:
                parameter = parameter.replace(default=None)
        made.append(parameter)
    return made


def get_signature_for_torch_op(op: Callable[..., Any], return_schemas: bool = False) -> Any:
    """The signatures of an operator, one for each overload.

    Args:
        op (Callable): a function of torch, or of torch.ops
        return_schemas (bool, default False): return the schemas as well

    Returns:
        the list of signatures, or None if it is no operator
    """
    schemas: list[Any] | None = None
    if isinstance(op, torch._ops.OpOverload):
        schemas = [op._schema]
    elif isinstance(op, torch._ops.OpOverloadPacket):
        schemas = [getattr(op, name)._schema for name in op.overloads()]
    else:
        module = getattr(op, "__module__", None) or ""
        builtin = not inspect.isfunction(op) and module.startswith("torch") and hasattr(op, "__name__")
        packet = getattr(torch.ops.aten, op.__name__, None) if builtin and op.__name__ != "<lambda>" else None
        if packet is not None:
            schemas = [getattr(packet, name)._schema for name in packet.overloads()]
    if schemas is None:
        return (None, None) if return_schemas else None
    signatures = [_torchscript_schema_to_signature(schema) for schema in schemas]
    return (signatures, schemas) if return_schemas else signatures


def check_for_mutable_operation(target: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Refuse a call of an operator that changes its arguments.

    Args:
        target (Callable): the operator
        args (tuple): positional arguments
        kwargs (dict): keyword arguments

    Raises:
        RuntimeError: it does
    """
    signatures, schemas = get_signature_for_torch_op(target, return_schemas=True)
    fitting = []
    for signature, schema in zip(signatures or (), schemas or ()):
        try:
            signature.bind(*args, **kwargs)
        except TypeError:
            continue
        fitting.append(schema)
    if fitting and all(schema.is_mutable for schema in fitting):
        raise RuntimeError(
            f"torch.fx: {fitting[0]} changes its arguments, which this recorder refuses (check_mutable_operations)"
        )


def create_type_hint(x: Any) -> Any:
    """The type of a list or tuple by those of its items; anything else comes back as it is."""
    if isinstance(x, (list, tuple)):
        kind: Any = list if isinstance(x, list) else tuple
        if not x:
            return kind[Any] if kind is list else tuple[Any, ...]
        same = all(each == x[0] for each in x)
        item = x[0] if same else Any
        return kind[item] if kind is list else tuple[item, ...]
    return x


def type_matches(signature_type: Any, argument_type: Any) -> bool:
    """Whether a parameter of one type takes an argument of another."""
    origin = typing.get_origin(signature_type)
    if signature_type == argument_type or signature_type is Any:
        return True
    if origin is typing.Union:
        return any(type_matches(each, argument_type) for each in typing.get_args(signature_type))
    if origin is list:
        item = typing.get_args(signature_type)[0]
        if argument_type is item or item is int and argument_type is int:
            return True
        return typing.get_origin(argument_type) in (list, tuple) and all(
            type_matches(item, each) for each in typing.get_args(argument_type) if each is not ...
        )
    if signature_type is numbers.Number and argument_type in (int, float, complex, bool):
        return True
    if signature_type is int and argument_type is torch.dtype:
        return True
    return inspect.isclass(argument_type) and inspect.isclass(signature_type) and issubclass(argument_type, signature_type)


def _normalized(signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any],
                only_kwargs: bool) -> ArgsKwargsPair | None:  # fmt: skip
    """Arguments by a signature, with defaults filled in."""
    kinds = {parameter.kind for parameter in signature.parameters.values()}
    if inspect.Parameter.POSITIONAL_ONLY in kinds and len(signature.parameters) and "_from" not in signature.parameters:
        return None
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    new_args, new_kwargs = [], {}
    for k, (name, parameter) in enumerate(signature.parameters.items()):
        if not only_kwargs and parameter.kind is not parameter.KEYWORD_ONLY and k < len(args):
            new_args.append(bound.arguments[name])
        else:
            new_kwargs[name] = bound.arguments[name]
    return ArgsKwargsPair(tuple(new_args), new_kwargs)


def normalize_function(target: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any] | None = None,
                       arg_types: tuple[Any, ...] | None = None, kwarg_types: dict[str, Any] | None = None,
                       normalize_to_only_use_kwargs: bool = False) -> ArgsKwargsPair | None:  # fmt: skip
    """The arguments of a call of a function of torch as its signature has them, with defaults filled in.

    Args:
        target (Callable): the function
        args (tuple): positional arguments
        kwargs (dict, optional): keyword arguments
        arg_types (tuple, optional): types of the positional arguments, which select an overload
        kwarg_types (dict, optional): types of the keyword arguments
        normalize_to_only_use_kwargs (bool, default False): pass all of them by name

    Returns:
        the arguments, or None if the signature is not known

    Raises:
        RuntimeError: several overloads take the arguments
    """
    kwargs = kwargs or {}
    module = getattr(target, "__module__", "") or ""
    if inspect.isfunction(target) and module in ("torch.nn.functional", "torch.functional"):
        return _normalized(inspect.signature(inspect.unwrap(target)), args, kwargs, normalize_to_only_use_kwargs)
    signatures, schemas = get_signature_for_torch_op(target, return_schemas=True)
    fitting = []
    for signature, schema in zip(signatures or (), schemas or ()):
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError:
            continue
        fitting.append((signature, schema, bound))
    if len(fitting) > 1 and (arg_types is not None or kwarg_types is not None):
        chosen = []
        for signature, schema, bound in fitting:
            given = signature.bind(*(arg_types or ()), **(kwarg_types or {})).arguments
            if all(type_matches(signature.parameters[name].annotation, kind) for name, kind in given.items()):
                chosen.append((signature, schema, bound))
        fitting = chosen[:1] if chosen else []
    if len(fitting) > 1:
        texts = "\n".join(str(schema) for _, schema, _ in fitting)
        name = getattr(target, "__name__", target)
        raise RuntimeError(f"torch.fx: several overloads of {name} take the arguments; pass arg_types to choose one of\n{texts}")
    if not fitting:
        return None
    return _normalized(fitting[0][0], args, kwargs, normalize_to_only_use_kwargs)


def normalize_module(root: torch.nn.Module, target: str, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None,
                     normalize_to_only_use_kwargs: bool = False) -> ArgsKwargsPair | None:  # fmt: skip
    """The arguments of a call of a module of torch.nn as its signature has them.

    Args:
        root (Module): which contains the module
        target (str): its path
        args (tuple): positional arguments
        kwargs (dict, optional): keyword arguments
        normalize_to_only_use_kwargs (bool, default False): pass all of them by name

    Returns:
        the arguments, or None if the class is none of torch.nn

    Raises:
        RuntimeError: there is no such module
    """
    try:
        module = root.get_submodule(target)
    except AttributeError as error:
        raise RuntimeError(f"normalize_module: {error}") from None
    if getattr(torch.nn, type(module).__name__, None) is not type(module):
        return None
    return _normalized(inspect.signature(module.forward), args, kwargs or {}, normalize_to_only_use_kwargs)
