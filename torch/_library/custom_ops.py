"""Operators made of Python functions."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import _C, library
from torch._library.infer_schema import infer_schema
from torch._library.utils import is_functional_schema, lookup_op, mutated_arguments, parse_namespace, tensors_in

OPDEFS: dict[str, Any] = {}


def custom_op(name: str, fn: Callable[..., Any] | None = None, /, *, mutates_args: Any, device_types: Any = None,
              schema: str | None = None, tags: Any = None) -> Any:  # fmt: skip
    """Make a function with annotated arguments an operator.

    Args:
        name (str): "namespace::name"
        fn (function, optional): the function; without it, the call is a decorator
        mutates_args (Iterable[str] or str): names of the tensors that it changes in place, or "unknown"
        device_types (str or Sequence[str], optional): for which kinds of device it works; by default all
        schema (str, optional): in place of the annotations
        tags (Sequence[Tag], optional): of the operator

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

    def make(function: Callable[..., Any]) -> CustomOpDef:
        namespace, short = parse_namespace(name)
        text = schema if schema is not None else infer_schema(function, mutates_args=mutates_args)
        if schema is not None and mutates_args != "unknown":
            _check_mutated(name, schema, mutates_args)
        made = CustomOpDef(namespace, short, text, function, tags)
        made.register_kernel(device_types)(function)
        return made

    return make if fn is None else make(fn)


def _check_mutated(name: str, schema: str, mutates_args: Any) -> None:
    from torch._dispatch_library import Schema

    changed = {argument.name for argument in Schema(f"x::y{schema}").arguments if argument.is_write}
    if changed != set(mutates_args):
        raise ValueError(f"custom_op {name}: the schema changes {sorted(changed)}, but mutates_args is {sorted(mutates_args)}")


