"""What the file `.metadata` of a checkpoint holds: which tensors there are, in which pieces, and where these are.

The classes have the names and the fields that PyTorch's pickles use.
"""

from __future__ import annotations

import enum
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.serialization._layout  # how layouts are pickled

__all__ = [
    "ChunkStorageMetadata", "TensorStorageMetadata", "BytesStorageMetadata", "Metadata", "MetadataIndex", "TensorProperties",
    "StorageMeta",
]  # fmt: skip


@dataclass
class ChunkStorageMetadata:
    """A piece of a tensor: where it begins, and its sizes.

    Args:
        offsets (Size): where it begins
        sizes (Size): its sizes

    Example:
        >>> torch.distributed.checkpoint.ChunkStorageMetadata(torch.Size([0]), torch.Size([2])).sizes
        torch.Size([2])
    """

    offsets: torch.Size
    sizes: torch.Size


class _MEM_FORMAT_ENCODING(enum.Enum):  # noqa: N801  (the name in files)
    TORCH_CONTIGUOUS_FORMAT = 0
    TORCH_CHANNELS_LAST = 1
    TORCH_PRESERVE_FORMAT = 2


_FORMATS = {
    torch.contiguous_format: _MEM_FORMAT_ENCODING.TORCH_CONTIGUOUS_FORMAT,
    torch.channels_last: _MEM_FORMAT_ENCODING.TORCH_CHANNELS_LAST,
    torch.preserve_format: _MEM_FORMAT_ENCODING.TORCH_PRESERVE_FORMAT,
}


@dataclass
class TensorProperties:
    """Dtype and the like of a tensor."""

    dtype: torch.dtype = field(default_factory=torch.get_default_dtype)
    layout: torch.layout = torch.strided
    requires_grad: bool = False
    memory_format: torch.memory_format = torch.contiguous_format
    pin_memory: bool = False

    def __getstate__(self) -> tuple[Any, ...]:
        return self.dtype, self.layout, self.requires_grad, _FORMATS[self.memory_format], self.pin_memory

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.dtype, self.layout, self.requires_grad, encoding, self.pin_memory = state
        formats = {value: key for key, value in _FORMATS.items()}
        self.memory_format = formats[encoding]

    @staticmethod
    def create_from_tensor(tensor: torch.Tensor) -> TensorProperties:
        """Those of a tensor.

        Args:
            tensor (Tensor): the tensor
        """
        return TensorProperties(tensor.dtype, tensor.layout, tensor.requires_grad, torch.contiguous_format, False)


@dataclass
class TensorStorageMetadata:
    """A tensor: its properties, its shape, and its pieces.

    Args:
        properties (TensorProperties): dtype and the like
        size (Size): the shape
        chunks (list of ChunkStorageMetadata): the pieces

    Example:
        >>> torch.distributed.checkpoint.TensorStorageMetadata.__name__
        'TensorStorageMetadata'
    """

    properties: TensorProperties
    size: torch.Size
    chunks: list[ChunkStorageMetadata]


@dataclass
class BytesStorageMetadata:
    """A value that is no tensor.

    Example:
        >>> torch.distributed.checkpoint.BytesStorageMetadata()
        BytesStorageMetadata()
    """


@dataclass
class StorageMeta:
    """What a writer says of itself."""

    checkpoint_id: str | os.PathLike[str] | None = None
    save_id: str | None = None
    load_id: str | None = None
    modules: list[str] = field(default_factory=list)


@dataclass
class Metadata:
    """All of a checkpoint. `planner_data` and `storage_data` are the planner's and the writer's own.

    Args:
        state_dict_metadata (dict): what is known of each value
        planner_data (object, optional): the planner's own
        storage_data (object, optional): the writer's own
        storage_meta (StorageMeta, optional): what the writer says of itself
        version (str, optional): of the format

    Example:
        >>> torch.distributed.checkpoint.Metadata({}).state_dict_metadata
        {}
    """

    state_dict_metadata: dict[str, TensorStorageMetadata | BytesStorageMetadata]
    planner_data: Any = None
    storage_data: Any = None
    storage_meta: StorageMeta | None = None
    version: str | None = None


@dataclass(frozen=True)
class MetadataIndex:
    """A piece of a tensor, or a value: by name and offset. `index` is a hint where the piece is in the list."""

    fqn: str
    offset: torch.Size | None = None
    index: int | None = field(hash=False, compare=False, default=None)

    def __init__(self, fqn: str, offset: Sequence[int] | None = None, index: int | None = None) -> None:
        object.__setattr__(self, "fqn", fqn)
        object.__setattr__(self, "index", index)
        if offset is not None:
            object.__setattr__(self, "offset", torch.Size(offset))
