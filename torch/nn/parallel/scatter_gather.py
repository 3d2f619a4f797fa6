"""Tensors inside of tuples, lists and dictionaries, split over devices and put together again."""

from __future__ import annotations

import torch
from torch.nn.parallel import comm
from torch.nn.parallel._devices import checked

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

__all__ = ["scatter", "scatter_kwargs", "gather"]


def _is_namedtuple(obj: Any) -> bool:
    return isinstance(obj, tuple) and hasattr(obj, "_fields") and hasattr(obj, "_asdict")


def scatter(inputs: Any, target_gpus: Sequence[Any], dim: int = 0) -> Any:
    """Splits tensors into one part for each device; anything else is given to every device.

    Args:
        inputs (Any): a tensor, or tuples, lists and dictionaries of them
        target_gpus (Sequence[Any]): the devices
        dim (int, default 0): the dimension that is split

    Returns:
        a list or tuple with one item for each device

    Raises:
        RuntimeError: a device is not available

    Example:
        >>> torch.nn.parallel.scatter((torch.arange(2), "x"), ["cpu"])
        [(tensor([0, 1]), 'x')]
    """
    devices = checked("scatter", target_gpus)

    def parts(obj: Any) -> Any:
        if isinstance(obj, torch.Tensor):
            return list(comm.scatter(obj, devices, dim=dim))
        if _is_namedtuple(obj):
            return [type(obj)(*items) for items in zip(*map(parts, obj))]
        if isinstance(obj, tuple) and obj:
            return list(zip(*map(parts, obj)))
        if isinstance(obj, list) and obj:
            return [list(items) for items in zip(*map(parts, obj))]
        if isinstance(obj, dict) and obj:
            return [type(obj)(items) for items in zip(*map(parts, obj.items()))]
        return [obj for _ in devices]

    return parts(inputs)


def scatter_kwargs(
    inputs: tuple[Any, ...], kwargs: dict[str, Any] | None, target_gpus: Sequence[Any], dim: int = 0
) -> tuple[tuple[Any, ...], tuple[dict[str, Any], ...]]:
    """`scatter` of arguments and of keyword arguments, filled up to the same number.

    Args:
        inputs (tuple[Any, ...]): the arguments
        kwargs (dict[str, Any] or None): the keyword arguments
        target_gpus (Sequence[Any]): the devices
        dim (int, default 0): the dimension that is split

    Returns:
        (arguments, keyword arguments), each with one item for each device

    Example:
        >>> from torch.nn.parallel.scatter_gather import scatter_kwargs
        >>> scatter_kwargs((1,), None, ["cpu"])
        (((1,),), ({},))
    """
    positional = scatter(inputs, target_gpus, dim) if inputs else []
    named = scatter(kwargs, target_gpus, dim) if kwargs else []
    count = max(len(positional), len(named))
    positional = [*positional, *[()] * (count - len(positional))]
    named = [*named, *[{} for _ in range(count - len(named))]]
    return tuple(positional), tuple(named)


def gather(outputs: Any, target_device: Any, dim: int = 0) -> Any:
    """Puts results of several devices together: tensors are joined, tuples, lists and dictionaries item by item.

    Args:
        outputs (Any): the results
        target_device (torch.device, int or str): where they go
        dim (int, default 0): the dimension in which tensors are joined; numbers become a vector

    Returns:
        one result, of the form of each

    Raises:
        RuntimeError: the device is not available
        ValueError: dictionaries have different keys

    Example:
        >>> torch.nn.parallel.gather([torch.ones(1, 2), torch.zeros(1, 2)], "cpu")
        tensor([[1., 1.],
                [0., 0.]])
    """
    (device,) = checked("gather", ["cpu" if target_device == -1 else target_device])

    def joined(items: Any) -> Any:
        first = items[0]
        if isinstance(first, torch.Tensor):
            return comm.gather(items, 0 if all(item.dim() == 0 for item in items) else dim, device)
        if first is None:
            return None
        if isinstance(first, dict):
            if any(item.keys() != first.keys() for item in items):
                raise ValueError("gather: all dictionaries must have the same keys")
            return type(first)((key, joined([item[key] for item in items])) for key in first)
        if _is_namedtuple(first):
            return type(first)._make(map(joined, zip(*items)))
        return type(first)(map(joined, zip(*items)))

    return joined(list(outputs))
