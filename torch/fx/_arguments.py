"""The inputs of a function that is recorded: its placeholders, and the parameters that are given as constants."""

from __future__ import annotations

import inspect
from types import CodeType, FunctionType
from typing import Any

import torch
from torch.utils import _pytree as pytree

HAS_VARSTUFF = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS


class PHBase:
    """In `concrete_args`: this part is an input."""

    def __repr__(self) -> str:
        return "PH"


PH = PHBase()


class PHWithMeta(PHBase):
    """An input whose node gets attributes of this object as its meta data.

    Args:
        ph_key (str, optional): a name that programs tell it by
    """

    def __init__(self, ph_key: str | None = None) -> None:
        self.ph_key = ph_key


def _assert_is_none(value: object, msg: str) -> None:
    """What recorded functions check constants by that are None."""
    if value is not None:
        raise AssertionError(msg)


_assert_is_none.__module__ = "torch.fx._symbolic_trace"  # where generated code looks for it


def _patch_function(fn: FunctionType, nargs: int) -> FunctionType:
    """The function with *args and **kwargs as ordinary parameters, so that each can be one recorded value."""
    code: CodeType = fn.__code__.replace(
        co_argcount=nargs, co_posonlyargcount=0, co_kwonlyargcount=0, co_flags=fn.__code__.co_flags & ~HAS_VARSTUFF
    )
    return FunctionType(code, fn.__globals__, fn.__name__, fn.__defaults__, fn.__closure__)


def _proxy_placeholder(tracer: Any, name: str, concrete_args: Any, signature: inspect.Signature | None, fn: Any) -> Any:
    """A placeholder, or the constant for which the parameter stands."""
    if concrete_args is not None and name in concrete_args:
        tracer._constants = 0
        return pytree.tree_map(lambda value: _constant(tracer, name, value, signature), concrete_args[name])
    return tracer.create_proxy("placeholder", name, _default(signature, name), {}, type_expr=annotation_of(fn, name.lstrip("*")))


def annotation_of(fn: Any, name: str) -> Any:
    """The annotation of a parameter, or of the result by the name "return"; this library's own are read as types."""
    annotation = getattr(fn, "__annotations__", {}).get(name)
    if isinstance(annotation, str) and fn.__module__.startswith("torch."):
        annotation = {"Tensor": torch.Tensor, "int": int, "float": float, "bool": bool}.get(annotation)
    return annotation


def _default(signature: inspect.Signature | None, name: str) -> tuple[Any, ...]:
    if signature is None or name.startswith("*") or name not in signature.parameters:
        return ()
    default = signature.parameters[name].default
    return () if default is inspect.Parameter.empty else (default,)


def _constant(tracer: Any, name: str, value: Any, signature: inspect.Signature | None) -> Any:
    """The placeholder of a part of a constant parameter, with a check that later calls pass the same."""
    number = tracer._constants = tracer._constants + 1
    made = tracer.create_proxy("placeholder", f"{name}_{number}", _default(signature, name), {})
    if isinstance(value, PHBase):
        if value is not PH:
            for key, held in vars(value).items():
                made.node.meta.setdefault(key, held)
        return made
    message = f"{name} has been specialized to have value {value} but got another value"
    if type(value) is bool or isinstance(value, (int, float, str)) and type(value) not in (torch.Tensor,):
        torch._assert(made == value, message)
    elif value is None:
        tracer.create_proxy("call_function", _assert_is_none, (made, message), {})
    else:
        import warnings

        warnings.warn(f"torch.fx: later calls are not checked to pass the same {name} as concrete_args, because of its type")
    return value


def create_args_for_root(tracer: Any, root_fn: Any, is_module: bool, concrete_args: Any) -> tuple[Any, list[Any]]:
    """The function in the form that takes the placeholders, and the arguments to call it with."""
    fn = inspect.unwrap(root_fn)
    code = fn.__code__
    names = list(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
    original = names.copy()
    args: list[Any] = []
    if is_module:
        if not names:
            raise RuntimeError("torch.fx: the recorded method has no parameter for the module")
        args.append(tracer.root)
        names.pop(0)
    signature = inspect.signature(fn)
    if isinstance(concrete_args, tuple):
        if len(names) != len(concrete_args):
            raise RuntimeError(f"Tracing expected {len(names)} arguments but got {len(concrete_args)} concrete arguments")
        concrete_args = dict(zip(names, concrete_args))
    args.extend(_proxy_placeholder(tracer, name, concrete_args, signature, fn) for name in names)
    if code.co_kwonlyargcount or code.co_flags & HAS_VARSTUFF:
        rest = code.co_varnames[code.co_argcount + code.co_kwonlyargcount :]
        stars = [mark for mark, flag in (("*", inspect.CO_VARARGS), ("**", inspect.CO_VARKEYWORDS)) if code.co_flags & flag]
        for mark, name in zip(stars, rest):
            original.append(mark + name)
            args.append(_proxy_placeholder(tracer, mark + name, concrete_args, signature, fn))
        root_fn = _patch_function(root_fn, len(args))
    flat, in_spec = pytree.tree_flatten(tuple(args))
    if concrete_args is None or not any(not child.is_leaf() for child in in_spec.children_specs):
        return root_fn, args
    return _flattened(tracer, root_fn, flat, in_spec, original, is_module)


def _flattened(tracer: Any, root_fn: Any, flat: Any, in_spec: Any, names: list[str], is_module: bool) -> tuple[Any, list[Any]]:
    """A function of the leaves of nested arguments; the graph is told to take the nested ones."""
    from torch.fx._pytree_codegen import _PyTreeCodeGen, _PyTreeInfo

    inputs = pytree.TreeSpec(tuple, None, in_spec.children_specs[1:]) if is_module else in_spec
    codegen = _PyTreeCodeGen(_PyTreeInfo(names[1:] if is_module else names, inputs, None))
    tracer.graph._codegen = codegen

    def flatten_fn(*leaves: Any) -> Any:
        result = root_fn(*pytree.tree_unflatten(list(leaves), in_spec))
        out, out_spec = pytree.tree_flatten(result)
        codegen.pytree_info = codegen.pytree_info._replace(out_spec=out_spec)
        return out

    return flatten_fn, flat
