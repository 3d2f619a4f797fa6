"""Plans: what each process writes and reads, and the classes that make them."""

from __future__ import annotations

import abc
import enum
import io
from dataclasses import dataclass
from typing import Any

import torch
from torch.distributed.checkpoint.metadata import ChunkStorageMetadata, Metadata, MetadataIndex, StorageMeta, TensorProperties

__all__ = [
    "WriteItemType", "LoadItemType", "BytesIOWriteData", "TensorWriteData", "WriteItem", "ReadItem", "SavePlan", "LoadPlan",
    "SavePlanner", "LoadPlanner",
]  # fmt: skip


class WriteItemType(enum.Enum):
    """What is written."""

    TENSOR = 1
    SHARD = 2
    BYTE_IO = 3


class LoadItemType(enum.Enum):
    """What is read."""

    TENSOR = 1
    BYTE_IO = 2


@dataclass(frozen=True)
class BytesIOWriteData:
    """How many bytes a value takes."""

    nbytes: int


@dataclass(frozen=True)
class TensorWriteData:
    """A piece of a tensor, with the shape of the whole one."""

    chunk: ChunkStorageMetadata
    properties: TensorProperties
    size: torch.Size


@dataclass(frozen=True)
class WriteItem:
    """One thing to write.

    Args:
        index (MetadataIndex): which piece
        type (WriteItemType): what it is
        bytes_io_data (BytesIOWriteData, optional): of a value that is no tensor
        tensor_data (TensorWriteData, optional): of a tensor

    Example:
        >>> torch.distributed.checkpoint.WriteItem.__name__
        'WriteItem'
    """

    index: MetadataIndex
    type: WriteItemType
    bytes_io_data: BytesIOWriteData | None = None
    tensor_data: TensorWriteData | None = None

    def tensor_storage_size(self) -> int | None:
        """How many bytes the piece takes, or None for a value that is no tensor."""
        if self.tensor_data is None:
            return None
        return self.tensor_data.chunk.sizes.numel() * self.tensor_data.properties.dtype.itemsize


@dataclass(frozen=True)
class ReadItem:
    """One thing to read: a part of a piece of the checkpoint, and where it goes.

    Args:
        type (LoadItemType): what it is
        dest_index (MetadataIndex): what it fills
        dest_offsets (Size): where in that
        storage_index (MetadataIndex): the piece of the checkpoint
        storage_offsets (Size): where in that
        lengths (Size): how much

    Example:
        >>> torch.distributed.checkpoint.ReadItem.__name__
        'ReadItem'
    """

    type: LoadItemType
    dest_index: MetadataIndex
    dest_offsets: torch.Size
    storage_index: MetadataIndex
    storage_offsets: torch.Size
    lengths: torch.Size


@dataclass(frozen=True)
class SavePlan:
    """What a process writes.

    Args:
        items (list of WriteItem): what is written
        storage_data (object, optional): the writer's own
        planner_data (object, optional): the planner's own
        usable (bool, default True): whether the plan holds

    Example:
        >>> torch.distributed.checkpoint.SavePlan([]).items
        []
    """

    items: list[WriteItem]
    storage_data: Any = None
    planner_data: Any = None
    usable: bool = True


@dataclass
class LoadPlan:
    """What a process reads.

    Args:
        items (list of ReadItem): what is read
        storage_data (object, optional): the reader's own
        planner_data (object, optional): the planner's own

    Example:
        >>> torch.distributed.checkpoint.LoadPlan([]).items
        []
    """

    items: list[ReadItem]
    storage_data: Any = None
    planner_data: Any = None


class SavePlanner(abc.ABC):
    """Decides what each process writes. The methods are called in the order in which they stand here.

    Example:
        >>> torch.distributed.checkpoint.SavePlanner.__name__
        'SavePlanner'
    """

    @abc.abstractmethod
    def set_up_planner(
        self, state_dict: dict[str, Any], storage_meta: StorageMeta | None = None, is_coordinator: bool = False
    ) -> None:  # fmt: skip
        """Begins a save of `state_dict`, on every process.

        Args:
            state_dict (dict): the values by name
            storage_meta (StorageMeta, optional): what the writer says of itself
            is_coordinator (bool): whether this process decides
        """

    @abc.abstractmethod
    def create_local_plan(self) -> SavePlan:
        """What this process could write."""

    @abc.abstractmethod
    def create_global_plan(self, all_plans: list[SavePlan]) -> tuple[list[SavePlan], Metadata]:
        """The plans of all processes, and the metadata; on the coordinator only.

        Args:
            all_plans (list of SavePlan): those of all processes
        """

    @abc.abstractmethod
    def finish_plan(self, new_plan: SavePlan) -> SavePlan:
        """What this process writes, out of what the coordinator decided.

        Args:
            new_plan (plan): what the coordinator decided
        """

    @abc.abstractmethod
    def resolve_data(self, write_item: WriteItem) -> torch.Tensor | io.BytesIO:
        """The tensor, or the bytes, of an item.

        Args:
            write_item (WriteItem): the item
        """


class LoadPlanner(abc.ABC):
    """Decides what each process reads. The methods are called in the order in which they stand here.

    Example:
        >>> torch.distributed.checkpoint.LoadPlanner.__name__
        'LoadPlanner'
    """

    @abc.abstractmethod
    def set_up_planner(
        self, state_dict: dict[str, Any], metadata: Metadata | None = None, is_coordinator: bool = False
    ) -> None:  # fmt: skip
        """Begins a load into `state_dict`, on every process.

        Args:
            state_dict (dict): the values by name
            metadata (Metadata): that of the checkpoint
            is_coordinator (bool): whether this process decides
        """

    @abc.abstractmethod
    def create_local_plan(self) -> LoadPlan:
        """What this process needs."""

    @abc.abstractmethod
    def create_global_plan(self, global_plan: list[LoadPlan]) -> list[LoadPlan]:
        """The plans of all processes; on the coordinator only.

        Args:
            global_plan (list of LoadPlan): those of all processes
        """

    @abc.abstractmethod
    def finish_plan(self, central_plan: LoadPlan) -> LoadPlan:
        """What this process reads, out of what the coordinator decided.

        Args:
            central_plan (LoadPlan): what the coordinator decided
        """

    @abc.abstractmethod
    def load_bytes(self, read_item: ReadItem, value: io.BytesIO) -> None:
        """Puts a value that is no tensor into the state dictionary.

        Args:
            read_item (ReadItem): the item
            value (BytesIO): the bytes
        """

    def resolve_bytes(self, read_item: ReadItem) -> io.BytesIO:
        """Where bytes go, for readers that ask.

        Args:
            read_item (ReadItem): the item
        """
        raise NotImplementedError(f"{type(self).__name__} has no resolve_bytes")

    @abc.abstractmethod
    def resolve_tensor(self, read_item: ReadItem) -> torch.Tensor:
        """The tensor that an item is copied into.

        Args:
            read_item (ReadItem): the item
        """

    @abc.abstractmethod
    def commit_tensor(self, read_item: ReadItem, tensor: torch.Tensor) -> None:
        """Is called after the copy.

        Args:
            read_item (ReadItem): the item
            tensor (Tensor): the tensor
        """
