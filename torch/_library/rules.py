"""Rules of single operators for the layers over a call: autocast, vmap, and modes and classes of tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import torch
from torch import _C, library
from torch._library.utils import lookup_op, parse_namespace


def fallthrough_kernel(*args: Any, **kwargs: Any) -> NoReturn:
    """Stands for "no kernel: go on with the next key" in `Library.impl`; it is never called.

    Args:
        *args (Any): any
        **kwargs (Any): any

    Raises:
        NotImplementedError: always

    Example:
        >>> torch.library.fallthrough_kernel()
        Traceback (most recent call last):
        NotImplementedError: ...
    """
    raise NotImplementedError("torch.library.fallthrough_kernel: it is a mark for Library.impl, and is never called")


def next_key_kernel(op: Callable[[], Any], key: str) -> Callable[..., Any]:
    """A kernel that calls the operator again without a key, which is what the mark above stands for."""
    keys = _C.DispatchKeySet(_C._dispatch_key_parse(key))

    def kernel(*args: Any, **kwargs: Any) -> Any:
        with _C._ExcludeDispatchKeyGuard(keys):
            return op()(*args, **kwargs)

    return kernel


def next_key_fallback(key: str) -> Callable[..., Any]:
    """The same for a fallback, which gets the operator."""
    return lambda op, *args, **kwargs: next_key_kernel(lambda: op, key)(*args, **kwargs)


def register_autocast(op: Any, device_type: str, cast_inputs: torch.dtype, /, *, lib: Any = None) -> None:
    """Let an operator run in one dtype under autocast.

    Args:
        op (str, OpOverload or CustomOpDef): the operator
        device_type (str): "cpu" or "cuda"
        cast_inputs (torch.dtype): what its floating point tensors are converted to
        lib (Library, optional): with which the rule goes

    Raises:
        ValueError: another type of device

    Example:
        >>> @torch.library.custom_op("docs_autocast::same", mutates_args=())
        ... def same(x: torch.Tensor) -> torch.Tensor:
        ...     return x.clone()
        >>> torch.library.register_autocast(same, "cpu", torch.bfloat16)
        >>> same(torch.ones(1)).dtype
        torch.float32
    """
    if device_type not in ("cpu", "cuda"):
        raise ValueError(f"register_autocast: expected device_type to be 'cpu' or 'cuda', got {device_type!r}")
    namespace, name = parse_namespace(library._name(op))
    overload = lookup_op(library._name(op))

    def cast(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            matches = value.is_floating_point() and value.device.type == device_type and value.dtype != torch.float64
            return value.to(cast_inputs) if matches else value
        if isinstance(value, (list, tuple)):
            return type(value)(map(cast, value))
        return value

    def kernel(*args: Any, **kwargs: Any) -> Any:
        with torch.autocast(device_type, enabled=False):
            return overload(*map(cast, args), **{key: cast(value) for key, value in kwargs.items()})

    library._library(namespace, lib).impl(name, kernel, {"cpu": "AutocastCPU", "cuda": "AutocastCUDA"}[device_type])


def register_vmap(op: Any, func: Callable[..., Any] | None = None, /, *, lib: Any = None) -> Any:
    """Give an operator a batching rule.

    Args:
        op (str, OpOverload or CustomOpDef): the operator
        func (function, optional): `(info, in_dims, *args, **kwargs) -> (result, out_dims)`: `info` has `batch_size` and
            `randomness`, `in_dims` the batch dimension of each argument or None; without it, the call is a decorator
        lib (Library, optional): with which the rule goes

    Returns:
        the function, or a decorator

    Example:
        >>> @torch.library.custom_op("docs_vmap::twice", mutates_args=())
        ... def twice(x: torch.Tensor) -> torch.Tensor:
        ...     return 2 * x
        >>> @torch.library.register_vmap(twice)
        ... def rule(info, in_dims, x):
        ...     return 2 * x, in_dims[0]
        >>> torch.vmap(twice)(torch.ones(2, 1))
        tensor([[2.],
                [2.]])
    """

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        name = library._name(op)
        namespace, short = parse_namespace(name)
        library._library(namespace, lib).impl(short, _batching_kernel(lookup_op(name), function), "FuncTorchBatched")
        return function

    return register if func is None else register(func)


def _batching_kernel(overload: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel of an operator for batched tensors."""
    from torch._C import _functorch
    from torch._functorch.autograd_function import VmapInfo, highest_level
    from torch.utils._pytree import _broadcast_to_and_flatten, tree_flatten, tree_unflatten

    def kernel(*args: Any, **kwargs: Any) -> Any:
        level = highest_level((args, kwargs))
        flat, spec = tree_flatten((args, kwargs))
        batched = [isinstance(x, torch.Tensor) and _functorch._level_of(x) == level for x in flat]
        values = [_functorch._value_of(x) if inside else x for x, inside in zip(flat, batched)]
        dims, _ = tree_unflatten([0 if inside else None for inside in batched], spec)
        size = next(x.shape[0] for x, inside in zip(values, batched) if inside)
        plain_args, plain_kwargs = tree_unflatten(values, spec)
        result = function(VmapInfo(size, _functorch._randomness(level)), dims, *plain_args, **plain_kwargs)
        if not isinstance(result, tuple) or len(result) != 2:
            raise RuntimeError(f"register_vmap: the rule of {overload} must return the result and its batch dimensions")
        leaves, out_spec = tree_flatten(result[0])
        places = _broadcast_to_and_flatten(result[1], out_spec)
        if places is None:
            raise RuntimeError(f"register_vmap: the rule of {overload} returned batch dimensions {result[1]!r} for {out_spec}")
        wrapped = [
            x if d is None or not isinstance(x, torch.Tensor) else _functorch._add_batch_dim(x, d, level)
            for x, d in zip(leaves, places)
        ]
        return tree_unflatten(wrapped, out_spec)

    return kernel


