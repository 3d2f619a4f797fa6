"""Modules made without the time that their initialization takes."""

from __future__ import annotations

import inspect

import torch

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    _M = TypeVar("_M", bound=torch.nn.Module)

__all__ = ["skip_init"]


def skip_init(module_cls: Callable[..., _M], *args: Any, **kwargs: Any) -> _M:
    """A module whose parameters are left as they lie in memory, for values that are loaded anyway.

    Args:
        module_cls (Callable[..., _M]): the class; its constructor takes `device`
        *args (Any): those of its constructor
        **kwargs (Any): those of its constructor, and `device`

    Returns:
        the module

    Raises:
        TypeError: `module_cls` is no class
        RuntimeError: it is no class of modules, or its constructor takes no `device`

    Example:
        >>> nn.utils.skip_init(nn.Linear, 2, 3).weight.shape
        torch.Size([3, 2])
    """
    if not isinstance(module_cls, type):
        raise TypeError(f"skip_init: expected a class, but got {module_cls!r}")
    if not issubclass(module_cls, torch.nn.Module):
        raise RuntimeError(f"skip_init: expected a subclass of torch.nn.Module, but got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError(f"skip_init: the constructor of {module_cls.__name__} takes no 'device'")
    device = kwargs.pop("device", "cpu")
    return module_cls(*args, **kwargs, device="meta").to_empty(device=device)
