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
    kDLOpenCL = 4
    kDLVulkan = 7
    kDLMetal = 8
    kDLVPI = 9
    kDLROCM = 10
    kDLROCMHost = 11
    kDLExtDev = 12
    kDLCUDAManaged = 13
    kDLOneAPI = 14
    kDLWebGPU = 15
    kDLHexagon = 16
    kDLMAIA = 17


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
        stream (int or None): for a GPU, the stream that the taker works on, which waits for the current one: 1 or None is
            CUDA's default stream, 2 that of the thread, -1 none; for a CPU, None or -1
        max_version (tuple of two int or None): the newest version that the taker knows
        dl_device (tuple of two int or None): where the taker wants it
        copy (bool or None): share a copy; False: never, or an error; None: where it is needed

    Returns:
        a capsule

    Raises:
        BufferError: the tensor cannot be shared, or not there, or the stream is none
        ValueError: it is elsewhere, and `copy` is False

    Example:
        >>> capsule = torch.utils.dlpack.export(torch.zeros(2), None, None, None, False)
        >>> torch.from_dlpack(capsule)
        tensor([0., 0.])
    """
    if stream is not None and (not isinstance(stream, int) or isinstance(stream, bool)):
        raise TypeError(f"__dlpack__: stream must be an int or None, got {type(stream).__name__}")
    if tensor.requires_grad:
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    if tensor.is_conj() or tensor.is_neg():
        raise BufferError("__dlpack__: the memory of a conjugate or negated view holds other numbers than its elements")
    if tensor.layout != torch.strided:
        raise BufferError("Can't export tensors with layout other than torch.strided")
    target = tensor.device if dl_device is None else _device_of_numbers(dl_device)
    if stream not in (-1, None) and tensor.device.type == target.type == "cpu":
        raise BufferError(f"__dlpack__: a CPU tensor has no stream, got stream={stream}")
    if target != tensor.device:
        if copy is False:
            raise ValueError(f"__dlpack__: moving from {tensor.device} to {target} needs a copy, but copy=False")
        tensor = tensor.to(target)
    elif copy:
        tensor = tensor.clone()
    if target.type == "cuda" and stream != -1:
        if stream == 0:
            raise BufferError("__dlpack__: stream=0 may mean any of CUDA's default streams; pass 1, or 2 for the thread's own")
        from torch.cuda._interop import let_wait

        let_wait(1 if stream is None else stream, target)
    if max_version is not None and max_version[0] >= 1 and hasattr(_C, "_to_dlpack_versioned"):
        return _C._to_dlpack_versioned(tensor)
    return _C._to_dlpack(tensor)


def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: bool | None = None) -> torch.Tensor:
    """A tensor over the memory of an array of another library.

    Args:
        ext_tensor (object): with `__dlpack__`, or a capsule
        device (device, optional): where the tensor is requested
        copy (bool, optional): True always copies, False never; by default only to another device

    Returns:
        the tensor, which shares the memory unless it was copied

    Raises:
        ValueError: another device is requested, and no copy
        BufferError: the other side cannot share it

    Example:
        >>> import numpy
        >>> array = numpy.zeros(2, dtype=numpy.float32)
        >>> x = torch.from_dlpack(array)
        >>> x[0] = 1.0
        >>> array.tolist()
        [1.0, 0.0]
    """
    tensor = _C._from_dlpack(_capsule_of(ext_tensor) if hasattr(ext_tensor, "__dlpack__") else ext_tensor)
    requested = tensor.device if device is None else torch.device(device)
    if requested.type != tensor.device.type or requested.index is not None and tensor.is_cuda and requested != tensor.device:
        if requested.type == "meta":
            raise BufferError("from_dlpack: the meta device has no memory that could hold the elements")
        if copy is False:
            raise ValueError(f"from_dlpack: moving from {tensor.device} to {device} needs a copy, but copy=False")
        return tensor.to(requested)
    return tensor.clone() if copy else tensor


def _device_of_numbers(dl_device: tuple[int, int]) -> torch.device:
    """The device that DLPack's numbers mean."""
    if not isinstance(dl_device, tuple) or len(dl_device) != 2 or not all(isinstance(n, int) for n in dl_device):
        raise RuntimeError(f"__dlpack__: dl_device must be either None or a tuple of two ints, got {dl_device!r}")
    kind, index = dl_device
    if kind == DLDeviceType.kDLCPU:
        return torch.device("cpu")
    if kind == DLDeviceType.kDLCUDA:
        return torch.device("cuda", index)
    raise BufferError(f"__dlpack__: dl_device: a device of type {int(kind)} is not supported")


def _capsule_of(exporter: Any) -> Any:
    """What another library exports. Its stream is asked to let ours wait, where both are of a GPU."""
    options: dict[str, Any] = {}
    kind, index = exporter.__dlpack_device__() if hasattr(exporter, "__dlpack_device__") else (DLDeviceType.kDLCPU, 0)
    if kind in (DLDeviceType.kDLCUDA, DLDeviceType.kDLCUDAManaged):
        from torch.cuda._interop import number_of_stream

        options["stream"] = number_of_stream(torch.cuda.current_stream(torch.device("cuda", index)))
    try:
        return exporter.__dlpack__(max_version=(1, 0), **options)
    except TypeError:  # an exporter from before versions
        return exporter.__dlpack__(**options)


_lazy.names_what_is_absent(__name__)
