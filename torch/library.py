"""Operators defined, implemented and overridden from Python."""

import functools
import inspect

import torch
from torch import _C, _lazy
from torch._dispatch_library import Registrations

_libraries = []  # those that the functions below make live as long as the program


class Library:
    """A fragment of an operator namespace; what it registers goes when it does.

    kind: "DEF" for a new namespace, "FRAGMENT" for more of one, "IMPL" for kernels only."""

    def __init__(self, ns, kind, dispatch_key=""):
        if kind not in ("IMPL", "DEF", "FRAGMENT"):
            raise ValueError(f"Unsupported kind: {kind}")
        if ns in ("prim", "_C") and kind in ("DEF", "FRAGMENT"):
            raise ValueError(f"{ns} is a reserved namespace. Please try creating a library with another "
                             "name.")
        frame = inspect.currentframe().f_back
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key
        self.m = Registrations(ns, frame.f_code.co_filename, frame.f_lineno)

    def __repr__(self):
        return f"Library(kind={self.kind}, ns={self.ns}, dispatch_key={self.dispatch_key})>"

    def define(self, schema, alias_analysis="", *, tags=()):
        """Define an operator by its schema; returns its name."""
        if alias_analysis not in ("", "FROM_SCHEMA", "CONSERVATIVE"):
            raise RuntimeError(f"Invalid alias_analysis type {alias_analysis}")
        tags = (tags,) if not isinstance(tags, (tuple, list)) else tuple(tags)
        name = self.m.define(schema, alias_analysis, tags)
        _forget_packet(self.ns, schema.split("(")[0].split(".")[0].split("::")[-1])
        return name

    def impl(self, op_name, fn, dispatch_key="", *, with_keyset=False, allow_override=False):
        """Make `fn` the kernel of an operator for a dispatch key."""
        if not callable(fn):
            raise TypeError(f"Input function is required to be a callable but found type {type(fn)}")
        key = dispatch_key or self.dispatch_key
        if isinstance(op_name, str):
            name = op_name.split("::")[-1]
        else:
            schema = op_name._schema
            name = schema.name.split("::")[-1] + ("." + schema.overload_name if schema.overload_name else "")
        self.m.impl(name, key or "CompositeImplicitAutograd", fn, with_keyset)

    def fallback(self, fn, dispatch_key="", *, with_keyset=False):
        """Make `fn(op, *args, **kwargs)` the kernel of every operator that has none for the key."""
        key = dispatch_key or self.dispatch_key
        if self.ns != "_":
            raise RuntimeError(f"Fallback can only be registered using library fragment on the global "
                               "namespace \"_\" but it is "
                               f"{self.ns}")
        self.m.fallback(key, fn, with_keyset)

    def _destroy(self):
        """Take all registrations back."""
        if self.m is not None:
            self.m.reset()
        self.m = None


def _forget_packet(namespace, name):
    space = torch.ops.__dict__.get(namespace)
    if space is not None:
        space.__dict__.pop(name, None)


class _scoped_library:
    """A Library for the length of a `with` block."""

    def __init__(self, *args, **kwargs):
        self.arguments = args, kwargs

    def __enter__(self):
        self.library = Library(*self.arguments[0], **self.arguments[1])
        return self.library

    def __exit__(self, *problem):
        self.library._destroy()


def _split(qualname):
    namespace, _, name = qualname.partition("::")
    if not name:
        raise ValueError(f"Expected a qualified name of the form namespace::name, got {qualname!r}")
    return namespace, name


def _library(namespace, lib=None):
    if lib is None:
        lib = Library(namespace, "FRAGMENT")
        _libraries.append(lib)
    return lib


def define(qualname, schema, *, lib=None, tags=()):
    """Define the operator "namespace::name" with a schema "(Tensor x) -> Tensor"."""
    namespace, name = _split(qualname)
    _library(namespace, lib).define(name + schema, tags=tags)


_KEYS = {"cpu": "CPU", "cuda": "CUDA", "meta": "Meta", "default": "CompositeExplicitAutograd"}


def impl(qualname, types, func=None, *, lib=None):
    """Register a kernel for device types ("cpu", "default") or dispatch keys; a decorator if `func` is left
    out."""
    kinds = (types,) if isinstance(types, str) else tuple(types)

    def register(function):
        namespace, name = _split(qualname)
        library = _library(namespace, lib)
        for kind in kinds:
            library.impl(name, function, _KEYS.get(kind, kind))
        return function

    return register if func is None else register(func)


def register_kernel(op, device_types, func=None, /, *, lib=None):
    """`impl`, for an operator given by name or as an object."""
    return impl(_name(op), device_types or "default", func, lib=lib)


def register_fake(op, func=None, /, *, lib=None, _stacklevel=1, allow_override=False):
    """Register what an operator does with meta tensors: shapes and dtypes, no data."""
    return impl(_name(op), "Meta", func, lib=lib)


