"""Operators defined, implemented and overridden from Python."""

from __future__ import annotations

import functools
import inspect

import torch
from torch import _C, _lazy
from torch._dispatch_library import Registrations as _Registrations

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

_libraries = []  # Libraries that the functions below create live as long as the program


class Library:
    """A fragment of an operator namespace; what it registers goes when it does.

    Args:
        ns (str): the namespace
        kind (str): "DEF" for a new namespace, "FRAGMENT" for more of one, "IMPL" for kernels only
        dispatch_key (str, default ""): of the kernels, where they name none

    Raises:
        ValueError: another kind, or a reserved namespace

    Example:
        >>> library = torch.library.Library("docs_library", "DEF")
        >>> library.define("twice(Tensor x) -> Tensor")
        'docs_library::twice'
        >>> library.impl("twice", lambda x: 2 * x, "CPU")
        >>> torch.ops.docs_library.twice(torch.ones(2))
        tensor([2., 2.])
    """

    def __init__(self, ns: str, kind: str, dispatch_key: str = "") -> None:
        if kind not in ("IMPL", "DEF", "FRAGMENT"):
            raise ValueError(f"Unsupported kind: {kind}")
        if ns in ("prim", "_C") and kind in ("DEF", "FRAGMENT"):
            raise ValueError(f"{ns} is a reserved namespace. Please try creating a library with another name.")
        frame = inspect.currentframe().f_back
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key
        self.m = _Registrations(ns, frame.f_code.co_filename, frame.f_lineno)

    def __repr__(self):
        return f"Library(kind={self.kind}, ns={self.ns}, dispatch_key={self.dispatch_key})>"

    def define(self, schema: str, alias_analysis: str = "", *, tags: Any = ()) -> str:
        """Define an operator by its schema.

        Args:
            schema (str): such as "twice(Tensor x) -> Tensor"
            alias_analysis (str, default ""): accepted for compatibility
            tags (Tag or Sequence[Tag], default ()): of the operator

        Returns:
            its name
        """
        if alias_analysis not in ("", "FROM_SCHEMA", "CONSERVATIVE"):
            raise RuntimeError(f"Invalid alias_analysis type {alias_analysis}")
        tags = (tags,) if not isinstance(tags, (tuple, list)) else tuple(tags)
        name = self.m.define(schema, alias_analysis, tags)
        _forget_packet(self.ns, schema.split("(")[0].split(".")[0].split("::")[-1])
        return name

    def impl(
        self,
        op_name: Any,
        fn: Callable[..., Any],
        dispatch_key: str = "",
        *,
        with_keyset: bool = False,
        allow_override: bool = False,
    ) -> None:
        """Make a function the kernel of an operator.

        Args:
            op_name (str or OpOverload): the operator
            fn (function): the kernel
            dispatch_key (str, default ""): for which key; by default that of the library, or every one
            with_keyset (bool, default False): True is refused
            allow_override (bool, default False): accepted for compatibility

        Raises:
            TypeError: `fn` cannot be called
        """
        if not callable(fn):
            raise TypeError(f"Input function is required to be a callable but found type {type(fn)}")
        key = dispatch_key or self.dispatch_key
        if isinstance(op_name, str):
            name = op_name.split("::")[-1]
        else:
            schema = op_name._schema
            name = schema.name.split("::")[-1] + ("." + schema.overload_name if schema.overload_name else "")
        self.m.impl(name, key or "CompositeImplicitAutograd", fn, with_keyset)

    def fallback(self, fn: Callable[..., Any], dispatch_key: str = "", *, with_keyset: bool = False) -> None:
        """Make a function the kernel of every operator that has none for a key; refused so far.

        Args:
            fn (function): gets the operator and its arguments
            dispatch_key (str, default ""): the key
            with_keyset (bool, default False): also pass the keys

        Raises:
            RuntimeError: the library is not of the namespace "_"
            NotImplementedError: fallbacks are registered from C++
        """
        key = dispatch_key or self.dispatch_key
        if self.ns != "_":
            raise RuntimeError(
                f'Fallback can only be registered using library fragment on the global namespace "_" but it is {self.ns}'
            )
        self.m.fallback(key, fn, with_keyset)

    def _destroy(self):
        """Undo all registrations."""
        if self.m is not None:
            self.m.reset()
        self.m = None


def _forget_packet(namespace, name):
    space = torch.ops.__dict__.get(namespace)
    if space is not None:
        space.__dict__.pop(name, None)


class _scoped_library:
    """A Library for the duration of a `with` block."""

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


