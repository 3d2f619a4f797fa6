"""Context managers, also usable as decorators, that switch gradient recording."""

from __future__ import annotations

from torch._C import _InferenceMode, _set_grad_enabled, is_grad_enabled

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from typing_extensions import Self

    _F = TypeVar("_F", bound=Callable[..., Any])


class _ContextDecorator:
    """Base class: usable in `with`, or as a decorator that enters the mode for each call."""

    __slots__ = ("prev", "__weakref__")

    def clone(self) -> Self:
        """A copy with the same mode, for one call of a decorated function."""
        return type(self)()

    def __call__(self, func: _F) -> _F:
        from torch.utils._contextlib import context_decorator

        return context_decorator(self.clone, func)


class no_grad(_ContextDecorator):
    """Records nothing inside: results do not require gradients.

    A decorator too, with or without parentheses.

    Args:
        orig_func (function, optional): what `@torch.no_grad` without parentheses decorates

    Example:
        >>> x = torch.ones(2, requires_grad=True)
        >>> with torch.no_grad():
        ...     y = x * 2
        >>> y.requires_grad
        False
    """

    __slots__ = ()

    def __new__(cls, orig_func: Any = None) -> Self:
        return object.__new__(cls) if orig_func is None else object.__new__(cls)(orig_func)

    def __enter__(self) -> None:
        self.prev = is_grad_enabled()
        _set_grad_enabled(False)

    def __exit__(self, exc_type: object, exc_value: object, traceback: object) -> None:
        _set_grad_enabled(self.prev)


class enable_grad(no_grad):
    """Records again inside a `no_grad` region.

    Example:
        >>> x = torch.ones(2, requires_grad=True)
        >>> with torch.no_grad():
        ...     with torch.enable_grad():
        ...         y = x * 2
        >>> y.requires_grad
        True
    """

    __slots__ = ()

    def __enter__(self) -> None:
        self.prev = is_grad_enabled()
        _set_grad_enabled(True)


class set_grad_enabled(_ContextDecorator):
    """Switches recording at once; as a context manager, back again at its end.

    Args:
        mode (bool): whether to record

    Example:
        >>> x = torch.ones(2, requires_grad=True)
        >>> with torch.set_grad_enabled(False):
        ...     y = x * 2
        >>> y.requires_grad
        False
    """

    __slots__ = ("mode",)

    def __init__(self, mode: bool) -> None:
        self.prev, self.mode = is_grad_enabled(), mode
        _set_grad_enabled(mode)

    def __call__(self, func: _F) -> _F:
        _set_grad_enabled(self.prev)  # a decorator changes only what runs inside the function
        return _ContextDecorator.__call__(self, func)

    def clone(self) -> Self:
        twin = object.__new__(set_grad_enabled)
        twin.prev, twin.mode = self.prev, self.mode
        return twin

    def __enter__(self) -> None:
        _set_grad_enabled(self.mode)

    def __exit__(self, exc_type: object, exc_value: object, traceback: object) -> None:
        _set_grad_enabled(self.prev)

    def __str__(self) -> str:
        return f"torch.set_grad_enabled(mode={self.mode})"

    __repr__ = __str__


class inference_mode(_ContextDecorator):
    """Records nothing and keeps no version counters: quicker than `no_grad`.

    Tensors made inside can never take part in autograd. A decorator too.

    Args:
        mode (bool, default True): False: a region in which things are as usual

    Example:
        >>> with torch.inference_mode():
        ...     y = torch.ones(2) * 2
        >>> y.is_inference()
        True
    """

    __slots__ = ("mode", "_guard")

    def __new__(cls, mode: Any = True) -> Self:
        self = object.__new__(cls)
        if isinstance(mode, bool):
            return self
        self.mode = True
        return self(mode)  # used as a bare decorator

    def __init__(self, mode: bool = True) -> None:
        self.mode = mode

    def clone(self) -> Self:
        return type(self)(self.mode)

    def __enter__(self) -> None:
        self._guard = _InferenceMode(self.mode)
        self._guard.__enter__()

    def __exit__(self, exc_type: object, exc_value: object, traceback: object) -> None:
        self._guard.__exit__(exc_type, exc_value, traceback)


class set_multithreading_enabled(_ContextDecorator):
    """Accepted for compatibility: a CPU graph's backward always runs on the calling thread.

    Args:
        mode (bool): kept

    Example:
        >>> with torch.autograd.set_multithreading_enabled(False):
        ...     pass
    """

    __slots__ = ("mode",)

    def __init__(self, mode: bool) -> None:
        self.mode = mode

    def clone(self) -> Self:
        return type(self)(self.mode)

    def __enter__(self) -> None:
        pass

    def __exit__(self, exc_type: object, exc_value: object, traceback: object) -> None:
        pass