impl_abstract = register_fake


def _name(op):
    if isinstance(op, str):
        return op
    return op._qualname if isinstance(op, CustomOpDef) else op._qualified


def register_autograd(op, backward, /, *, setup_context=None, lib=None):
    """Give an operator a derivative: `backward(ctx, *grads)`, with `setup_context(ctx, inputs, output)`
    before it."""
    namespace, name = _split(_name(op))
    packet = getattr(getattr(torch.ops, namespace), name.split(".")[0])
    overload = getattr(packet, name.partition(".")[2] or "default")

    class Derivative(torch.autograd.Function):
        @staticmethod
        def forward(ctx, *args):
            with _C._AutoDispatchBelowAutograd():
                result = overload(*args)
            if setup_context is not None:
                setup_context(ctx, args, result)
            return result

    Derivative.backward = staticmethod(backward)
    Derivative.__name__ = Derivative.__qualname__ = name
    _library(namespace, lib).impl(name, lambda *args: Derivative.apply(*args), "Autograd")


class CustomOpDef:
    """An operator made of a Python function; see `custom_op`."""

    def __init__(self, namespace, name, schema, function):
        self._qualname, self._schema, self._init_fn = f"{namespace}::{name}", schema, function
        self._lib = Library(namespace, "FRAGMENT")
        self._lib.define(name + schema)
        _C._dispatch_refuse_backward(self._qualname, "")
        self._opoverload = getattr(getattr(torch.ops, namespace), name).default
        self._backward = self._setup_context = None
        functools.update_wrapper(self, function)

    def __call__(self, *args, **kwargs):
        return self._opoverload(*args, **kwargs)

    def __repr__(self):
        return f"<CustomOpDef({self._qualname})>"

    def register_kernel(self, device_types, fn=None, /):
        return impl(self._qualname, device_types or "default", fn, lib=self._lib)

    def register_fake(self, fn, /):
        return impl(self._qualname, "Meta", fn, lib=self._lib)

    def register_autograd(self, backward, /, *, setup_context=None):
        register_autograd(self._qualname, backward, setup_context=setup_context, lib=self._lib)


def custom_op(name, fn=None, /, *, mutates_args, device_types=None, schema=None, tags=None):
    """Make a function with annotated arguments an operator "namespace::name"; a decorator if `fn` is left
    out.

    mutates_args: names of the tensors that it changes in place."""
    def make(function):
        namespace, short = _split(name)
        text = schema or infer_schema(function, mutates_args=mutates_args)
        made = CustomOpDef(namespace, short, text, function)
        made.register_kernel(device_types or "default", function)
        return made

    return make if fn is None else make(fn)


_TYPES = {torch.Tensor: "Tensor", int: "SymInt", float: "float", bool: "bool", str: "str",
          torch.dtype: "ScalarType",
          torch.device: "Device"}


def _type_name(kind):
    """The schema's word for an annotation."""
    import types
    import typing

    if kind in _TYPES:
        return _TYPES[kind]
    origin, inside = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType) and type(None) in inside and len(inside) == 2:
        return _type_name(next(x for x in inside if x is not type(None))) + "?"
    if origin in (list, typing.get_origin(typing.Sequence[int])) and inside:
        return _type_name(inside[0]) + "[]"
    if origin in (typing.Union, types.UnionType) and set(inside) <= {int, float, bool}:
        return "Scalar"
    raise ValueError(f"infer_schema: unsupported type {kind}; supported are "
                     f"{', '.join(sorted(_TYPES.values()))}, lists of them "
                     "and Optional of them")


def infer_schema(prototype_function, /, *, mutates_args, op_name=None):
    """The schema that a function's annotations say."""
    import typing

    hints = typing.get_type_hints(prototype_function)
    parts, keyword_only = [], False
    for k, (name, parameter) in enumerate(inspect.signature(prototype_function).parameters.items()):
        if name not in hints:
            raise ValueError(f"infer_schema: Parameter {name} must have a type annotation.")
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
            keyword_only = True
            parts.append("*")
        kind = _type_name(hints[name])
        if mutates_args == "unknown" or name in mutates_args:
            kind = kind.replace("Tensor", f"Tensor(a{k}!)", 1)
        text = f"{kind} {name}"
        if parameter.default is not parameter.empty:
            default = parameter.default
            text += f"={default!r}" if not isinstance(default, str) else f'="{default}"'
        parts.append(text)
    result = hints.get("return", type(None))
    if result is type(None):
        words = "()"
    elif typing.get_origin(result) is tuple:
        words = "(" + ", ".join(map(_type_name, typing.get_args(result))) + ")"
    else:
        words = _type_name(result)
    return (op_name or "") + f"({', '.join(parts)}) -> {words}"

_lazy.names_what_is_absent(__name__)
