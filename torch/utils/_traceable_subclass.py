"""Wrapper classes of tensors that say which tensors they hold: `__tensor_flatten__` and `__tensor_unflatten__`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import torch


class TensorWithFlatten(Protocol):
    """What such a class has: see `is_traceable_wrapper_subclass`.

    Example:
        >>> from torch.utils._python_dispatch import TensorWithFlatten
        >>> hasattr(TensorWithFlatten, "__tensor_flatten__")
        True
    """

    def __tensor_flatten__(self) -> tuple[list[str], object]: ...

    @staticmethod
    def __tensor_unflatten__(inner_tensors: Any, flatten_spec: Any, outer_size: Any, outer_stride: Any) -> Any: ...


def is_traceable_wrapper_subclass_type(t: type) -> bool:
    """Whether a class of tensors can be taken apart by `__tensor_flatten__`."""
    return (
        issubclass(t, torch.Tensor) and t is not torch.Tensor
        and hasattr(t, "__tensor_flatten__") and hasattr(t, "__tensor_unflatten__")
    )  # fmt: skip


def is_traceable_wrapper_subclass(t: object) -> bool:
    """Whether a value is a tensor of such a class.

    Its `__tensor_flatten__()` returns the names of the attributes that hold tensors, and a context; its static method
    `__tensor_unflatten__(tensors, context, outer_size, outer_stride)` builds a tensor of the class from them.
    """
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
    if tuple(made.stride()) != tuple(stride):
        raise AssertionError(f"transform_subclass: expected the strides {tuple(stride)}, got {tuple(made.stride())}")
    return made
