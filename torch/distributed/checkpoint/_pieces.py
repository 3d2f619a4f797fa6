"""Pieces of tensors: which of them this process has, and how those of a checkpoint overlap them."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import torch
from torch.distributed.checkpoint.metadata import (
    BytesStorageMetadata,
    ChunkStorageMetadata,
    MetadataIndex,
    TensorProperties,
    TensorStorageMetadata,
)
from torch.distributed.checkpoint.planner import (
    BytesIOWriteData,
    LoadItemType,
    ReadItem,
    TensorWriteData,
    WriteItem,
    WriteItemType,
)


def is_dtensor(value: Any) -> bool:
    return hasattr(value, "_spec") and hasattr(value, "_local_tensor")


def local_part(value: torch.Tensor) -> torch.Tensor:
    """What this process has of a tensor."""
    return value._local_tensor if is_dtensor(value) else value  # type: ignore[attr-defined]


def chunk_of(value: torch.Tensor) -> ChunkStorageMetadata:
    """The piece that this process has."""
    if is_dtensor(value):
        return value.__create_chunk_list__()[0]  # type: ignore[attr-defined]
    return ChunkStorageMetadata(torch.Size([0] * value.dim()), value.shape)


def write_items(name: str, value: Any) -> list[WriteItem]:
    """What a process writes of one value."""
    if not isinstance(value, torch.Tensor):
        return [WriteItem(MetadataIndex(name), WriteItemType.BYTE_IO, BytesIOWriteData(0))]
    chunk, properties = chunk_of(value), TensorProperties.create_from_tensor(local_part(value))
    spread = is_dtensor(value)
    if spread and (any(p.is_partial() for p in value.placements)):  # type: ignore[attr-defined]
        raise ValueError(f"checkpoint: {name!r} is a sum that was not computed yet ({value.placements})")  # type: ignore[attr-defined]
    if spread and not chunk.sizes.numel() and value.numel():
        return []  # this process has nothing of it
    data = TensorWriteData(chunk, properties, value.shape)
    index = MetadataIndex(name, chunk.offsets, None if spread else 0)
    return [WriteItem(index, WriteItemType.SHARD if spread else WriteItemType.TENSOR, tensor_data=data)]


def overlap(one: ChunkStorageMetadata, other: ChunkStorageMetadata) -> tuple[list[int], list[int], list[int]] | None:
    """Where the common part of two pieces begins in each of them, and its sizes."""
    first, second, lengths = [], [], []
    for a, n, b, m in zip(one.offsets, one.sizes, other.offsets, other.sizes):
        start, end = max(a, b), min(a + n, b + m)
        if start >= end:
            return None
        first.append(start - a)
        second.append(start - b)
        lengths.append(end - start)
    return first, second, lengths


def read_items(name: str, stored: TensorStorageMetadata | BytesStorageMetadata, value: Any) -> Iterator[ReadItem]:
    """What a process reads to fill a value."""
    if isinstance(stored, BytesStorageMetadata):
        none = torch.Size([0])
        index = MetadataIndex(name)
        yield ReadItem(LoadItemType.BYTE_IO, index, none, index, none, none)
        return
    own = chunk_of(value)
    for k, piece in enumerate(stored.chunks):
        common = overlap(own, piece)
        if common is not None:
            here, there, lengths = map(torch.Size, common)
            yield ReadItem(
                LoadItemType.TENSOR, MetadataIndex(name, own.offsets, None), here, MetadataIndex(name, piece.offsets, k), there,
                lengths,
            )  # fmt: skip


def narrow(tensor: torch.Tensor, offsets: Any, sizes: Any) -> torch.Tensor:
    """A part of a tensor."""
    for d, (start, length) in enumerate(zip(offsets, sizes)):
        if start or length != tensor.size(d):
            tensor = tensor.narrow(d, start, length)
    return tensor


def as_bytes(value: Any) -> io.BytesIO:
    """A value as torch.save writes it."""
    file = io.BytesIO()
    torch.save(value, file)
    file.seek(0)
    return file
