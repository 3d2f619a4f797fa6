"""Tensors shared with other libraries through DLPack."""

import enum

import torch
from torch import _C, _lazy


class DLDeviceType(enum.IntEnum):
    """Numbers of devices in the DLPack standard."""

    kDLCPU = 1
    kDLCUDA = 2
    kDLCUDAHost = 3


def to_dlpack(tensor):
    """A capsule of the tensor's memory, to be taken once."""
    return _C._to_dlpack(tensor)


def device_of(tensor):
    """(DLPack device type, index)."""
    kinds = {"cpu": DLDeviceType.kDLCPU, "cuda": DLDeviceType.kDLCUDA}
    if tensor.device.type not in kinds:
        raise ValueError(f"Unknown device type {tensor.device.type} for Dlpack")
    return kinds[tensor.device.type], tensor.device.index or 0


def export(tensor, stream, max_version, dl_device, copy):
    """What `Tensor.__dlpack__` does."""
    if stream not in (-1, None) and tensor.device.type == "cpu":
        raise BufferError(f"__dlpack__: a CPU tensor has no stream, got stream={stream}")
    if tensor.requires_grad:
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    if tensor.is_conj():
        raise BufferError("Can't export tensors with the conjugate bit set")
    if tensor.layout != torch.strided:
        raise BufferError("Can't export tensors with layout other than torch.strided")
    if dl_device is not None and tuple(dl_device) != device_of(tensor):
        raise BufferError(f"__dlpack__: the tensor is on {device_of(tensor)}, not on {tuple(dl_device)}")
    if copy:
        tensor = tensor.clone()
    if max_version is not None and max_version[0] >= 1 and hasattr(_C, "_to_dlpack_versioned"):
        return _C._to_dlpack_versioned(tensor)
    return _C._to_dlpack(tensor)


def from_dlpack(ext_tensor, *, device=None, copy=None):
    """A tensor over the memory of any object with `__dlpack__`, or of a capsule."""
    if hasattr(ext_tensor, "__dlpack__"):
        try:
            capsule = ext_tensor.__dlpack__(max_version=(1, 0)) if hasattr(_C, "_to_dlpack_versioned") else (
                ext_tensor.__dlpack__())
        except TypeError:  # an exporter from before versions
            capsule = ext_tensor.__dlpack__()
    else:
        capsule = ext_tensor
    tensor = _C._from_dlpack(capsule)
    if device is not None and torch.device(device).type != tensor.device.type:
        if copy is False:
            raise ValueError(f"from_dlpack: moving from {tensor.device} to {device} needs a copy, but "
                             "copy=False")
        return tensor.to(device)
    return tensor.clone() if copy else tensor

_lazy.names_what_is_absent(__name__)