def define(qualname: str, schema: str, *, lib: Library | None = None, tags: Any = ()) -> None:
    """Define an operator.

    Args:
        qualname (str): "namespace::name"
        schema (str): such as "(Tensor x) -> Tensor"
        lib (Library, optional): with which the operator goes; by default it stays
        tags (Tag or Sequence[Tag], default ()): of the operator

    Raises:
        ValueError: the name has no namespace

    Example:
        >>> torch.library.define("docs_define::same", "(Tensor x) -> Tensor")
        >>> torch.library.impl("docs_define::same", "cpu", lambda x: x.clone())(torch.ones(1))
        tensor([1.])
        >>> torch.ops.docs_define.same(torch.ones(1))
        tensor([1.])
    """
    namespace, name = _split(qualname)
    _library(namespace, lib).define(name + schema, tags=tags)


_KEYS = {"cpu": "CPU", "cuda": "CUDA", "meta": "Meta", "default": "CompositeExplicitAutograd"}


def impl(qualname: str, types: str | Sequence[str], func: Callable[..., Any] | None = None, *, lib: Library | None = None) -> Any:
    """Register a kernel of an operator.

    Args:
        qualname (str): "namespace::name"
        types (str or Sequence[str]): kinds of device ("cpu", "default") or dispatch keys
        func (function, optional): the kernel; without it, the call is a decorator
        lib (Library, optional): with which the kernel goes; by default it stays

    Returns:
        the function, or a decorator

    Example:
        >>> torch.library.define("docs_impl::twice", "(Tensor x) -> Tensor")
        >>> @torch.library.impl("docs_impl::twice", "cpu")
        ... def twice(x):
        ...     return 2 * x
        >>> torch.ops.docs_impl.twice(torch.ones(1))
        tensor([2.])
    """
    kinds = (types,) if isinstance(types, str) else tuple(types)

    def register(function):
        namespace, name = _split(qualname)
        library = _library(namespace, lib)
        for kind in kinds:
            library.impl(name, function, _KEYS.get(kind, kind))
        return function

    return register if func is None else register(func)


def register_kernel(op: Any, device_types: Any, func: Callable[..., Any] | None = None, /, *, lib: Library | None = None) -> Any:
    """Register a kernel of an operator that is given by name or as an object.

    Args:
        op (str, OpOverload or CustomOpDef): the operator
        device_types (str, Sequence[str] or None): kinds of device; None for all
        func (function, optional): the kernel; without it, the call is a decorator
        lib (Library, optional): with which the kernel goes; by default it stays

    Returns:
        the function, or a decorator

    Example:
        >>> torch.library.define("docs_kernel::twice", "(Tensor x) -> Tensor")
        >>> @torch.library.register_kernel("docs_kernel::twice", "cpu")
        ... def twice(x):
        ...     return 2 * x
        >>> torch.ops.docs_kernel.twice(torch.ones(1))
        tensor([2.])
    """
    return impl(_name(op), device_types or "default", func, lib=lib)


def register_fake(
    op: Any,
    func: Callable[..., Any] | None = None,
    /,
    *,
    lib: Library | None = None,
    _stacklevel: int = 1,
    allow_override: bool = False,
) -> Any:
    """Register what an operator does with meta tensors: shapes and dtypes, no data.

    Args:
        op (str, OpOverload or CustomOpDef): the operator
        func (function, optional): the kernel; without it, the call is a decorator
        lib (Library, optional): with which the kernel goes; by default it stays
        allow_override (bool, default False): accepted for compatibility

    Returns:
        the function, or a decorator

    Example:
        >>> torch.library.define("docs_fake::twice", "(Tensor x) -> Tensor")
        >>> @torch.library.register_fake("docs_fake::twice")
        ... def twice(x):
        ...     return torch.empty_like(x)
        >>> torch.ops.docs_fake.twice(torch.empty(3, device="meta")).shape
        torch.Size([3])
    """
    return impl(_name(op), "Meta", func, lib=lib)


impl_abstract = register_fake


def _name(op):
    if isinstance(op, str):
        return op
    return op._qualname if isinstance(op, CustomOpDef) else op._qualified


