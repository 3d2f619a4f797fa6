"""Loads a file of torch.save as a checkpoint: one process reads it, and sends its tensors to the others."""

from __future__ import annotations

import os
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.checkpoint._nested_dict import flatten_state_dict
from torch.distributed.checkpoint._pieces import narrow
from torch.distributed.checkpoint.default_planner import DefaultLoadPlanner
from torch.distributed.checkpoint.metadata import ChunkStorageMetadata, Metadata, TensorProperties, TensorStorageMetadata
from torch.distributed.checkpoint.planner import LoadItemType, LoadPlan, LoadPlanner
from torch.distributed.checkpoint.storage import StorageReader
from torch.futures import Future


class BroadcastingTorchSaveReader(StorageReader):
    """Reads a file of torch.save in one process only, and sends each tensor to all. Use it with `DynamicMetaLoadPlanner`.

    The file needs room in the memory of one process. It is unpickled: trust it. All processes load together.

    Args:
        checkpoint_id (str or path, optional): the file
        coordinator_rank (int, default 0): the process that reads it

    Example:
        >>> torch.distributed.checkpoint.format_utils.BroadcastingTorchSaveReader("model.pt").coordinator_rank
        0
    """

    def __init__(self, checkpoint_id: str | os.PathLike[str] | None = None, coordinator_rank: int = 0) -> None:
        self.checkpoint_id, self.coordinator_rank = checkpoint_id, coordinator_rank

    def reset(self, checkpoint_id: str | os.PathLike[str] | None = None) -> None:
        """Begins a load.

        Args:
            checkpoint_id (str or path, optional): the file, if it is another
        """
        self.checkpoint_id = checkpoint_id or self.checkpoint_id

    def read_metadata(self, *args: Any, **kwargs: Any) -> Metadata:
        """Nothing: the planner makes it out of the state that is filled."""
        return Metadata({})

    def set_up_storage_reader(self, metadata: Metadata, is_coordinator: bool, *args: Any, **kwargs: Any) -> None:
        """Notes whether this process reads.

        Args:
            metadata (Metadata): of no effect
            is_coordinator (bool): whether it does
        """
        if self.checkpoint_id is None:
            raise ValueError("BroadcastingTorchSaveReader: expected checkpoint_id, the file")
        self.is_coordinator = is_coordinator

    def prepare_local_plan(self, plan: LoadPlan) -> LoadPlan:
        """As it is.

        Args:
            plan (plan): of this process
        """
        return plan

    def prepare_global_plan(self, plans: list[LoadPlan]) -> list[LoadPlan]:
        """As they are.

        Args:
            plans (list): of all processes
        """
        return plans

    def read_data(self, plan: LoadPlan, planner: LoadPlanner) -> Future[None]:
        """Reads the file, or gets its tensors.

        Args:
            plan (plan): of this process
            planner (planner): gives the tensors that are filled
        """
        for item in plan.items:
            if item.type is LoadItemType.BYTE_IO:
                raise RuntimeError(f"BroadcastingTorchSaveReader: it loads tensors only, and {item.storage_index.fqn!r} is none")
        alone = not (dist.is_available() and dist.is_initialized())
        requested: list[Any] = [{item.storage_index.fqn for item in plan.items}]
        if not alone:
            names = [None] * dist.get_world_size()
            dist.all_gather_object(names, requested[0])
            requested = names
        stored: dict[str, Any] = {}
        if self.is_coordinator:
            stored, _ = flatten_state_dict(torch.load(str(self.checkpoint_id), map_location="cpu", weights_only=False))
        for name in sorted(set().union(*requested)):
            whole = self._whole(name, stored, alone)
            for item in plan.items:
                if item.storage_index.fqn == name:
                    end = [start + length for start, length in zip(item.storage_offsets, item.lengths)]
                    if len(end) != whole.dim() or any(e > n for e, n in zip(end, whole.shape)):
                        raise ValueError(
                            f"BroadcastingTorchSaveReader: {name!r} has the shape {tuple(whole.shape)} in the file, and the part "
                            f"up to {tuple(end)} is to be filled"
                        )
                    target = planner.resolve_tensor(item).detach()
                    target.copy_(narrow(whole, item.storage_offsets, item.lengths))
                    planner.commit_tensor(item, target)
        done: Future[None] = Future()
        done.set_result(None)
        return done

    def _whole(self, name: str, stored: dict[str, Any], alone: bool) -> torch.Tensor:
        value = stored.get(name)
        about: list[Any] = [(value.shape, value.dtype) if isinstance(value, torch.Tensor) else None]
        if not alone:
            dist.broadcast_object_list(about, self.coordinator_rank)
        if about[0] is None:
            raise RuntimeError(f"BroadcastingTorchSaveReader: {self.checkpoint_id} has no tensor {name!r}")
        whole = value.contiguous() if isinstance(value, torch.Tensor) else torch.empty(about[0][0], dtype=about[0][1])
        if not alone:
            dist.broadcast(whole, self.coordinator_rank)
        return whole

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id: str | os.PathLike[str]) -> bool:
        """Whether there is such a file.

        Args:
            checkpoint_id (str or path): the file
        """
        return os.path.isfile(checkpoint_id)


class DynamicMetaLoadPlanner(DefaultLoadPlanner):
    """Plans a load from storage without metadata: it takes shapes and dtypes from the state that is filled.

    Args:
        flatten_state_dict (bool, default True): take nested dictionaries apart
        flatten_sharded_tensors (bool, default True): of no effect
        allow_partial_load (bool, default False): of no effect

    Example:
        >>> torch.distributed.checkpoint.format_utils.DynamicMetaLoadPlanner().flatten_state_dict
        True
    """

    def set_up_planner(
        self, state_dict: dict[str, Any], metadata: Metadata | None = None, is_coordinator: bool = False
    ) -> None:  # fmt: skip
        """Begins a load.

        Args:
            state_dict (dict): the tensors by name
            metadata (Metadata, optional): of no effect
            is_coordinator (bool): whether this process decides
        """
        super().set_up_planner(state_dict, metadata, is_coordinator)
        found: dict[str, Any] = {}
        for name, value in self.state_dict.items():
            if not isinstance(value, torch.Tensor):
                raise RuntimeError(f"DynamicMetaLoadPlanner: it loads tensors only, and {name!r} is a {type(value).__name__}")
            whole = ChunkStorageMetadata(torch.Size([0] * value.dim()), value.shape)
            found[name] = TensorStorageMetadata(TensorProperties(dtype=value.dtype), value.shape, [whole])
        self.metadata = Metadata(found)
