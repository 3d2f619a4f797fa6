"""Modes and classes of tensors that see, and may answer, every call of an operator below autograd."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from torch import _C
from torch._C import DispatchKey  # noqa: F401
from torch.utils._traceable_subclass import (  # noqa: F401
    TensorWithFlatten,
    is_traceable_wrapper_subclass,
    is_traceable_wrapper_subclass_type,
    transform_subclass,
)


class TorchDispatchMode:
    """A `with` block in which `__torch_dispatch__` gets every operator call of the thread.

    It gets the operator, such as `torch.ops.aten.add.Tensor`, after autograd has recorded the call, and returns its result.
    Calls that it makes itself go to the mode outside of it, or to the classes of the arguments. Returning NotImplemented
    leaves the call to these classes.

    With `_dispatch_key=torch._C.DispatchKey.PreDispatch` it gets calls before all other layers: composite operators such as
    `aten.linear` whole, and before autocast, transforms and autograd have seen them.

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

    _mode_key: Any = None  # of the library's own modes: they come after all others
    _dispatch_key: Any = None

    def __init__(self, _dispatch_key: Any = None) -> None:
        if _dispatch_key is None:
            return
        if _dispatch_key != DispatchKey.PreDispatch:
            raise ValueError(f"TorchDispatchMode: a mode's dispatch key can be PreDispatch only, got {_dispatch_key}")
        self._dispatch_key = _dispatch_key

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise NotImplementedError(f"{type(self).__name__} defines no __torch_dispatch__")

    def __enter__(self) -> TorchDispatchMode:
        if self._dispatch_key is None:
            _C._push_on_torch_dispatch_stack(self)
        else:
            _C._push_pre_dispatch_mode(self)
        return self

    def __exit__(self, exc_type: object, exc_value: object, traceback: object) -> None:
        if self._dispatch_key is None:
            _C._pop_torch_dispatch_stack(self._mode_key)
        else:
            _C._pop_pre_dispatch_mode()

    @classmethod
    def is_infra_mode(cls) -> bool:
        """Whether this is one of the library's own modes, which come after all others."""
        return cls._mode_key is not None

    @classmethod
    def push(cls, *args: Any, **kwargs: Any) -> TorchDispatchMode:
        """The former way to write `with Mode(...)`."""
        return cls(*args, **kwargs)


class BaseTorchDispatchMode(TorchDispatchMode):
    """The mode that changes nothing."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


def _get_current_dispatch_mode_stack() -> list[TorchDispatchMode]:
    """The modes, outermost first."""
    return [_C._get_dispatch_stack_at(k) for k in range(_C._len_torch_dispatch_stack())]


def _get_current_dispatch_mode() -> TorchDispatchMode | None:
    """The innermost mode."""
    count = _C._len_torch_dispatch_stack()
    return _C._get_dispatch_stack_at(count - 1) if count else None


def _modes(include_infra_modes: bool) -> list[TorchDispatchMode]:
    modes = _get_current_dispatch_mode_stack()
    return [mode for mode in modes if include_infra_modes or getattr(mode, "_mode_key", None) is None]


def is_in_torch_dispatch_mode(include_infra_modes: bool = True) -> bool:
    """Whether a mode is on."""
    return bool(_modes(include_infra_modes))


def any_torch_dispatch_mode_on_stack(*, include_infra_modes: bool = True) -> bool:
    """Whether a mode is on."""
    return bool(_modes(include_infra_modes))


def is_in_any_mode_without_ignore_compile_internals() -> bool:
    """Whether a mode of the program itself is on."""
    return bool(_modes(False))


_is_in_torch_dispatch_mode = is_in_torch_dispatch_mode
_is_in_any_mode_without_ignore_compile_internals = is_in_any_mode_without_ignore_compile_internals


def _detect_infra_mode(key: Any) -> TorchDispatchMode | None:
    """The library's own mode of this kind (`torch._C._TorchDispatchModeKey`), if it is on."""
    return _C._get_dispatch_mode(key)


def _unset_infra_mode(key: Any) -> TorchDispatchMode | None:
    """Leave the library's own mode of this kind, and return it."""
    return _C._unset_dispatch_mode(key)


def _push_mode(mode: TorchDispatchMode) -> None:
    """Enter a mode without a `with` block."""
    _C._push_on_torch_dispatch_stack(mode)


def _pop_mode(k: Any = None) -> TorchDispatchMode:
    """Leave the innermost mode, or the library's own one of a kind, and return it."""
    return _C._pop_torch_dispatch_stack(k)


@contextlib.contextmanager
def _disable_current_modes() -> Iterator[list[TorchDispatchMode]]:
    """A block without the modes around it."""
    modes = [_pop_mode() for _ in range(_C._len_torch_dispatch_stack())]
    try:
        yield modes[::-1]
    finally:
        for mode in reversed(modes):
            _push_again(mode)


@contextlib.contextmanager
def _pop_mode_temporarily(k: Any = None) -> Iterator[TorchDispatchMode]:
    """A block without the innermost mode, which it gives."""
    mode = _pop_mode(k)
    try:
        yield mode
    finally:
        _push_again(mode)


@contextlib.contextmanager
def _disable_infra_mode(key: Any) -> Iterator[TorchDispatchMode | None]:
    """A block without the library's own mode of this kind, which it gives."""
    mode = _unset_infra_mode(key)
    try:
        yield mode
    finally:
        if mode is not None:
            _push_mode(mode)


def _push_again(mode: Any) -> None:
    # Functions stand for modes in torch.utils.checkpoint.
    (_C._push_on_torch_dispatch_stack if hasattr(mode, "__torch_dispatch__") else _C._push_dispatch_mode)(mode)


def return_and_correct_aliasing(func: Any, args: Any, kwargs: Any, out: Any) -> Any:
    """What `__torch_dispatch__` of a wrapper class should return for `out`, so that views and changes in place work.

    A result that the schema says shares the memory of an argument gets that argument's storage, and an operator that changes an
    argument in place returns that very argument.

    Args:
        func (torch._ops.OpOverload): the operator
        args (tuple): its arguments, as `__torch_dispatch__` got them
        kwargs (dict): its keyword arguments
        out (Any): what was computed

    Example:
        >>> from torch.utils._python_dispatch import return_and_correct_aliasing
        >>> x = torch.ones(2)
        >>> return_and_correct_aliasing(torch.ops.aten.add_.Tensor, (x, 1), {}, x + 1) is x
        True
    """
    from torch.utils._schema_aliases import aliases_of  # it imports torch.ops

    return aliases_of(func).applied(args, kwargs or {}, out)
