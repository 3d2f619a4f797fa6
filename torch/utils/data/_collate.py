"""Samples into batches."""

from __future__ import annotations

import collections.abc
import sys

import torch

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any


def default_convert(data: Any) -> Any:
    """NumPy arrays as tensors, inside of containers too; everything else as it is.

    Args:
        data (Any): a sample

    Returns:
        the sample

    Example:
        >>> import numpy
        >>> torch.utils.data.default_convert({"x": numpy.array([1, 2]), "name": "a"})
        {'x': tensor([1, 2]), 'name': 'a'}
    """
    if isinstance(data, torch.Tensor):
        return data
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(data, (numpy.ndarray, numpy.generic)):
        if isinstance(data, numpy.ndarray) and data.dtype.kind in "SaUO":
            return data
        return torch.as_tensor(data)
    if isinstance(data, (str, bytes)):
        return data
    if isinstance(data, collections.abc.Mapping):
        return _mapping(data, {key: default_convert(value) for key, value in data.items()})
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*map(default_convert, data))
    if isinstance(data, tuple):
        return [default_convert(value) for value in data]
    if isinstance(data, collections.abc.Sequence):
        return _sequence(data, [default_convert(value) for value in data])
    return data


def _mapping(like, values):
    try:
        if isinstance(like, collections.abc.MutableMapping):
            import copy

            twin = copy.copy(like)
            twin.update(values)
            return twin
        return type(like)(values)
    except TypeError:
        return values


def _sequence(like, values):
    try:
        if isinstance(like, collections.abc.MutableSequence):
            import copy

            twin = copy.copy(like)
            for k, value in enumerate(values):
                twin[k] = value
            return twin
        return type(like)(values)
    except TypeError:
        return values


def collate(batch: Any, *, collate_fn_map: Any = None) -> Any:
    """A batch of samples; `collate_fn_map` gives functions for types of the caller's own."""
    first = batch[0]
    for kind, function in (collate_fn_map or {}).items():
        if isinstance(first, kind):
            return function(batch, collate_fn_map=collate_fn_map)
    if isinstance(first, torch.Tensor):
        return torch.stack(batch, 0)
    if isinstance(first, float):
        return torch.tensor(batch, dtype=torch.float64)
    if isinstance(first, int):
        return torch.tensor(batch)
    if isinstance(first, (str, bytes)):
        return batch
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        if isinstance(first, numpy.ndarray) and first.dtype.kind not in "SaUO":
            return torch.stack([torch.as_tensor(array) for array in batch], 0)
        if isinstance(first, (numpy.bool_, numpy.number)):
            return torch.as_tensor(batch)
    if isinstance(first, collections.abc.Mapping):
        merged = {key: collate([sample[key] for sample in batch], collate_fn_map=collate_fn_map) for key in first}
        return _mapping(first, merged)
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*(collate(column, collate_fn_map=collate_fn_map) for column in zip(*batch)))
    if isinstance(first, collections.abc.Sequence):
        length = len(first)
        if any(len(sample) != length for sample in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        columns = [collate(column, collate_fn_map=collate_fn_map) for column in zip(*batch)]
        return columns if isinstance(first, tuple) else _sequence(first, columns)
    raise TypeError(f"default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {type(first)}")


def default_collate(batch: Any) -> Any:
    """A batch of samples: tensors stacked, numbers as a tensor, strings as a list, and containers by their members.

    Args:
        batch (list): the samples, all of one type

    Returns:
        the batch

    Raises:
        TypeError: samples of this type have no batch
        RuntimeError: the samples differ in length or shape

    Example:
        >>> torch.utils.data.default_collate([(torch.tensor([1, 2]), 0.5), (torch.tensor([3, 4]), 1.5)])
        [tensor([[1, 2],
                [3, 4]]), tensor([0.5000, 1.5000], dtype=torch.float64)]
    """
    return collate(batch)
