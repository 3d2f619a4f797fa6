"""What the functions of register_fake can ask for."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import torch

_contexts: list[Any] = []


class FakeImplCtx:
    """What a fake kernel asks for sizes that depend on data.

    Args:
        _fake_mode (FakeTensorMode, optional): under which it runs
        _op (OpOverload, optional): the operator
        _earlier (list, optional): of a call that is repeated, the sizes that it got
    """

    def __init__(self, _fake_mode: Any = None, _op: Any = None, _earlier: list[int] | None = None) -> None:
        self.sizes: list[int] = []
        self._earlier = None if _earlier is None else iter(_earlier)
        self._fake_mode, self._op = _fake_mode, _op
        self._shape_env = getattr(_fake_mode, "shape_env", None)

    def new_dynamic_size(self, *, min: int = 0, max: int | None = None) -> Any:
        """A size that depends on data, which tensors without data have not.

        Args:
            min (int, default 0): the smallest that it can be
            max (int or None): the largest

        Returns:
            int: a number that stands for a symbol without a value, under a FakeTensorMode with a ShapeEnv

        Raises:
            DynamicOutputShapeException: under a mode without a ShapeEnv
            NotImplementedError: for tensors on the meta device
        """
        if self._fake_mode is not None:
            from torch._subclasses.fake_tensor import DynamicOutputShapeException

            if self._shape_env is None:
                raise DynamicOutputShapeException(self._op)
            tracer = self._fake_mode.size_tracer
            number = next(self._earlier, None) if self._earlier is not None else None
            if number is None:
                number = tracer.unbacked()
                self.sizes.append(number)
            if self._earlier is None:
                size = tracer.symbolic(number)
                torch._check(size >= min)
                if max is not None:
                    torch._check(size <= max)
            return number
        raise NotImplementedError("get_ctx().new_dynamic_size(): the size depends on data, which a fake or a meta tensor has not")

    create_unbacked_symint = new_dynamic_size


AbstractImplCtx = FakeImplCtx


@contextlib.contextmanager
def set_ctx_getter(ctx_getter: Any) -> Iterator[None]:
    """A block in which `get_ctx` gives what a function returns."""
    _contexts.append(ctx_getter)
    try:
        yield
    finally:
        _contexts.pop()


def get_ctx() -> Any:
    """For the function of `register_fake`: asks for sizes that depend on data, which tensors without data cannot have.

    Returns:
        an object whose `new_dynamic_size()` gives such a size as a symbol, and raises an error where there are no symbols

    Example:
        >>> torch.library.get_ctx().new_dynamic_size()
        Traceback (most recent call last):
        NotImplementedError: ...
    """
    return _contexts[-1]() if _contexts else FakeImplCtx()
