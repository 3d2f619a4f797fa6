"""Samples into batches."""

import collections.abc
import sys

import torch
from torch.utils.data._worker_info import get_worker_info

_LARGE = 1 << 16  # smaller batches are sent as bytes


def default_convert(data):
    """NumPy arrays as tensors, inside of containers too; everything else as it is."""
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


def _stacked(tensors):
    """The stack of the tensors; in a worker, a large one is made in shared memory at once."""
    first = tensors[0]
    nbytes = first.numel() * first.element_size() * len(tensors)
    if nbytes > _LARGE and get_worker_info() is not None and all(
            type(tensor) is torch.Tensor and tensor.dtype == first.dtype and tensor.shape == first.shape
            and tensor.device.type == "cpu" and not tensor.requires_grad for tensor in tensors):
        storage = torch.UntypedStorage._new_shared(nbytes)
        size = (len(tensors), *first.shape)
        return torch.stack(tensors, 0, out=torch.empty(0, dtype=first.dtype).set_(storage, 0, size))
    return torch.stack(tensors, 0)


def collate(batch, *, collate_fn_map=None):
    """A batch of samples; `collate_fn_map` gives functions for types of the caller's own."""
    first = batch[0]
    for kind, function in (collate_fn_map or {}).items():
        if isinstance(first, kind):
            return function(batch, collate_fn_map=collate_fn_map)
    if isinstance(first, torch.Tensor):
        return _stacked(batch)
    if isinstance(first, float):
        return torch.tensor(batch, dtype=torch.float64)
    if isinstance(first, int):
        return torch.tensor(batch)
    if isinstance(first, (str, bytes)):
        return batch
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        if isinstance(first, numpy.ndarray) and first.dtype.kind not in "SaUO":
            return _stacked([torch.as_tensor(array) for array in batch])
        if isinstance(first, (numpy.bool_, numpy.number)):
            return torch.as_tensor(batch)
    if isinstance(first, collections.abc.Mapping):
        merged = {key: collate([sample[key] for sample in batch],
                               collate_fn_map=collate_fn_map) for key in first}
        return _mapping(first, merged)
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*(collate(column, collate_fn_map=collate_fn_map) for column in zip(*batch)))
    if isinstance(first, collections.abc.Sequence):
        length = len(first)
        if any(len(sample) != length for sample in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        columns = [collate(column, collate_fn_map=collate_fn_map) for column in zip(*batch)]
        return columns if isinstance(first, tuple) else _sequence(first, columns)
    raise TypeError("default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; "
                    "found "
                    f"{type(first)}")


def default_collate(batch):
    """Tensors stacked, numbers as a tensor, strings as a list, and containers by their members."""
    return collate(batch)