_dispatch_rules: dict[str, dict[type, Callable[..., Any]]] = {}


def register_torch_dispatch(op: Any, torch_dispatch_class: Any, func: Callable[..., Any] | None = None, /, *,
                            lib: Any = None) -> Any:  # fmt: skip
    """Give an operator a rule for one dispatch mode, or one class of tensors with `__torch_dispatch__`.

    Args:
        op (str, OpOverload or CustomOpDef): the operator
        torch_dispatch_class (type): of the mode or tensor
        func (function, optional): for a mode `(mode, func, types, args, kwargs)`, for a class `(cls, func, types, args, kwargs)`;
            without it, the call is a decorator
        lib (Library, optional): with which the rule goes

    Returns:
        the function, or a decorator

    Raises:
        ValueError: neither a mode nor a class of tensors with `__torch_dispatch__`

    Example:
        >>> from torch.utils._python_dispatch import BaseTorchDispatchMode
        >>> torch.library.define("docs_rule::twice", "(Tensor x) -> Tensor")
        >>> kernel = torch.library.impl("docs_rule::twice", "cpu", lambda x: 2 * x)
        >>> @torch.library.register_torch_dispatch("docs_rule::twice", BaseTorchDispatchMode)
        ... def rule(mode, func, types, args, kwargs):
        ...     return torch.zeros(1)
        >>> with BaseTorchDispatchMode():
        ...     torch.ops.docs_rule.twice(torch.ones(1))
        tensor([0.])
    """
    if not isinstance(torch_dispatch_class, type) or not hasattr(torch_dispatch_class, "__torch_dispatch__"):
        raise ValueError(f"register_torch_dispatch: expected a class with __torch_dispatch__, got {torch_dispatch_class!r}")

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        name = library._name(op)
        namespace, short = parse_namespace(name)
        rules = _dispatch_rules.get(name)
        if rules is None:
            rules = _dispatch_rules[name] = {}
            library._library(namespace, lib).impl(short, _dispatching_kernel(name, rules), "Python")
        rules[torch_dispatch_class] = function
        return function

    return register if func is None else register(func)


def _dispatching_kernel(name: str, rules: dict[type, Callable[..., Any]]) -> Callable[..., Any]:
    """The kernel of an operator at the Python key: a rule where there is one, else `__torch_dispatch__` as ever."""
    from torch._library.utils import tensors_in
    from torch.utils._python_dispatch import _get_current_dispatch_mode, _pop_mode_temporarily

    def kernel(*args: Any, **kwargs: Any) -> Any:
        op = lookup_op(name)
        types: list[type] = []
        for tensor in tensors_in((args, kwargs)):
            if type(tensor) is not torch.Tensor and type(tensor) not in types:
                types.append(type(tensor))
        mode = _get_current_dispatch_mode()
        if mode is not None:
            rule = rules.get(type(mode))
            with _pop_mode_temporarily():
                if rule is not None:
                    return rule(mode, op, tuple(types), args, kwargs)
                return mode.__torch_dispatch__(op, tuple(types), args, kwargs)
        for kind in types:
            if kind in rules:
                return rules[kind](kind, op, tuple(types), args, kwargs)
        for kind in types:
            result = kind.__torch_dispatch__(op, tuple(types), args, kwargs)  # type: ignore[attr-defined]
            if result is not NotImplemented:
                return result
        raise TypeError(f"{op}: no __torch_dispatch__ of {', '.join(kind.__name__ for kind in types)} takes the call")

    return kernel


class _Kernel:
    """The kernel of an operator for one dispatch key."""

    def __init__(self, op: Any, key: str) -> None:
        self._op, self._key = op, key

    def call_boxed(self, dispatch_keys: Any, *args: Any, **kwargs: Any) -> Any:
        """Call it.

        Args:
            dispatch_keys (DispatchKeySet): of the call
            *args (Any): positional arguments
            **kwargs (Any): keyword arguments

        Returns:
            the result
        """
        with _C._AutoDispatchBelowAutograd():
            return self._op(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<kernel of {self._op} for {self._key}>"


def get_kernel(op: Any, dispatch_key: Any) -> _Kernel:
    """The kernel that an operator has for a device.

    Args:
        op (str, OpOverload or CustomOpDef): the operator
        dispatch_key (str or DispatchKey): "CPU", "CUDA" or "Meta"

    Returns:
        an object whose `call_boxed(keys, *args)` calls it, below autograd

    Raises:
        RuntimeError: there is no such operator, or no such kernel
        NotImplementedError: a key that is none of a device

    Example:
        >>> torch.library.get_kernel("aten::neg", "CPU").call_boxed(None, torch.ones(1))
        tensor([-1.])
    """
    name, key = library._name(op), dispatch_key if isinstance(dispatch_key, str) else dispatch_key.name
    _C._dispatch_key_parse(key)
    try:
        overload = lookup_op(name)
    except AttributeError:
        raise RuntimeError(f"get_kernel: there is no operator {name}") from None
    if not _C._dispatch_has_computed_kernel_for_dispatch_key(overload._name, key):
        raise RuntimeError(f"get_kernel: {name} has no kernel for {key}")
    if key not in ("CPU", "CUDA", "Meta"):
        raise NotImplementedError(f"get_kernel: kernels for the key {key} cannot be called by themselves")
    return _Kernel(overload, key)
