"""Memory that torch and other libraries of GPUs share: __cuda_array_interface__, and the streams of DLPack.

Both protocols give a stream as a number: 1 is CUDA's legacy default stream, 2 that of the thread, others are addresses.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.cuda._devices import ExternalStream, Stream, current_stream
from torch.cuda._runtime import initialize

_TYPES = {
    torch.float64: "<f8", torch.float32: "<f4", torch.float16: "<f2", torch.complex128: "<c16", torch.complex64: "<c8",
    torch.int64: "<i8", torch.int32: "<i4", torch.int16: "<i2", torch.int8: "|i1", torch.uint64: "<u8", torch.uint32: "<u4",
    torch.uint16: "<u2", torch.uint8: "|u1", torch.bool: "|b1",
    # NumPy has no such number: bytes.
    torch.bfloat16: "<V2", torch.float8_e4m3fn: "|V1", torch.float8_e5m2: "|V1", torch.float8_e4m3fnuz: "|V1",
    torch.float8_e5m2fnuz: "|V1", torch.float8_e8m0fnu: "|V1",
}  # fmt: skip
_DTYPES = {text[1:]: dtype for dtype, text in _TYPES.items() if text[1] != "V"}
_DTYPES["c4"] = torch.complex32
_TYPES[torch.complex32] = "<c4"


def number_of_stream(stream: Stream) -> int:
    """The number that means a stream in these protocols."""
    return stream.cuda_stream or 1


def let_wait(number: int, device: torch.device) -> None:
    """Later work of the stream of another library waits for what the current stream has now."""
    theirs, ours = ExternalStream(number, device), current_stream(device)
    if theirs != ours:
        theirs.wait_stream(ours)


def wait_for(number: int, device: torch.device) -> None:
    """Later work of the current stream waits for what the stream of another library has now."""
    theirs, ours = ExternalStream(number, device), current_stream(device)
    if theirs != ours:
        ours.wait_stream(theirs)


def array_interface(tensor: torch.Tensor) -> dict[str, Any]:
    """What `__cuda_array_interface__` of a tensor on a GPU is: version 3 of the protocol.

    Raises:
        AttributeError: the tensor is not a dense one
        RuntimeError: it requires a gradient, or its memory holds other numbers than its elements
        TypeError: the protocol has no such type
    """
    if tensor.layout != torch.strided:
        raise AttributeError(
            f"Can't get __cuda_array_interface__ on sparse type: {tensor.type()} Use Tensor.to_dense() to convert to a "
            "dense tensor first."
        )
    if tensor.requires_grad:
        raise RuntimeError(
            "Can't get __cuda_array_interface__ on Variable that requires grad. If gradients aren't required, use "
            "var.detach() to get Variable that doesn't require grad."
        )
    if tensor.is_conj() or tensor.is_neg():
        raise RuntimeError(
            "__cuda_array_interface__: the memory of a conjugate or negated view holds other numbers than its elements; take "
            "that of resolve_conj() or resolve_neg()"
        )
    if tensor.dtype not in _TYPES:
        raise TypeError(f"__cuda_array_interface__: the protocol has no type for {tensor.dtype}")
    size = tensor.element_size()
    return {
        "typestr": _TYPES[tensor.dtype],
        "shape": tuple(tensor.shape),
        "strides": None if tensor.is_contiguous() else tuple(step * size for step in tensor.stride()),
        "data": (tensor.data_ptr() if tensor.numel() else 0, False),
        "version": 3,
        # Work on the tensor may be under way there.
        "stream": number_of_stream(current_stream(tensor.device)),
    }


def _field(face: dict[str, Any], name: str, kind: Any) -> Any:
    if name not in face:
        raise TypeError(f"__cuda_array_interface__: attribute `{name}` must exist")
    if not isinstance(face[name], kind):
        raise TypeError(f"__cuda_array_interface__: `{name}` must be a {kind.__name__}, got {type(face[name]).__name__}")
    return face[name]


def from_array_interface(owner: Any) -> torch.Tensor:
    """A tensor over the memory of an object with `__cuda_array_interface__`; its stream is waited for.

    Raises:
        TypeError: a field is missing, or the memory may not be written
        ValueError: fields that no tensor can have, or memory that is on no GPU
    """
    face = owner.__cuda_array_interface__
    if not isinstance(face, dict):
        raise TypeError(f"`__cuda_array_interface__` must be a dict, got {type(face).__name__}")
    typestr, shape, data = _field(face, "typestr", str), _field(face, "shape", tuple), _field(face, "data", tuple)
    dtype = _DTYPES.get(typestr[1:])
    if dtype is None or typestr[0] not in "<>|=":
        raise ValueError(f"__cuda_array_interface__: cannot parse `typestr` {typestr!r} as a type of tensors")
    if typestr[0] == ">":
        raise ValueError(f"__cuda_array_interface__: `typestr` {typestr!r}: not the byte order of this machine")
    if face.get("mask") is not None:
        raise ValueError("__cuda_array_interface__: a `mask` has no counterpart in a tensor")
    if len(data) != 2 or not isinstance(data[0], (int, type(None))):
        raise TypeError("__cuda_array_interface__: `data` must be (address, read_only)")
    address, read_only = data[0] or 0, data[1]
    if read_only:
        raise TypeError("__cuda_array_interface__: the read only flag is not supported, should always be False")
    if not all(isinstance(size, int) and size >= 0 for size in shape):
        raise ValueError(f"__cuda_array_interface__: sizes must be ints that are not negative, got {shape}")
    strides, is_empty = _steps(face.get("strides"), shape, dtype.itemsize), 0 in shape
    stream = face.get("stream")
    if stream is not None and (not isinstance(stream, int) or isinstance(stream, bool) or stream == 0):
        raise ValueError(f"__cuda_array_interface__: `stream` must be None, or a number other than 0, got {stream!r}")
    extension = initialize()
    index = extension.device_of_address(address) if address else -1
    if index < 0:
        if not is_empty:
            raise ValueError(f"__cuda_array_interface__: {address:#x} is not the address of memory of a GPU")
        index = extension.current_device()
    if stream is not None:
        wait_for(stream, torch.device("cuda", index))
    return extension.tensor_over(address, index, shape, strides, dtype, owner)


def _steps(strides: Any, shape: tuple[int, ...], size: int) -> tuple[int, ...]:
    """Strides in elements."""
    if strides is None:
        return torch.empty(shape, device="meta").stride()
    if not isinstance(strides, tuple) or len(strides) != len(shape):
        raise TypeError("__cuda_array_interface__: `strides` must be a tuple, as long as `shape`")
    if any(step % size for step in strides):
        raise ValueError(
            "__cuda_array_interface__: given array strides not a multiple of the element byte size. "
            "Make a copy of the array to reallocate the memory."
        )
    if any(step < 0 for step in strides):
        raise ValueError("__cuda_array_interface__: a tensor cannot have negative strides")
    return tuple(step // size for step in strides)