class CustomOpDef:
    """An operator made of a Python function; `custom_op` makes them.

    Args:
        namespace (str): of the operator
        name (str): of the operator
        schema (str): such as "(Tensor x) -> Tensor"
        fn (function): what it was made of
        tags (Sequence[Tag], optional): of the operator

    Example:
        >>> op = torch.library.CustomOpDef("docs_def", "twice", "(Tensor x) -> Tensor", lambda x: 2 * x)
        >>> kernel = op.register_kernel("cpu", lambda x: 2 * x)
        >>> op(torch.ones(1))
        tensor([2.])
    """

    def __init__(self, namespace: str, name: str, schema: str, fn: Callable[..., Any], tags: Any = None) -> None:
        self._namespace, self._name, self._schema, self._init_fn = namespace, name, schema, fn
        self._lib = library.Library(namespace, "FRAGMENT")
        self._lib.define(name + schema, tags=tags or ())
        _C._dispatch_refuse_backward(self._qualname, "")
        self._opoverload = lookup_op(self._qualname)
        self._backend_fns: dict[str, Callable[..., Any]] = {}
        self._disabled_kernel: set[str] = set()
        self._abstract_fn: Callable[..., Any] | None = None
        self._backward_fn: Callable[..., Any] | None = None
        OPDEFS[self._qualname] = self
        self._lib.impl(name, self._without_fake, "Meta")
        functools.update_wrapper(self, fn)

    @property
    def _qualname(self) -> str:
        return f"{self._namespace}::{self._name}"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._opoverload(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._qualname})>"

    def _without_fake(self, *args: Any, **kwargs: Any) -> Any:
        if is_functional_schema(self._opoverload._schema) or self._opoverload._schema.returns:
            raise RuntimeError(f"{self!r} has no function for tensors without data; {self._name}.register_fake gives it one")

    def register_kernel(self, device_types: Any, fn: Callable[..., Any] | None = None, /) -> Any:
        """Register a kernel.

        Args:
            device_types (str, Sequence[str] or None): kinds of device; None for all
            fn (function, optional): the kernel; without it, the call is a decorator
        """
        kinds = (
            ("default",) if device_types is None else (device_types,) if isinstance(device_types, str) else tuple(device_types)
        )

        def register(function: Callable[..., Any]) -> Callable[..., Any]:
            for kind in kinds:
                known = kind in self._backend_fns
                self._backend_fns[kind] = function
                if not known:
                    self._lib.impl(self._name, self._kernel(kind), library._KEYS.get(kind, kind.upper()))
            return function

        return register if fn is None else register(fn)

    def _kernel(self, kind: str) -> Callable[..., Any]:
        schema = self._opoverload._schema

        def run(*args: Any, **kwargs: Any) -> Any:
            function = self._init_fn if kind in self._disabled_kernel else self._backend_fns[kind]
            if torch.is_grad_enabled() and any(t.requires_grad for t in tensors_in((args, kwargs))):
                with torch.no_grad():  # the derivative is what was registered, not what happens in here
                    result = function(*args, **kwargs)
            else:
                result = function(*args, **kwargs)
            self._check_aliases(args, kwargs, result)
            if schema.is_mutable:
                torch.autograd.graph.increment_version(list(mutated_arguments(schema, args, kwargs)))
            return result

        return run

    def _check_aliases(self, args: Any, kwargs: Any, result: Any) -> None:
        """Results that share memory with arguments would make gradients and recorded graphs wrong."""
        seen = {t.untyped_storage()._cdata: "an argument" for t in tensors_in((args, kwargs)) if t.layout == torch.strided}
        for tensor in tensors_in(result):
            if tensor.layout != torch.strided:
                continue
            place = tensor.untyped_storage()._cdata
            if place in seen:
                raise RuntimeError(
                    f"{self._qualname}: a result shares memory with {seen[place]}, which custom operators may not do; "
                    "return a clone() of it"
                )
            seen[place] = "another result"

    def register_fake(self, fn: Callable[..., Any], /) -> Any:
        """Register what the operator does with tensors without data.

        Args:
            fn (function): the kernel
        """
        self._abstract_fn = fn
        return library.impl(self._qualname, "Meta", fn, lib=self._lib)

    register_abstract = register_fake

    def register_autograd(self, backward: Callable[..., Any], /, *, setup_context: Callable[..., Any] | None = None) -> None:
        """Give the operator a derivative.

        Args:
            backward (function): gets ctx and the gradients of the outputs, and returns those of the inputs
            setup_context (function, optional): (ctx, inputs, output): keeps what backward needs; an operator with arguments
                that are passed by name only gets `keyword_only_inputs` as well
        """
        library.register_autograd(self._qualname, backward, setup_context=setup_context, lib=self._lib)
        self._backward_fn = backward

    def register_vmap(self, func: Callable[..., Any] | None = None) -> Any:
        """Give the operator a batching rule.

        Args:
            func (function, optional): as for torch.library.register_vmap; without it, the call is a decorator
        """
        from torch._library.rules import register_vmap

        return register_vmap(self._qualname, func, lib=self._lib)

    def register_torch_dispatch(self, torch_dispatch_class: Any, fn: Callable[..., Any] | None = None, /) -> Any:
        """Give the operator a rule for one dispatch mode or class of tensors.

        Args:
            torch_dispatch_class (type): of the mode or tensor
            fn (function, optional): as for torch.library.register_torch_dispatch; without it, the call is a decorator
        """
        from torch._library.rules import register_torch_dispatch

        return register_torch_dispatch(self._qualname, torch_dispatch_class, fn, lib=self._lib)

    def register_autocast(self, device_type: str, cast_inputs: torch.dtype) -> None:
        """Let the operator run in one dtype under autocast.

        Args:
            device_type (str): "cpu" or "cuda"
            cast_inputs (torch.dtype): what its floating point tensors are converted to
        """
        from torch._library.rules import register_autocast

        register_autocast(self._qualname, device_type, cast_inputs, lib=self._lib)

    @contextlib.contextmanager
    def set_kernel_enabled(self, device_type: str, enabled: bool = True) -> Iterator[None]:
        """A block in which the kernel for a kind of device is on or off; the function of `custom_op` stands in for it.

        Args:
            device_type (str): the kind of device
            enabled (bool, default True): on or off
        """
        before = set(self._disabled_kernel)
        if device_type not in self._backend_fns:
            import warnings

            warnings.warn(f"{self!r} has no kernel for {device_type}, so there is nothing to switch")
        (self._disabled_kernel.discard if enabled else self._disabled_kernel.add)(device_type)
        try:
            yield
        finally:
            self._disabled_kernel = before
