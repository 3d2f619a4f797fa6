"""The `__torch_function__` protocol: how arguments override a call."""

from __future__ import annotations

import contextlib
import functools
import sys
import types as types_of_python

import torch
from torch import _C, _lazy
from torch._C import DisableTorchFunctionSubclass, _disabled_torch_function_impl  # noqa: F401

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

has_torch_function = _C._has_torch_function
has_torch_function_unary = _C._has_torch_function_unary
has_torch_function_variadic = _C._has_torch_function_variadic


def _implementors(arguments: Iterable[Any]) -> list[Any]:
    """Arguments that override, one of each type, a subclass before the class it comes from."""
    found = []
    for argument in arguments:
        kind = type(argument)
        method = getattr(kind, "__torch_function__", None)
        if method is None or method is _disabled_torch_function_impl or any(type(seen) is kind for seen in found):
            continue
        place = next((k for k, seen in enumerate(found) if issubclass(kind, type(seen))), len(found))
        found.insert(place, argument)
    return found


_get_overloaded_args = _implementors


def handle_torch_function(public_api: Callable[..., Any], relevant_args: Iterable[Any], *args: Any, **kwargs: Any) -> Any:
    """Ask the active mode, then every overriding argument, to do a call; the first that does so decides.

    Args:
        public_api (function): what is called
        relevant_args (Iterable): the arguments that may override
        *args (Any): of the call
        **kwargs (Any): of the call

    Returns:
        the result of the call

    Raises:
        TypeError: nobody does the call

    Example:
        >>> class Loud(torch.Tensor):
        ...     @classmethod
        ...     def __torch_function__(cls, func, types, args=(), kwargs=None):
        ...         return "taken over"
        >>> x = torch.ones(1).as_subclass(Loud)
        >>> torch.overrides.handle_torch_function(torch.sin, (x,), x)
        'taken over'
    """
    holders = _implementors(relevant_args)
    types = tuple(map(type, holders))
    if _C._is_torch_function_mode_enabled():
        with _popped_mode() as mode:
            result = mode.__torch_function__(public_api, types, args, kwargs)
        if result is not NotImplemented:
            return result
    for holder in holders:
        result = type(holder).__torch_function__(public_api, types, args, kwargs)
        if result is not NotImplemented:
            return result
    name = f"{public_api.__module__}.{public_api.__name__}"
    raise TypeError(f"no implementation found for '{name}' on types that implement __torch_function__: {list(types)}")


def is_tensor_like(inp: Any) -> bool:
    """True for a Tensor, and for whatever has `__torch_function__`.

    Args:
        inp (Any): anything

    Returns:
        whether it is one

    Example:
        >>> torch.overrides.is_tensor_like(torch.ones(1)), torch.overrides.is_tensor_like(1)
        (True, False)
    """
    return type(inp) is torch.Tensor or hasattr(inp, "__torch_function__")


def wrap_torch_function(dispatcher: Callable[..., Iterable[Any]]) -> Callable[..., Any]:
    """Make a function overridable.

    Args:
        dispatcher (function): gets the function's arguments, and returns those that may override

    Returns:
        a decorator

    Example:
        >>> @torch.overrides.wrap_torch_function(lambda x: (x,))
        ... def double(x):
        ...     return x * 2
        >>> double(torch.ones(2))
        tensor([2., 2.])
    """

    def decorate(function):
        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            relevant = dispatcher(*args, **kwargs)
            if has_torch_function(relevant):
                return handle_torch_function(wrapped, relevant, *args, **kwargs)
            return function(*args, **kwargs)

        return wrapped

    return decorate


class TorchFunctionMode:
    """Sees every call of the library inside a `with` of it, by its `__torch_function__`.

    Example:
        >>> class Names(torch.overrides.TorchFunctionMode):
        ...     def __torch_function__(self, func, types, args=(), kwargs=None):
        ...         print(func.__name__)
        ...         return func(*args, **(kwargs or {}))
        >>> with Names():
        ...     x = torch.ones(2)
        ones
    """

    def __torch_function__(self, func, types, args=(), kwargs=None):
        raise NotImplementedError

    def __enter__(self):
        _C._push_on_torch_function_stack(self)
        return self

    def __exit__(self, *problem):
        _C._pop_torch_function_stack()


