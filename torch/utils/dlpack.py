"""Tensors shared with other libraries through DLPack."""

from __future__ import annotations

import enum

import torch
from torch import _C, _lazy

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any


class DLDeviceType(enum.IntEnum):
    """Numbers of devices in the DLPack standard.

    Args:
        value (int): the number

    Example:
        >>> torch.utils.dlpack.DLDeviceType(1).name
        'kDLCPU'
    """

    kDLCPU = 1
    kDLCUDA = 2
    kDLCUDAHost = 3


def to_dlpack(tensor: torch.Tensor) -> Any:
    """A capsule of the tensor's memory, to be taken once.

    Args:
        tensor (Tensor): what is shared

    Returns:
        the capsule, which `from_dlpack` and other libraries take

    Example:
        >>> x = torch.zeros(2)
        >>> y = torch.utils.dlpack.from_dlpack(torch.utils.dlpack.to_dlpack(x))
        >>> y[0] = 1.0
        >>> x
        tensor([1., 0.])
    """
    return _C._to_dlpack(tensor)


def device_of(tensor: torch.Tensor) -> tuple[DLDeviceType, int]:
    """Where a tensor is, in numbers of DLPack.

    Args:
        tensor (Tensor): on the CPU or a GPU

    Returns:
        the type of device, and its index

    Raises:
        ValueError: DLPack does not know the device

    Example:
        >>> kind, index = torch.utils.dlpack.device_of(torch.zeros(2))
        >>> int(kind), index
        (1, 0)
    """
    kinds = {"cpu": DLDeviceType.kDLCPU, "cuda": DLDeviceType.kDLCUDA}
    if tensor.device.type not in kinds:
        raise ValueError(f"Unknown device type {tensor.device.type} for Dlpack")
    return kinds[tensor.device.type], tensor.device.index or 0


def export(
    tensor: torch.Tensor,
    stream: Any,
    max_version: tuple[int, int] | None,
    dl_device: tuple[int, int] | None,
    copy: bool | None,
) -> Any:
    """What `Tensor.__dlpack__` does.

    Args:
        tensor (Tensor): what is shared
        stream (int or None): of a GPU; -1 or None for a CPU
        max_version (tuple of two int or None): the newest version that the taker knows
        dl_device (tuple of two int or None): where the taker wants it
        copy (bool or None): share a copy

    Returns:
        a capsule

    Raises:
        BufferError: the tensor cannot be shared, or is elsewhere

    Example:
        >>> capsule = torch.utils.dlpack.export(torch.zeros(2), None, None, None, False)
        >>> torch.from_dlpack(capsule)
        tensor([0., 0.])
    """
    if stream not in (-1, None) and tensor.device.type == "cpu":
        raise BufferError(f"__dlpack__: a CPU tensor has no stream, got stream={stream}")
    if tensor.requires_grad:
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    if tensor.is_conj() or tensor.is_neg():
        raise BufferError("__dlpack__: the memory of a conjugate or negated view holds other numbers than its elements")
    if tensor.layout != torch.strided:
        raise BufferError("Can't export tensors with layout other than torch.strided")
    if dl_device is not None and tuple(dl_device) != device_of(tensor):
        raise BufferError(f"__dlpack__: the tensor is on {device_of(tensor)}, not on {tuple(dl_device)}")
    if copy:
        tensor = tensor.clone()
    if max_version is not None and max_version[0] >= 1 and hasattr(_C, "_to_dlpack_versioned"):
        return _C._to_dlpack_versioned(tensor)
    return _C._to_dlpack(tensor)


def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: bool | None = None) -> torch.Tensor:
    """A tensor over the memory of an array of another library.

    Args:
        ext_tensor (object): with `__dlpack__`, or a capsule
        device (device, optional): where the tensor is wanted
        copy (bool, optional): True always copies, False never; by default only to another device

    Returns:
        the tensor, which shares the memory unless it was copied

    Raises:
        ValueError: another device is wanted, and no copy
        BufferError: the other side cannot share it

    Example:
        >>> import numpy
        >>> array = numpy.zeros(2, dtype=numpy.float32)
        >>> x = torch.from_dlpack(array)
        >>> x[0] = 1.0
        >>> array.tolist()
        [1.0, 0.0]
    """
    if hasattr(ext_tensor, "__dlpack__"):
        try:
            capsule = (
                ext_tensor.__dlpack__(max_version=(1, 0)) if hasattr(_C, "_to_dlpack_versioned") else (ext_tensor.__dlpack__())
            )
        except TypeError:  # an exporter from before versions
            capsule = ext_tensor.__dlpack__()
    else:
        capsule = ext_tensor
    tensor = _C._from_dlpack(capsule)
    if device is not None and torch.device(device).type != tensor.device.type:
        if torch.device(device).type == "meta":
            raise BufferError("from_dlpack: the meta device has no memory that could hold the elements")
        if copy is False:
            raise ValueError(f"from_dlpack: moving from {tensor.device} to {device} needs a copy, but copy=False")
        return tensor.to(device)
    return tensor.clone() if copy else tensor


_lazy.names_what_is_absent(__name__)
