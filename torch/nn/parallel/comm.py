"""Copies and sums of tensors on several devices. Gradients follow them. `torch.cuda.comm` is this module."""

from __future__ import annotations

import warnings

import torch
from torch.nn.parallel._devices import checked

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from torch import Tensor

__all__ = ["broadcast", "broadcast_coalesced", "gather", "reduce_add", "reduce_add_coalesced", "scatter"]


def _destination(name: str, device: Any) -> torch.device:
    """A device; None is the current GPU, -1 the CPU."""
    if device is None:
        device = torch.cuda.current_device()
    return checked(name, ["cpu" if device == -1 else device])[0]


def _only_one(name: str, devices: Any, out: Any) -> None:
    if (devices is None) == (out is None):
        raise RuntimeError(f"{name}: expected either 'devices' or 'out', got {'neither' if out is None else 'both'}")


def broadcast(tensor: Tensor, devices: Iterable[Any] | None = None, *, out: Sequence[Tensor] | None = None) -> tuple[Tensor, ...]:
    """Copies a tensor to devices.

    Args:
        tensor (Tensor): on a device or on the CPU
        devices (Iterable[Any] or None): the devices; on its own device the tensor is not copied
        out (Sequence[Tensor] or None): in place of devices: tensors of the same shape, which are written

    Returns:
        a tensor for each device, or `out`

    Raises:
        RuntimeError: both or neither of `devices` and `out`, or a device is not available

    Example:
        >>> from torch.nn.parallel import comm
        >>> comm.broadcast(torch.ones(2), ["cpu"])
        (tensor([1., 1.]),)
    """
    _only_one("broadcast", devices, out)
    if out is not None:
        for target in out:
            if target.shape != tensor.shape:
                raise RuntimeError(f"broadcast: expected outputs of the shape {tuple(tensor.shape)}, got {tuple(target.shape)}")
            target.copy_(tensor, non_blocking=True)
        return tuple(out)
    return tuple(tensor.to(device, non_blocking=True) for device in checked("broadcast", list(devices or ())))


def broadcast_coalesced(
    tensors: Sequence[Tensor], devices: Sequence[Any], buffer_size: int = 10485760
) -> tuple[tuple[Tensor, ...], ...]:
    """Copies several tensors to devices.

    Args:
        tensors (Sequence[Tensor]): all on the first of the devices
        devices (Sequence[Any]): the devices
        buffer_size (int, default 10485760): of no effect: the copies are queued one after the other, none of them is waited for

    Returns:
        for each device the tensors; those of the first device are the given ones

    Raises:
        RuntimeError: a tensor is elsewhere, or a device is not available

    Example:
        >>> from torch.nn.parallel import comm
        >>> comm.broadcast_coalesced([torch.ones(1), torch.zeros(1)], ["cpu"])
        ((tensor([1.]), tensor([0.])),)
    """
    places = checked("broadcast_coalesced", devices)
    for k, tensor in enumerate(tensors):
        if tensor.device != places[0]:
            raise RuntimeError(f"broadcast_coalesced: expected all tensors on {places[0]}, got tensor {k} on {tensor.device}")
    return tuple(tuple(tensor.to(device, non_blocking=True) for tensor in tensors) for device in places)


def reduce_add(inputs: Sequence[Tensor], destination: Any = None) -> Tensor:
    """The sum of tensors of several devices.

    Args:
        inputs (Sequence[Tensor]): of one shape
        destination (torch.device, int, str or None): where the sum goes; None: the current GPU

    Returns:
        the sum

    Raises:
        RuntimeError: no tensors
        ValueError: tensors of different shapes

    Example:
        >>> from torch.nn.parallel import comm
        >>> comm.reduce_add([torch.ones(2), torch.ones(2)], "cpu")
        tensor([2., 2.])
    """
    device = _destination("reduce_add", destination)
    if not inputs:
        raise RuntimeError("reduce_add: expected one tensor or more, got none")
    for tensor in inputs:
        if tensor.shape != inputs[0].shape:
            raise ValueError(f"reduce_add: expected one shape, got {tuple(inputs[0].shape)} and {tuple(tensor.shape)}")
    if len(inputs) == 1:
        return inputs[0].to(device)
    # Begins with a tensor that is there already.
    first = next((k for k, tensor in enumerate(inputs) if tensor.device == device), 0)
    total = inputs[first].to(device, non_blocking=True)
    for k, tensor in enumerate(inputs):
        if k != first:
            total = total + tensor.to(device, non_blocking=True)
    return total