class BaseTorchFunctionMode(TorchFunctionMode):
    """The mode that changes nothing.

    Example:
        >>> with torch.overrides.BaseTorchFunctionMode():
        ...     torch.ones(2)
        tensor([1., 1.])
    """

    def __torch_function__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


class _popped_mode:
    """Removes the innermost mode while it handles a call, so that its own calls do not re-enter it."""

    def __enter__(self):
        self.mode = _C._pop_torch_function_stack()
        return self.mode

    def __exit__(self, *problem):
        _C._push_on_torch_function_stack(self.mode)


def _get_current_function_mode():
    depth = _C._len_torch_function_stack()
    return _C._get_function_stack_at(depth - 1) if depth else None


@functools.lru_cache(None)
def get_default_nowrap_functions() -> set[Any]:
    """Functions whose results the default `__torch_function__` leaves alone.

    Returns:
        the functions

    Example:
        >>> torch.Tensor.grad.__get__ in torch.overrides.get_default_nowrap_functions()
        True
    """
    return {torch.Tensor._base.__get__, torch.Tensor.grad.__get__, torch.Tensor._grad.__get__}


@functools.lru_cache(None)
def _names():
    """{function: dotted name} of everything overridable, and the same by namespace."""
    import torch.nn.functional

    named, spaces = {}, {}
    places = [
        ("torch.functional", torch.functional),
        ("torch", torch),
        ("torch.nn.functional", torch.nn.functional),
        ("torch.nn.init", torch.nn.init),
        ("torch.Tensor", torch.Tensor),
    ]
    for name in ("linalg", "fft", "special"):
        places.append((f"torch.{name}", getattr(torch, name, None)))
    ignored = get_ignored_functions()
    for where, space in places:
        for name in dir(space) if space is not None else ():
            if name.startswith("__") and where != "torch.Tensor" or name in ("__class__", "__init_subclass__"):
                continue
            value = getattr(space, name, None)
            if getattr(object, name, None) is value or isinstance(value, type) or value is None:
                continue
            if not callable(value):
                value, name = getattr(value, "__get__", None), name + ".__get__"
                if where != "torch.Tensor" or value is None:
                    continue
            try:
                if value in ignored or value in named:
                    continue
            except TypeError:
                continue
            if getattr(value, "__module__", "") in ("typing", "torch._globals") or name[0] == "_" and where == "torch":
                continue
            named[value] = f"{where}.{name}"
            spaces.setdefault(space, []).append(value)
    return named, spaces


def get_overridable_functions() -> dict[Any, list[Any]]:
    """What `__torch_function__` can take over.

    Returns:
        {namespace: [functions]}

    Example:
        >>> torch.add in torch.overrides.get_overridable_functions()[torch]
        True
    """
    return _names()[1]


def resolve_name(f: Any) -> str | None:
    """Dotted name of a function that `__torch_function__` was given.

    Args:
        f (function): the function

    Returns:
        the name, or None

    Example:
        >>> torch.overrides.resolve_name(torch.Tensor.add)
        'torch.Tensor.add'
    """
    if type(f).__name__ in ("OpOverload", "OpOverloadPacket"):
        return str(f)
    return _names()[0].get(f) or _public_name(f)


def _public_name(f: Any) -> str | None:
    """Of a function that takes no tensor, such as torch.ones."""
    name = getattr(f, "__name__", None)
    for namespace in ("torch", "torch.nn.functional", "torch.nn.init", "torch.linalg", "torch.fft", "torch.special"):
        module = sys.modules.get(namespace)
        if isinstance(name, str) and module is not None and getattr(module, name, None) is f:
            return f"{namespace}.{name}"
    return None


@functools.lru_cache(None)
def get_ignored_functions() -> set[Any]:
    """Functions that never look at `__torch_function__`: they take no tensor, or make one from none.

    Returns:
        the functions

    Example:
        >>> torch.zeros in torch.overrides.get_ignored_functions()
        True
    """
    names = (
        "typename is_tensor is_storage set_default_dtype get_default_dtype set_printoptions get_rng_state "
        "manual_seed initial_seed seed set_rng_state save load arange empty zeros ones eye full linspace logspace "
        "rand randn randint randperm range tensor as_tensor from_numpy frombuffer asarray is_grad_enabled "
        "set_grad_enabled get_num_threads set_num_threads compile compiled_with_cxx11_abi broadcast_shapes"
    ).split()
    return {getattr(torch, name) for name in names if hasattr(torch, name)}


