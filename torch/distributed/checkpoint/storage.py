"""Where checkpoints are: classes that write and read them."""

from __future__ import annotations

import abc
import os
from dataclasses import dataclass
from typing import Any

from torch.distributed.checkpoint.metadata import Metadata, MetadataIndex, StorageMeta
from torch.distributed.checkpoint.planner import LoadPlan, LoadPlanner, SavePlan, SavePlanner
from torch.futures import Future

__all__ = ["WriteResult", "StorageWriter", "StorageReader"]


@dataclass(frozen=True)
class WriteResult:
    """An item that was written: how long it is, and where the writer finds it."""

    index: MetadataIndex
    size_in_bytes: int
    storage_data: Any


class StorageWriter(abc.ABC):
    """Writes a checkpoint. The methods are called in the order in which they stand here.

    Example:
        >>> torch.distributed.checkpoint.StorageWriter.__name__
        'StorageWriter'
    """

    @abc.abstractmethod
    def reset(self, checkpoint_id: str | os.PathLike[str] | None = None) -> None:
        """Begins a save, to another place if one is given.

        Args:
            checkpoint_id (str or path): the directory
        """

    @abc.abstractmethod
    def set_up_storage_writer(self, is_coordinator: bool, *args: Any, **kwargs: Any) -> None:
        """Prepares this process."""

    @abc.abstractmethod
    def prepare_local_plan(self, plan: SavePlan) -> SavePlan:
        """Adds what the writer needs to this process's plan.

        Args:
            plan (plan): of this process
        """

    @abc.abstractmethod
    def prepare_global_plan(self, plans: list[SavePlan]) -> list[SavePlan]:
        """Adds what the writer needs to the plans of all; on the coordinator only.

        Args:
            plans (list): of all processes
        """

    @abc.abstractmethod
    def write_data(self, plan: SavePlan, planner: SavePlanner) -> Future[list[WriteResult]]:
        """Writes the items of this process.

        Args:
            plan (plan): of this process
            planner (planner): gives the tensors
        """

    @abc.abstractmethod
    def finish(self, metadata: Metadata, results: list[list[WriteResult]]) -> None:
        """Writes the metadata, which makes the checkpoint valid; on the coordinator only.

        Args:
            metadata (Metadata): that of the checkpoint
            results (list): what `write_data` gave on each process
        """

    @classmethod
    @abc.abstractmethod
    def validate_checkpoint_id(cls, checkpoint_id: str | os.PathLike[str]) -> bool:
        """Whether a place is one for this writer.

        Args:
            checkpoint_id (str or path): the directory
        """

    def storage_meta(self) -> StorageMeta | None:
        """What the writer says of itself."""
        return None


class StorageReader(abc.ABC):
    """Reads a checkpoint. The methods are called in the order in which they stand here.

    Example:
        >>> torch.distributed.checkpoint.StorageReader.__name__
        'StorageReader'
    """

    @abc.abstractmethod
    def reset(self, checkpoint_id: str | os.PathLike[str] | None = None) -> None:
        """Begins a load, from another place if one is given.

        Args:
            checkpoint_id (str or path): the directory
        """

    @abc.abstractmethod
    def read_metadata(self, *args: Any, **kwargs: Any) -> Metadata:
        """The metadata."""

    @abc.abstractmethod
    def set_up_storage_reader(self, metadata: Metadata, is_coordinator: bool, *args: Any, **kwargs: Any) -> None:
        """Prepares this process."""

    @abc.abstractmethod
    def prepare_local_plan(self, plan: LoadPlan) -> LoadPlan:
        """Adds what the reader needs to this process's plan.

        Args:
            plan (plan): of this process
        """

    @abc.abstractmethod
    def prepare_global_plan(self, plans: list[LoadPlan]) -> list[LoadPlan]:
        """Adds what the reader needs to the plans of all; on the coordinator only.

        Args:
            plans (list): of all processes
        """

    @abc.abstractmethod
    def read_data(self, plan: LoadPlan, planner: LoadPlanner) -> Future[None]:
        """Reads the items of this process.

        Args:
            plan (plan): of this process
            planner (planner): gives the tensors
        """

    @classmethod
    @abc.abstractmethod
    def validate_checkpoint_id(cls, checkpoint_id: str | os.PathLike[str]) -> bool:
        """Whether a place is one for this reader.

        Args:
            checkpoint_id (str or path): the directory
        """