def reduce_add_coalesced(
    inputs: Iterable[Iterable[Tensor]], destination: Any = None, buffer_size: int = 10485760
) -> tuple[Tensor, ...]:
    """The sums of several tensors over devices.

    Args:
        inputs (Iterable[Iterable[Tensor]]): for each device its tensors
        destination (torch.device, int, str or None): where the sums go; None: the current GPU
        buffer_size (int, default 10485760): of no effect: the copies are queued one after the other, none of them is waited for

    Returns:
        the sum of all first tensors, of all second ones, and so on

    Example:
        >>> from torch.nn.parallel import comm
        >>> comm.reduce_add_coalesced([[torch.ones(1), torch.zeros(1)], [torch.ones(1), torch.ones(1)]], "cpu")
        (tensor([2.]), tensor([1.]))
    """
    return tuple(reduce_add(tensors, destination) for tensors in zip(*inputs, strict=True))


def scatter(
    tensor: Tensor, devices: Iterable[Any] | None = None, chunk_sizes: Sequence[int] | None = None, dim: int = 0,
    streams: Sequence[Any] | None = None, *, out: Sequence[Tensor] | None = None,
) -> tuple[Tensor, ...]:  # fmt: skip
    """Splits a tensor into one part for each device.

    Args:
        tensor (Tensor): on a device or on the CPU
        devices (Iterable[Any] or None): the devices
        chunk_sizes (Sequence[int] or None): the sizes of the parts; None: equal ones, of which the last may be smaller
        dim (int, default 0): the dimension that is split
        streams (Sequence[Any] or None): for each device the stream of its copy, or None; None: the current ones
        out (Sequence[Tensor] or None): in place of devices: the parts, which are written

    Returns:
        the parts, or `out`

    Raises:
        RuntimeError: both or neither of `devices` and `out`, sizes that do not add up, or a device is not available

    Example:
        >>> from torch.nn.parallel import comm
        >>> comm.scatter(torch.arange(3), ["cpu", "cpu"], chunk_sizes=[1, 2])
        (tensor([0]), tensor([1, 2]))
    """
    _only_one("scatter", devices, out)
    if out is not None:
        if chunk_sizes is not None:
            raise RuntimeError("scatter: 'chunk_sizes' are those of 'out', got both")
        for target, part in zip(out, tensor.split([target.shape[dim] for target in out], dim)):
            target.copy_(part, non_blocking=True)
        return tuple(out)
    places = checked("scatter", list(devices or ()))
    if chunk_sizes is not None and len(chunk_sizes) != len(places):
        raise RuntimeError(f"scatter: expected a size for each of {len(places)} devices, got {len(chunk_sizes)}")
    if streams is not None and len(streams) != len(places):
        raise RuntimeError(f"scatter: expected a stream for each of {len(places)} devices, got {len(streams)}")
    parts = tensor.chunk(len(places), dim) if chunk_sizes is None else tensor.split(list(chunk_sizes), dim)
    moved = []
    for k, (part, device) in enumerate(zip(parts, places)):
        with torch.cuda.stream(streams[k] if streams is not None else None):
            moved.append(part.to(device, non_blocking=True))
    return tuple(moved)


def gather(tensors: Sequence[Tensor], dim: int = 0, destination: Any = None, *, out: Tensor | None = None) -> Tensor:
    """Joins tensors of several devices.

    Args:
        tensors (Sequence[Tensor]): of one shape but for the dimension `dim`; numbers count as vectors of one
        dim (int, default 0): the dimension in which they are joined
        destination (torch.device, int, str or None): where the result goes; None: the current GPU, -1: the CPU
        out (Tensor or None): in place of destination: a tensor, which is written

    Returns:
        the result, or `out`

    Raises:
        RuntimeError: no tensors, both of `destination` and `out`, or the device is not available

    Example:
        >>> from torch.nn.parallel import comm
        >>> comm.gather([torch.ones(1), torch.zeros(1)], destination="cpu")
        tensor([1., 0.])
    """
    if not tensors:
        raise RuntimeError("gather: expected one tensor or more, got none")
    if destination == -1:
        warnings.warn(
            "gather: destination=-1 for the CPU is an old form; name it: torch.device('cpu')", FutureWarning, stacklevel=2
        )
    if out is not None and destination is not None:
        raise RuntimeError("gather: expected either 'destination' or 'out', got both")
    device = out.device if out is not None else _destination("gather", destination)
    if dim == 0 and all(tensor.dim() == 0 for tensor in tensors):
        tensors = [tensor.reshape(1) for tensor in tensors]
    return torch.cat([tensor.to(device, non_blocking=True) for tensor in tensors], dim, out=out)
