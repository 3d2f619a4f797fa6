"""The `__torch_function__` protocol: how arguments take a call over."""

import functools

import torch
from torch import _C, _lazy
from torch._C import DisableTorchFunctionSubclass, _disabled_torch_function_impl  # noqa: F401

has_torch_function = _C._has_torch_function
has_torch_function_unary = _C._has_torch_function_unary
has_torch_function_variadic = _C._has_torch_function_variadic


def _implementors(arguments):
    """Arguments that override, one of each type, a subclass before the class it comes from."""
    found = []
    for argument in arguments:
        kind = type(argument)
        method = getattr(kind, "__torch_function__", None)
        if (
            method is None
            or method is _disabled_torch_function_impl
            or any(type(seen) is kind for seen in found)
        ):
            continue
        place = next((k for k, seen in enumerate(found) if issubclass(kind, type(seen))), len(found))
        found.insert(place, argument)
    return found


_get_overloaded_args = _implementors


def handle_torch_function(public_api, relevant_args, *args, **kwargs):
    """Ask the active mode, then every overriding argument, to do the call; the first that does so decides."""
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
    raise TypeError(f"no implementation found for '{name}' on types that implement __torch_function__: "
                    f"{list(types)}")


def is_tensor_like(inp):
    """True for a Tensor, and for whatever has `__torch_function__`."""
    return type(inp) is torch.Tensor or hasattr(inp, "__torch_function__")


def wrap_torch_function(dispatcher):
    """Make a function overridable: `dispatcher` gets its arguments and returns those that may override."""

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
    """Inside a `with` of it, `__torch_function__` of this object sees every call of the library."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        raise NotImplementedError

    def __enter__(self):
        _C._push_on_torch_function_stack(self)
        return self

    def __exit__(self, *problem):
        _C._pop_torch_function_stack()


class BaseTorchFunctionMode(TorchFunctionMode):
    """The mode that changes nothing."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


class _popped_mode:
    """Takes the innermost mode off while it handles a call, so that its own calls do not come back to it."""

    def __enter__(self):
        self.mode = _C._pop_torch_function_stack()
        return self.mode

    def __exit__(self, *problem):
        _C._push_on_torch_function_stack(self.mode)


def _get_current_function_mode():
    depth = _C._len_torch_function_stack()
    return _C._get_function_stack_at(depth - 1) if depth else None


@functools.lru_cache(None)
def get_default_nowrap_functions():
    """Functions whose results the default `__torch_function__` leaves alone."""
    return {torch.Tensor._base.__get__, torch.Tensor.grad.__get__, torch.Tensor._grad.__get__}


@functools.lru_cache(None)
def _names():
    """{function: dotted name} of everything overridable, and the same by namespace."""
    import torch.nn.functional

    named, spaces = {}, {}
    places = [("torch.functional", torch.functional), ("torch", torch), ("torch.nn.functional",
                                                                         torch.nn.functional),
              ("torch.nn.init", torch.nn.init), ("torch.Tensor", torch.Tensor)]
    for name in ("linalg", "fft", "special"):
        places.append((f"torch.{name}", getattr(torch, name, None)))
    ignored = get_ignored_functions()
    for where, space in places:
        for name in dir(space) if space is not None else ():
            if name.startswith("__") and where != "torch.Tensor" or name in ("__class__",
                                                                             "__init_subclass__"):
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
            if getattr(value, "__module__", "") in ("typing",
                                                    "torch._globals") or name[0] == "_" and where == "torch":
                continue
            named[value] = f"{where}.{name}"
            spaces.setdefault(space, []).append(value)
    return named, spaces


def get_overridable_functions():
    """{namespace: [functions]} of what `__torch_function__` can take over."""
    return _names()[1]


def resolve_name(f):
    """Dotted name of a function that `__torch_function__` was given, or None."""
    if type(f).__name__ in ("OpOverload", "OpOverloadPacket"):
        return str(f)
    return _names()[0].get(f)


@functools.lru_cache(None)
def get_ignored_functions():
    """Functions that never look at `__torch_function__`: they take no tensor, or make one from none."""
    names = ("typename is_tensor is_storage set_default_dtype get_default_dtype set_printoptions "
             "get_rng_state manual_seed "
             "initial_seed seed set_rng_state save load arange empty zeros ones eye full linspace logspace "
             "rand randn randint "
             "randperm range tensor as_tensor from_numpy frombuffer asarray is_grad_enabled "
             "set_grad_enabled get_num_threads "
             "set_num_threads compile compiled_with_cxx11_abi broadcast_shapes").split()
    return {getattr(torch, name) for name in names if hasattr(torch, name)}


def get_testing_overrides():
    """{function: lambda with its arguments}; the lambdas return -1."""
    return {function: lambda *args, **kwargs: -1 for function in _names()[0]}


def is_tensor_method_or_property(func):
    return _names()[0].get(func, "").startswith("torch.Tensor.") or getattr(func, "__name__", "") == "__get__"


def redispatch_torch_function(func, types, args, kwargs):
    return func(*args, **(kwargs or {}))

_lazy.names_what_is_absent(__name__)
