"""Operators defined, implemented and overridden from Python."""

from __future__ import annotations

import inspect
import weakref

import torch
from torch import _lazy
from torch._dispatch_library import Registrations as _Registrations

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_definers = weakref.WeakValueDictionary()  # {namespace: the Library of kind DEF}
_libraries = []  # Libraries that the functions below create live as long as the program


class Library:
    """A fragment of an operator namespace; what it registers goes when it does.

    Args:
        ns (str): the namespace
        kind (str): "DEF" for a new namespace, "FRAGMENT" for more of one, "IMPL" for kernels only
        dispatch_key (str, default ""): of the kernels, where they name none

    Raises:
        ValueError: another kind, or a reserved namespace
        RuntimeError: "DEF" of a namespace that another Library defines

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
        if kind == "DEF":
            if ns in _definers or ns == "aten":
                raise RuntimeError(
                    f"Library: the namespace {ns} is defined by another Library already; kind='FRAGMENT' adds operators to it, "
                    "and kind='IMPL' kernels"
                )
            _definers[ns] = self
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
        key = key or "CompositeImplicitAutograd"
        if getattr(fn, "__name__", "") == "fallthrough_kernel" and fn is _fallthrough():
            from torch._library.rules import next_key_kernel
            from torch._library.utils import lookup_op

            fn = next_key_kernel(lambda: lookup_op(f"{self.ns}::{name}"), key)
        self.m.impl(name, key, fn, with_keyset)

    def fallback(self, fn: Callable[..., Any], dispatch_key: str = "", *, with_keyset: bool = False) -> None:
        """Make a function the kernel of every operator that has none for a key.

        Args:
            fn (function): gets the operator and its arguments; it calls the operator again without the key
            dispatch_key (str, default ""): the key; by default that of the library
            with_keyset (bool, default False): True is refused

        Raises:
            RuntimeError: the library is not of the namespace "_"
            TypeError: `fn` cannot be called
        """
        key = dispatch_key or self.dispatch_key
        if self.ns != "_":
            raise RuntimeError(
                f'Fallback can only be registered using library fragment on the global namespace "_" but it is {self.ns}'
            )
        if not callable(fn):
            raise TypeError(f"Library.fallback: fn must be a function, got {type(fn).__name__}")
        if fn is _fallthrough():
            from torch._library.rules import next_key_fallback

            fn = next_key_fallback(key)
        self.m.fallback(key, fn, with_keyset)

    def _destroy(self):
        """Undo all registrations."""
        if _definers.get(self.ns) is self:
            del _definers[self.ns]
        if self.m is not None:
            self.m.reset()
        self.m = None


def _fallthrough():
    """The mark of kernels that leave the call to the next key."""
    from torch._library.rules import fallthrough_kernel

    return fallthrough_kernel


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
    from torch._library.utils import parse_namespace

    return parse_namespace(qualname)


def _library(namespace, lib=None):
    if lib is None:
        lib = Library(namespace, "FRAGMENT")
        _libraries.append(lib)
    return lib


def define(qualname: Any, schema: str, alias_analysis: str = "", *, lib: Library | None = None, tags: Any = ()) -> Any:
    """Define an operator. The former form is `define(library, schema)`, a decorator whose function is the kernel.

    Args:
        qualname (str): "namespace::name"
        schema (str): such as "(Tensor x) -> Tensor"
        alias_analysis (str, default ""): accepted for compatibility
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
    if isinstance(qualname, Library):
        name = qualname.define(schema, alias_analysis, tags=tags)
        return lambda function: (qualname.impl(name, function), function)[1]
    namespace, name = _split(qualname)
    _library(namespace, lib).define(name + schema, alias_analysis, tags=tags)
    return None


_KEYS = {"cpu": "CPU", "cuda": "CUDA", "meta": "Meta", "default": "CompositeExplicitAutograd"}


def impl(qualname: Any, types: Any, func: Any = None, *, lib: Library | None = None) -> Any:
    """Register a kernel of an operator. The former form is `impl(library, name, dispatch_key)`, a decorator.

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
    if isinstance(qualname, Library):
        key = func or ""
        return lambda function: (qualname.impl(types, function, key), function)[1]
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
    """The qualified name, with the overload, of an operator in any form."""
    if isinstance(op, str):
        return op
    if isinstance(op, torch._ops.OpOverload):
        return op._name
    name = getattr(op, "_qualname", None) or getattr(op, "_qualified_op_name", None)
    if name is None:
        raise ValueError(f"torch.library: expected an operator or its name, got {op!r}")
    return name


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
        setup_context (function, optional): (ctx, inputs, output): keeps what backward needs; an operator with arguments that
            are passed by name only gets `keyword_only_inputs` as well
        lib (Library, optional): with which the derivative goes; by default it stays

    Raises:
        RuntimeError: the operator changes its arguments

    Example:
        >>> torch.library.define("docs_autograd::twice", "(Tensor x) -> Tensor")
        >>> kernel = torch.library.impl("docs_autograd::twice", "cpu", lambda x: 2 * x)
        >>> torch.library.register_autograd("docs_autograd::twice", lambda ctx, gradient: 2 * gradient)
        >>> x = torch.ones(1, requires_grad=True)
        >>> torch.autograd.grad(torch.ops.docs_autograd.twice(x), x)
        (tensor([2.]),)
    """
    from torch._library.autograd import make_autograd_kernel
    from torch._library.utils import is_functional_schema, lookup_op

    overload = lookup_op(_name(op))
    if not is_functional_schema(overload._schema):
        raise RuntimeError(
            f"register_autograd: {overload} changes or returns its arguments ({overload._schema}); give the derivative to an "
            "operator that does not, and call that"
        )
    namespace, name = _split(_name(op))
    _library(namespace, lib).impl(name, make_autograd_kernel(overload, backward, setup_context), "Autograd")


_OTHERS = {
    "custom_ops": "CustomOpDef custom_op", "fake_impl": "get_ctx", "infer_schema": "infer_schema",
    "opcheck": "opcheck",
    "rules": "fallthrough_kernel get_kernel register_autocast register_torch_dispatch register_vmap",
    "triton": "triton_op wrap_triton",
}  # fmt: skip

__all__ = [
    *"Library define fallthrough_kernel get_ctx get_kernel impl impl_abstract infer_schema register_autocast".split(),
    *"register_autograd register_fake register_kernel register_torch_dispatch register_vmap custom_op opcheck".split(),
    *"triton_op wrap_triton".split(),
]

__getattr__, __dir__ = _lazy.lazy(
    __name__, attributes={name: f"torch._library.{place}" for place, names in _OTHERS.items() for name in names.split()}
)
