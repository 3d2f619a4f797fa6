"""Files of safetensors: 8 bytes with the length of a header, the header in JSON, then the elements of all tensors."""

from __future__ import annotations

import json
import os
import struct
from typing import Any

import torch

# More than any header has; a length beyond it is that of another format.
_MAX_HEADER = 100 * 2**20
DTYPES = {
    "F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16, "I64": torch.int64,
    "I32": torch.int32, "I16": torch.int16, "I8": torch.int8, "U8": torch.uint8, "BOOL": torch.bool, "C64": torch.complex64,
    "F8_E4M3": torch.float8_e4m3fn, "F8_E5M2": torch.float8_e5m2, "U16": torch.uint16, "U32": torch.uint32, "U64": torch.uint64,
}  # fmt: skip
_NAMES = {dtype: name for name, dtype in DTYPES.items()}


def _bytes(tensor: torch.Tensor) -> memoryview:
    flat = tensor.detach().contiguous().reshape(-1)
    return memoryview(flat.view(torch.uint8).numpy()) if flat.numel() else memoryview(b"")


def write(path: str | os.PathLike[str], tensors: dict[str, torch.Tensor], metadata: dict[str, str], sync: bool = True) -> None:
    """Writes a file under another name first, and renames it when it is complete."""
    header: dict[str, Any] = {"__metadata__": metadata}
    offset = 0
    for name, t in tensors.items():
        if t.dtype not in _NAMES:
            raise ValueError(f"safetensors: {name!r} has the dtype {t.dtype}, which the format does not have")
        size = t.numel() * t.element_size()
        header[name] = {"dtype": _NAMES[t.dtype], "shape": list(t.shape), "data_offsets": [offset, offset + size]}
        offset += size
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    partial = f"{os.fspath(path)}.tmp"
    try:
        with open(partial, "wb") as file:
            file.write(struct.pack("<Q", len(text)) + text)
            for t in tensors.values():
                file.write(_bytes(t))
            if sync:
                file.flush()
                os.fsync(file.fileno())
        os.replace(partial, path)
    except BaseException:
        if os.path.exists(partial):
            os.unlink(partial)
        raise


def read_header(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, str], int]:
    """The tensors by name, the metadata, and where the elements begin."""
    size = os.path.getsize(path)
    with open(path, "rb") as file:
        start = file.read(8)
        length = struct.unpack("<Q", start)[0] if len(start) == 8 else size
        if length > min(size - 8, _MAX_HEADER):
            raise ValueError(f"safetensors: {os.fspath(path)} has {size} bytes and a header of {length}: it is damaged")
        header = json.loads(file.read(length))
    metadata = header.pop("__metadata__", {})
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        expected = torch.Size(entry["shape"]).numel() * DTYPES[entry["dtype"]].itemsize
        if not 0 <= begin <= end <= size - 8 - length or end - begin != expected:
            raise ValueError(f"safetensors: {name!r} in {os.fspath(path)} has bytes {begin} to {end}, expected {expected} bytes")
    return header, metadata, 8 + length


def read_tensor(file: Any, entry: dict[str, Any], start: int) -> torch.Tensor:
    """One tensor of an open file."""
    begin, end = entry["data_offsets"]
    file.seek(start + begin)
    data = bytearray(file.read(end - begin))
    dtype = DTYPES[entry["dtype"]]
    if not data:
        return torch.empty(entry["shape"], dtype=dtype)
    return torch.frombuffer(data, dtype=dtype).reshape(entry["shape"])
