"""Calls of several modules, each with its own arguments."""

from __future__ import annotations

import torch
from torch.nn.parallel._devices import checked

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from torch import Tensor
    from torch.nn import Module

__all__ = ["get_a_var", "parallel_apply"]


def get_a_var(obj: Any) -> Tensor | None:
    """The first tensor inside of tuples, lists and dictionaries.

    Args:
        obj (Any): where to look

    Returns:
        the tensor, or None

    Example:
        >>> from torch.nn.parallel.parallel_apply import get_a_var
        >>> get_a_var({"a": [1, torch.ones(1)]})
        tensor([1.])
    """
    if isinstance(obj, torch.Tensor):
        return obj
    if isinstance(obj, dict):
        obj = list(obj.values())
    if isinstance(obj, (list, tuple)):
        return next((found for found in map(get_a_var, obj) if found is not None), None)
    return None


def parallel_apply(
    modules: Sequence[Module], inputs: Sequence[Any], kwargs_tup: Sequence[dict[str, Any]] | None = None,
    devices: Sequence[Any] | None = None,
) -> list[Any]:  # fmt: skip
    """Calls every module with its own arguments. On a CPU one call follows the other, each on all cores.

    Args:
        modules (Sequence[Module]): the modules
        inputs (Sequence[Any]): for each of them a tuple of arguments, or a single argument
        kwargs_tup (Sequence[dict[str, Any]] or None): for each of them keyword arguments
        devices (Sequence[Any] or None): for each of them a device

    Returns:
        the results

    Raises:
        AssertionError: the numbers of items differ
        RuntimeError: a device is not available

    Example:
        >>> torch.nn.parallel.parallel_apply([nn.ReLU(), nn.Identity()], [torch.tensor([-1.]), torch.tensor([-1.])])
        [tensor([0.]), tensor([-1.])]
    """
    named = [{} for _ in modules] if kwargs_tup is None else kwargs_tup
    for what, items in (("inputs", inputs), ("kwargs_tup", named), ("devices", devices)):
        if items is not None and len(items) != len(modules):
            raise AssertionError(f"parallel_apply: there are {len(modules)} modules, but {len(items)} {what}")
    if devices is not None:
        checked("parallel_apply", [device for device in devices if device is not None] or ["cpu"])
    return [
        module(*(given if isinstance(given, (list, tuple)) else (given,)), **keywords)
        for module, given, keywords in zip(modules, inputs, named)
    ]
