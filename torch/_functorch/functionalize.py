"""torch.func.functionalize: a function without changes in place."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch import _C
from torch.utils._pytree import tree_flatten, tree_map, tree_unflatten

_REMOVE = ("mutations", "mutations_and_views")


def functionalize(func: Callable[..., Any], *, remove: str = "mutations") -> Callable[..., Any]:
    """A function that computes what `func` does with operators that change no tensor in place.

    A tensor that `func` changes in place gets a new value instead; views of it take theirs from that one. Arguments that
    `func` changes are written to at the end, so that the call has the same effects. What remains is what a compiler can reorder.

    Args:
        func (Callable): takes tensors, numbers, and lists, tuples and dictionaries of them, and returns such
        remove (str, default "mutations"): "mutations", or "mutations_and_views", which also replaces views by their copies
            (`view_copy`)

    Returns:
        the function

    Raises:
        RuntimeError: `func` changes a tensor that is neither an argument nor its own

    Example:
        >>> def f(x):
        ...     y = x + 1
        ...     y.view(-1).add_(1)
        ...     return y
        >>> torch.func.functionalize(f)(torch.zeros(2))
        tensor([2., 2.])
    """
    if remove not in _REMOVE:
        raise RuntimeError(f"functionalize(): remove must be one of {_REMOVE}, got {remove!r}")

    @functools.wraps(func)
    def functionalized(*args: Any, **kwargs: Any) -> Any:
        leaves, spec = tree_flatten((args, kwargs))
        wrapped: dict[int, torch.Tensor] = {}  # one for each tensor
        given = [
            wrapped.setdefault(id(x), _C._to_functional_tensor(x)) if isinstance(x, torch.Tensor) else x for x in leaves
        ]  # fmt: skip
        inner_args, inner_kwargs = tree_unflatten(given, spec)
        before = _C._functionalization_state()
        _C._set_functionalization(True, remove == "mutations")
        try:
            out = func(*inner_args, **inner_kwargs)
        finally:
            _C._set_functionalization(*before)
        reapply = before[1]
        _C._set_functionalization(before[0], remove == "mutations")  # views are made again for the results
        try:
            results = tree_map(_unwrapped, out)
            for x, functional in zip(leaves, given):
                if isinstance(x, torch.Tensor):
                    _write_back(x, _C._from_functional_tensor(functional))
        finally:
            _C._set_functionalization(before[0], reapply)
        return results

    return functionalized


def _unwrapped(x: Any) -> Any:
    return _C._from_functional_tensor(x) if isinstance(x, torch.Tensor) else x


def _write_back(argument: torch.Tensor, value: torch.Tensor) -> None:
    """Change an argument as the function did."""
    if value is argument:
        return
    if value.shape != argument.shape or value.stride() != argument.stride():
        if value.numel() == argument.numel() and argument.numel():
            argument.as_strided_(value.shape, value.stride(), argument.storage_offset())
        else:
            argument.resize_(value.shape)
    argument.copy_(value)