def register_autograd(
    op: Any,
    backward: Callable[..., Any],
    /,
    *,
    setup_context: Callable[..., Any] | None = None,
    lib: Library | None = None,
) -> None:
    """Give an operator a derivative.

    Args:
        op (str, OpOverload or CustomOpDef): the operator
        backward (function): gets ctx and the gradients of the outputs, and returns those of the inputs
        setup_context (function, optional): (ctx, inputs, output): keeps what backward needs
        lib (Library, optional): with which the derivative goes; by default it stays

    Example:
        >>> torch.library.define("docs_autograd::twice", "(Tensor x) -> Tensor")
        >>> kernel = torch.library.impl("docs_autograd::twice", "cpu", lambda x: 2 * x)
        >>> torch.library.register_autograd("docs_autograd::twice", lambda ctx, gradient: 2 * gradient)
        >>> x = torch.ones(1, requires_grad=True)
        >>> torch.autograd.grad(torch.ops.docs_autograd.twice(x), x)
        (tensor([2.]),)
    """
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
    """An operator made of a Python function; `custom_op` makes them.

    Args:
        namespace (str): of the operator
        name (str): of the operator
        schema (str): such as "(Tensor x) -> Tensor"
        function (function): what it was made of

    Example:
        >>> op = torch.library.CustomOpDef("docs_def", "twice", "(Tensor x) -> Tensor", lambda x: 2 * x)
        >>> kernel = op.register_kernel("cpu", lambda x: 2 * x)
        >>> op(torch.ones(1))
        tensor([2.])
    """

    def __init__(self, namespace: str, name: str, schema: str, function: Callable[..., Any]) -> None:
        self._qualname, self._schema, self._init_fn = f"{namespace}::{name}", schema, function
        self._lib = Library(namespace, "FRAGMENT")
        self._lib.define(name + schema)
        _C._dispatch_refuse_backward(self._qualname, "")
        self._opoverload = getattr(getattr(torch.ops, namespace), name).default
        self._backward = self._setup_context = None
        functools.update_wrapper(self, function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._opoverload(*args, **kwargs)

    def __repr__(self):
        return f"<CustomOpDef({self._qualname})>"

    def register_kernel(self, device_types: Any, fn: Callable[..., Any] | None = None, /) -> Any:
        """Register a kernel.

        Args:
            device_types (str, Sequence[str] or None): kinds of device; None for all
            fn (function, optional): the kernel; without it, the call is a decorator
        """
        return impl(self._qualname, device_types or "default", fn, lib=self._lib)

    def register_fake(self, fn: Callable[..., Any], /) -> Any:
        """Register what the operator does with meta tensors.

        Args:
            fn (function): the kernel
        """
        return impl(self._qualname, "Meta", fn, lib=self._lib)

    def register_autograd(self, backward: Callable[..., Any], /, *, setup_context: Callable[..., Any] | None = None) -> None:
        """Give the operator a derivative.

        Args:
            backward (function): gets ctx and the gradients of the outputs, and returns those of the inputs
            setup_context (function, optional): (ctx, inputs, output): keeps what backward needs
        """
        register_autograd(self._qualname, backward, setup_context=setup_context, lib=self._lib)


def custom_op(
    name: str,
    fn: Callable[..., Any] | None = None,
    /,
    *,
    mutates_args: Any,
    device_types: Any = None,
    schema: str | None = None,
    tags: Any = None,
) -> Any:
    """Make a function with annotated arguments an operator.

    Args:
        name (str): "namespace::name"
        fn (function, optional): the function; without it, the call is a decorator
        mutates_args (Iterable[str] or str): names of the tensors that it changes in place, or "unknown"
        device_types (str or Sequence[str], optional): for which kinds of device it works; by default all
        schema (str, optional): in place of the annotations
        tags (Sequence[Tag], optional): accepted for compatibility

    Returns:
        a CustomOpDef, or a decorator

    Raises:
        ValueError: an argument has no annotation, or one that operators do not know

    Example:
        >>> @torch.library.custom_op("docs_custom::twice", mutates_args=())
        ... def twice(x: torch.Tensor) -> torch.Tensor:
        ...     return 2 * x
        >>> twice(torch.ones(2))
        tensor([2., 2.])
    """

    def make(function):
        namespace, short = _split(name)
        text = schema or infer_schema(function, mutates_args=mutates_args)
        made = CustomOpDef(namespace, short, text, function)
        made.register_kernel(device_types or "default", function)
        return made

    return make if fn is None else make(fn)


_TYPES = {
    torch.Tensor: "Tensor",
    int: "SymInt",
    float: "float",
    bool: "bool",
    str: "str",
    torch.dtype: "ScalarType",
    torch.device: "Device",
}


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
    raise ValueError(
        f"infer_schema: unsupported type {kind}; supported are {', '.join(sorted(_TYPES.values()))}, lists of "
        "them and Optional of them"
    )


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


__getattr__, __dir__ = _lazy.lazy(
    __name__,
    attributes=dict.fromkeys(
        "fallthrough_kernel get_ctx register_autocast register_torch_dispatch triton_op wrap_triton".split(),
        "torch._library_more",
    ),
)