def get_testing_overrides() -> dict[Any, Callable[..., Any]]:
    """A function for each that can be overridden, for tests.

    Returns:
        {function: another one, which returns -1}

    Example:
        >>> torch.overrides.get_testing_overrides()[torch.add](1, 2)
        -1
    """
    return {function: lambda *args, **kwargs: -1 for function in _names()[0]}


def is_tensor_method_or_property(func: Any) -> bool:
    """Whether a function that `__torch_function__` was given belongs to Tensor.

    Args:
        func (function): the function

    Returns:
        whether it does

    Example:
        >>> torch.overrides.is_tensor_method_or_property(torch.Tensor.add)
        True
    """
    return _names()[0].get(func, "").startswith("torch.Tensor.") or getattr(func, "__name__", "") == "__get__"


def redispatch_torch_function(func: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:
    """Call a function with what `__torch_function__` was given.

    Args:
        func (function): the function
        types (Iterable[type]): the overriding types
        args (tuple): of the call
        kwargs (dict or None): of the call

    Returns:
        the result of the call

    Example:
        >>> torch.overrides.redispatch_torch_function(torch.neg, (), (torch.ones(1),), None)
        tensor([-1.])
    """
    return func(*args, **(kwargs or {}))


def redispatch_function(func: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:
    """Call a function from `__torch_function__` without asking this call's arguments again.

    Functions written in Python, such as those of `torch.nn.functional`, ask for the operators that they call in turn: so a
    subclass sees what a function consists of.

    Args:
        func (function): the function
        types (Iterable[type]): the overriding types
        args (tuple): of the call
        kwargs (dict or None): of the call

    Returns:
        the result of the call

    Example:
        >>> class Loud(torch.Tensor):
        ...     @classmethod
        ...     def __torch_function__(cls, func, types, args=(), kwargs=None):
        ...         print(func.__name__)
        ...         return torch.overrides.redispatch_function(func, types, args, kwargs)
        >>> x = torch.zeros(2).as_subclass(Loud)
        >>> torch.exp(x)
        exp
        tensor([1., 1.])
    """
    kwargs = kwargs or {}
    if not isinstance(func, types_of_python.FunctionType):
        with DisableTorchFunctionSubclass():
            return func(*args, **kwargs)
    before = _C._skip_next_torch_function_check(True)
    try:
        return func(*args, **kwargs)
    finally:
        _C._skip_next_torch_function_check(before)


@contextlib.contextmanager
def enable_reentrant_dispatch() -> Iterator[None]:
    """Inside `__torch_dispatch__`, a `with` block in which calls go through autograd, and the other layers above, again.

    Raises:
        RuntimeError: outside `__torch_dispatch__`

    Example:
        >>> from torch.utils._python_dispatch import TorchDispatchMode
        >>> class Doubled(TorchDispatchMode):
        ...     def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        ...         with torch.overrides.enable_reentrant_dispatch(), torch.enable_grad():
        ...             x = args[0].detach().requires_grad_()
        ...             return torch.autograd.grad((x * x).sum(), x)[0]
        >>> x = torch.tensor([3.0])
        >>> with Doubled():
        ...     y = x.neg()
        >>> y
        tensor([6.])
    """
    if not _C._dispatch_tls_is_dispatch_key_excluded(_C.DispatchKey.AutogradCPU):
        raise RuntimeError("enable_reentrant_dispatch: it may be entered only inside __torch_dispatch__")
    with _C._ForceDispatchKeyGuard(_C._dispatch_tls_local_include_set(), _C.DispatchKeySet()):
        yield


__all__ = [
    *"enable_reentrant_dispatch get_ignored_functions get_overridable_functions get_testing_overrides".split(),
    *"handle_torch_function has_torch_function is_tensor_like is_tensor_method_or_property".split(),
    *"redispatch_function resolve_name wrap_torch_function".split(),
]

_lazy.names_what_is_absent(__name__)
