"""Modes that see, and may answer, every call of an operator below autograd."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import _C
from torch._C import DispatchKey  # noqa: F401

_stack: list[TorchDispatchMode] = []


class TorchDispatchMode:
    """A `with` block in which `__torch_dispatch__` gets every operator call of the thread.

    It gets the operator, such as `torch.ops.aten.add.Tensor`, after autograd has recorded the call, and returns its result. Calls
    that it makes itself go to the mode outside of it.

    Example:
        >>> from torch.utils._python_dispatch import TorchDispatchMode
        >>> class Names(TorchDispatchMode):
        ...     def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        ...         print(func)
        ...         return func(*args, **(kwargs or {}))
        >>> x = torch.ones(2)
        >>> with Names():
        ...     y = x + 1
        aten.add.Tensor
    """

    def __init__(self, _dispatch_key: Any = None) -> None:
        if _dispatch_key is not None:
            raise NotImplementedError("TorchDispatchMode: modes for one dispatch key are not supported")

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise NotImplementedError(f"{type(self).__name__} defines no __torch_dispatch__")

    def _call(self, name: str, overload: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        namespace, _, base = name.partition("::")
        operator = getattr(getattr(getattr(torch.ops, namespace), base), overload or "default")
        kinds = tuple({type(leaf) for leaf in _tensors((args, kwargs)) if type(leaf) is not torch.Tensor})
        index = next((k for k in range(len(_stack) - 1, -1, -1) if _stack[k] is self), None)
        mode = _stack.pop(index) if index is not None else None
        try:
            return self.__torch_dispatch__(operator, kinds, args, kwargs)
        finally:
            if mode is not None:
                _stack.insert(index, mode)

    def __enter__(self) -> TorchDispatchMode:
        _C._push_dispatch_mode(self._call)
        _stack.append(self)
        return self

    def __exit__(self, exc_type: object, exc_value: object, traceback: object) -> None:
        _C._pop_dispatch_mode()
        if _stack and _stack[-1] is self:
            _stack.pop()

    @classmethod
    def push(cls, *args: Any, **kwargs: Any) -> TorchDispatchMode:
        """The former way to write `with Mode(...)`."""
        return cls(*args, **kwargs)


class BaseTorchDispatchMode(TorchDispatchMode):
    """The mode that changes nothing."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (tuple, list)):
        for each in value:
            yield from _tensors(each)
    elif isinstance(value, dict):
        yield from _tensors(list(value.values()))


def _get_current_dispatch_mode() -> TorchDispatchMode | None:
    """The innermost mode."""
    return _stack[-1] if _stack else None


def _get_current_dispatch_mode_stack() -> list[TorchDispatchMode]:
    """The modes, outermost first."""
    return list(_stack)


def is_in_torch_dispatch_mode(include_infra_modes: bool = True) -> bool:
    """Whether a mode is on."""
    return bool(_stack)


def any_torch_dispatch_mode_on_stack(*, include_infra_modes: bool = True) -> bool:
    """Whether a mode is on."""
    return bool(_stack)


_is_in_torch_dispatch_mode = is_in_torch_dispatch_mode


@contextlib.contextmanager
def _disable_current_modes() -> Iterator[list[TorchDispatchMode]]:
    """A block without the modes around it."""
    modes = _stack[:]
    for _ in modes:
        _C._pop_dispatch_mode()
    _stack.clear()
    try:
        yield modes
    finally:
        for mode in modes:
            _C._push_dispatch_mode(mode._call)
            _stack.append(mode)


@contextlib.contextmanager
def _pop_mode_temporarily(k: Any = None) -> Iterator[TorchDispatchMode]:
    """A block without the innermost mode, which it gives."""
    mode = _stack.pop()
    _C._pop_dispatch_mode()
    try:
        yield mode
    finally:
        _C._push_dispatch_mode(mode._call)
        _stack.append(mode)


def is_traceable_wrapper_subclass_type(t: type) -> bool:
    """Whether a class of tensors can be taken apart by `__tensor_flatten__`."""
    return issubclass(t, torch.Tensor) and hasattr(t, "__tensor_flatten__") and hasattr(t, "__tensor_unflatten__")


def is_traceable_wrapper_subclass(t: object) -> bool:
    """Whether a value is a tensor of such a class."""
    return is_traceable_wrapper_subclass_type(type(t))


def transform_subclass(t: Any, callback: Callable[[str, Any], Any], outer_size: Any = None, outer_stride: Any = None) -> Any:
    """A tensor of a wrapper class rebuilt from what `callback(name, inner)` makes of its inner tensors."""
    names, context = t.__tensor_flatten__()
    inner = {name: callback(name, getattr(t, name)) for name in names}
    size = t.size() if outer_size is None else outer_size
    stride = t.stride() if outer_stride is None else outer_stride
    made = type(t).__tensor_unflatten__(inner, context, size, stride)
    if tuple(made.shape) != tuple(size):
        raise AssertionError(f"transform_subclass: expected the shape {tuple(size)}, got {tuple(made.shape)}")
    return made
