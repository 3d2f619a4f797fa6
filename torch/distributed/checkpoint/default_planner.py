"""The planners that `save` and `load` use by default."""

from __future__ import annotations

import dataclasses
import io
from typing import Any

import torch
from torch.distributed.checkpoint._nested_dict import flatten_state_dict, set_element
from torch.distributed.checkpoint._pieces import as_bytes, is_dtensor, local_part, narrow, read_items, write_items
from torch.distributed.checkpoint.metadata import (
    BytesStorageMetadata,
    Metadata,
    MetadataIndex,
    StorageMeta,
    TensorStorageMetadata,
)
from torch.distributed.checkpoint.planner import (
    LoadPlan,
    LoadPlanner,
    ReadItem,
    SavePlan,
    SavePlanner,
    WriteItem,
    WriteItemType,
)


class DefaultSavePlanner(SavePlanner):
    """Writes pieces of DTensors where they are, and what all processes have, once.

    Args:
        flatten_state_dict (bool, default True): take nested dictionaries apart
        flatten_sharded_tensors (bool, default True): of no effect
        dedup_replicated_tensors (bool, optional): of no effect: what several processes have is written once
        dedup_save_to_lowest_rank (bool, default False): by the first of them; otherwise by the one with the fewest bytes
        enable_plan_caching (bool, default False): of no effect

    Example:
        >>> torch.distributed.checkpoint.DefaultSavePlanner().flatten_state_dict
        True
    """

    def __init__(
        self, flatten_state_dict: bool = True, flatten_sharded_tensors: bool = True,
        dedup_replicated_tensors: bool | None = None, dedup_save_to_lowest_rank: bool = False, enable_plan_caching: bool = False,
    ) -> None:  # fmt: skip
        self.flatten_state_dict, self.flatten_sharded_tensors = flatten_state_dict, flatten_sharded_tensors
        self.dedup_save_to_lowest_rank = dedup_save_to_lowest_rank
        self.mappings: dict[str, Any] = {}
        self.state_dict: dict[str, Any] = {}
        self.is_coordinator = False

    def set_up_planner(
        self, state_dict: dict[str, Any], storage_meta: StorageMeta | None = None, is_coordinator: bool = False
    ) -> None:  # fmt: skip
        """Begins a save.

        Args:
            state_dict (dict): the values by name
            storage_meta (StorageMeta, optional): what the writer says of itself
            is_coordinator (bool): whether this process decides
        """
        if self.flatten_state_dict:
            state_dict, self.mappings = flatten_state_dict(state_dict)
        self.state_dict, self.is_coordinator = state_dict, is_coordinator

    def create_local_plan(self) -> SavePlan:
        """Everything that this process has; of what all have, the coordinator's choice comes later."""
        plan = create_default_local_save_plan(self.state_dict, self.is_coordinator)
        self.plan = dataclasses.replace(plan, planner_data=self.mappings or None)
        return self.plan

    def create_global_plan(self, all_plans: list[SavePlan]) -> tuple[list[SavePlan], Metadata]:
        """One writer for each piece, and the metadata.

        Args:
            all_plans (list of SavePlan): those of all processes
        """
        plans = _one_writer(all_plans, self.dedup_save_to_lowest_rank)
        mappings: dict[str, Any] = {}
        for plan in all_plans:
            mappings.update(plan.planner_data or {})
        final, metadata = create_default_global_save_plan(plans)
        if self.flatten_state_dict:
            metadata.planner_data = mappings
        _check_pieces(metadata)
        return final, metadata

    def finish_plan(self, new_plan: SavePlan) -> SavePlan:
        """As the coordinator decided.

        Args:
            new_plan (plan): what the coordinator decided
        """
        self.plan = new_plan
        return new_plan

    def lookup_object(self, index: MetadataIndex) -> Any:
        """The value of an item.

        Args:
            index (MetadataIndex): which one
        """
        value = self.state_dict[index.fqn]
        return local_part(value) if isinstance(value, torch.Tensor) else value

    def transform_object(self, write_item: WriteItem, object: Any) -> Any:
        """What is written for a value.

        Args:
            write_item (WriteItem): the item
            object (object): the value
        """
        return as_bytes(object) if write_item.type is WriteItemType.BYTE_IO else object

    def resolve_data(self, write_item: WriteItem) -> torch.Tensor | io.BytesIO:
        """The tensor, or the bytes, of an item.

        Args:
            write_item (WriteItem): the item
        """
        return self.transform_object(write_item, self.lookup_object(write_item.index))


def create_default_local_save_plan(state_dict: dict[str, Any], is_coordinator: bool) -> SavePlan:
    """What a process writes of a state: everything that it has. Who writes what all have is decided later.

    Args:
        state_dict (dict): the values by name
        is_coordinator (bool): of no effect

    Returns:
        the plan

    Example:
        >>> from torch.distributed.checkpoint.default_planner import create_default_local_save_plan
        >>> [item.index.fqn for item in create_default_local_save_plan({"x": torch.ones(1)}, True).items]
        ['x']
    """
    return SavePlan([item for name, value in state_dict.items() for item in write_items(name, value)])


def create_default_global_save_plan(
    all_plans: list[SavePlan], rewrite_index_hints: bool = True
) -> tuple[list[SavePlan], Metadata]:  # fmt: skip
    """The metadata of what all processes write, and their plans with the places of pieces in it.

    Args:
        all_plans (list of SavePlan): those of all processes, in which each piece is once
        rewrite_index_hints (bool, default True): of no effect: places are written into the plans

    Returns:
        the plans and the metadata

    Example:
        >>> from torch.distributed.checkpoint import default_planner
        >>> plan = default_planner.create_default_local_save_plan({"x": torch.ones(2)}, True)
        >>> default_planner.create_default_global_save_plan([plan])[1].state_dict_metadata["x"].size
        torch.Size([2])
    """
    metadata = Metadata({})
    final = [dataclasses.replace(plan, items=[_add_to(metadata, item) for item in plan.items]) for plan in all_plans]
    return final, metadata


def create_default_local_load_plan(state_dict: dict[str, Any], metadata: Metadata, strict: bool = True) -> LoadPlan:
    """What fills the values of a process.

    Args:
        state_dict (dict): the values by name
        metadata (Metadata): that of the checkpoint
        strict (bool, default True): whether the checkpoint must have all of them

    Returns:
        the plan

    Raises:
        RuntimeError: the checkpoint does not have a value
        ValueError: a tensor has another shape there, is none here, or is a sum that was not computed yet

    Example:
        >>> from torch.distributed.checkpoint import Metadata, default_planner
        >>> default_planner.create_default_local_load_plan({"x": torch.ones(2)}, Metadata({}), strict=False).items
        []
    """
    items: list[ReadItem] = []
    for name, value in state_dict.items():
        stored = metadata.state_dict_metadata.get(name)
        if stored is None:
            if not strict:
                continue
            raise RuntimeError(f"Missing key in checkpoint state_dict: {name}.")
        if isinstance(stored, TensorStorageMetadata):
            if not isinstance(value, torch.Tensor):
                raise ValueError(f"checkpoint: {name!r} is a tensor there, and a {type(value).__name__} here")
            if stored.size != value.shape:
                raise ValueError(f"checkpoint: {name!r} has the shape {tuple(stored.size)} there, and {tuple(value.shape)} here")
            if is_dtensor(value) and any(p.is_partial() for p in value.placements):  # type: ignore[attr-defined]
                raise ValueError(f"checkpoint: {name!r} is a sum that was not computed yet; it cannot be filled")
        items.extend(read_items(name, stored, value))
    return LoadPlan(items)


def create_default_global_load_plan(all_plans: list[LoadPlan]) -> list[LoadPlan]:
    """What processes read: what each has planned.

    Args:
        all_plans (list of LoadPlan): those of all processes

    Returns:
        the plans

    Example:
        >>> from torch.distributed.checkpoint.default_planner import create_default_global_load_plan
        >>> create_default_global_load_plan([])
        []
    """
    return all_plans


def _one_writer(plans: list[SavePlan], lowest: bool) -> list[SavePlan]:
    """The plans in which each piece is in one only: that with the fewest bytes so far, or the first."""
    holders: dict[MetadataIndex, list[int]] = {}
    sizes: dict[MetadataIndex, int] = {}
    for k, plan in enumerate(plans):
        for item in plan.items:
            holders.setdefault(item.index, []).append(k)
            sizes[item.index] = item.tensor_storage_size() or 0
    load = [0] * len(plans)
    writer = {}
    for index, ranks in sorted(holders.items(), key=lambda pair: len(pair[1])):
        chosen = ranks[0] if lowest else min(ranks, key=lambda k: load[k])
        writer[index] = chosen
        load[chosen] += sizes[index]
    return [
        dataclasses.replace(plan, items=[i for i in plan.items if writer[i.index] == k]) for k, plan in enumerate(plans)
    ]  # fmt: skip


def _add_to(metadata: Metadata, item: WriteItem) -> WriteItem:
    """Adds an item to the metadata, and gives it its place there."""
    table = metadata.state_dict_metadata
    if item.type is WriteItemType.BYTE_IO:
        table[item.index.fqn] = BytesStorageMetadata()
        return item
    data = item.tensor_data
    assert data is not None
    stored = table.setdefault(item.index.fqn, TensorStorageMetadata(data.properties, data.size, []))
    if not isinstance(stored, TensorStorageMetadata) or stored.size != data.size:
        raise ValueError(f"checkpoint: {item.index.fqn!r} has other shapes on other processes: {data.size} and {stored}")
    stored.chunks.append(data.chunk)
    return dataclasses.replace(item, index=MetadataIndex(item.index.fqn, item.index.offset, len(stored.chunks) - 1))


def _check_pieces(metadata: Metadata) -> None:
    for name, stored in metadata.state_dict_metadata.items():
        if isinstance(stored, TensorStorageMetadata):
            total = sum(piece.sizes.numel() for piece in stored.chunks)
            if total != stored.size.numel():
                raise ValueError(
                    f"checkpoint: the pieces of {name!r} have {total} elements together, and its shape {tuple(stored.size)} "
                    f"has {stored.size.numel()}"
                )


class DefaultLoadPlanner(LoadPlanner):
    """Reads into the tensors of a state dictionary, from pieces of any layout.

    Args:
        flatten_state_dict (bool, default True): take nested dictionaries apart
        flatten_sharded_tensors (bool, default True): of no effect
        allow_partial_load (bool, default False): leave alone what the checkpoint does not have

    Example:
        >>> torch.distributed.checkpoint.DefaultLoadPlanner().allow_partial_load
        False
    """

    def __init__(
        self, flatten_state_dict: bool = True, flatten_sharded_tensors: bool = True, allow_partial_load: bool = False
    ) -> None:  # fmt: skip
        self.flatten_state_dict, self.flatten_sharded_tensors = flatten_state_dict, flatten_sharded_tensors
        self.allow_partial_load = allow_partial_load
        self.mappings: dict[str, Any] = {}
        self.state_dict: dict[str, Any] = {}
        self.original_state_dict: dict[str, Any] = {}
        self.metadata: Metadata | None = None
        self.is_coordinator = False

    def set_up_planner(
        self, state_dict: dict[str, Any], metadata: Metadata | None = None, is_coordinator: bool = False
    ) -> None:  # fmt: skip
        """Begins a load.

        Args:
            state_dict (dict): the values by name
            metadata (Metadata): that of the checkpoint
            is_coordinator (bool): whether this process decides
        """
        self.original_state_dict = state_dict
        if self.flatten_state_dict:
            state_dict, self.mappings = flatten_state_dict(state_dict)
        self.state_dict, self.metadata, self.is_coordinator = state_dict, metadata, is_coordinator

    def create_local_plan(self) -> LoadPlan:
        """What fills this process's values."""
        assert self.metadata is not None
        return create_default_local_load_plan(self.state_dict, self.metadata, not self.allow_partial_load)

    def create_global_plan(self, global_plan: list[LoadPlan]) -> list[LoadPlan]:
        """As the processes planned.

        Args:
            global_plan (list of LoadPlan): those of all processes
        """
        return create_default_global_load_plan(global_plan)

    def finish_plan(self, new_plan: LoadPlan) -> LoadPlan:
        """As the process planned.

        Args:
            new_plan (plan): what the coordinator decided
        """
        return new_plan

    def load_bytes(self, read_item: ReadItem, value: io.BytesIO) -> None:
        """Puts a value into the state dictionary. It is unpickled, which can run any code.

        Args:
            read_item (ReadItem): the item
            value (BytesIO): the bytes
        """
        name = read_item.dest_index.fqn
        loaded = torch.load(value, weights_only=False)
        self.state_dict[name] = loaded
        if self.flatten_state_dict:
            set_element(self.original_state_dict, self.mappings[name], loaded)

    def resolve_tensor(self, read_item: ReadItem) -> torch.Tensor:
        """The part of a tensor that an item fills.

        Args:
            read_item (ReadItem): the item
        """
        return self.transform_tensor(read_item, self.lookup_tensor(read_item.dest_index))

    def commit_tensor(self, read_item: ReadItem, tensor: torch.Tensor) -> None:
        """Nothing: the tensor was filled in place.

        Args:
            read_item (ReadItem): the item
            tensor (Tensor): the tensor
        """

    def lookup_tensor(self, index: MetadataIndex) -> torch.Tensor:
        """This process's part of a tensor.

        Args:
            index (MetadataIndex): which one
        """
        return local_part(self.state_dict[index.fqn])

    def transform_tensor(self, read_item: ReadItem, tensor: torch.Tensor) -> torch.Tensor:
        """What is filled of it.

        Args:
            read_item (ReadItem): the item
            tensor (Tensor): the tensor
        """
        return narrow(tensor, read_item.dest_offsets, read_item.lengths)


class _EmptyStateDictLoadPlanner(DefaultLoadPlanner):
    """Reads everything, or the values with some names, into a dictionary that is empty."""

    def __init__(self, keys: set[str] | None = None, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.keys = keys

    def _is_chosen(self, name: str, path: Any) -> bool:
        if self.keys is None or name in self.keys:
            return True
        return any(".".join(map(str, path[:k])) in self.keys for k in range(1, len(path) + 1))

    def set_up_planner(
        self, state_dict: dict[str, Any], metadata: Metadata | None = None, is_coordinator: bool = False
    ) -> None:  # fmt: skip
        assert metadata is not None and not state_dict
        paths = metadata.planner_data or {name: (name,) for name in metadata.state_dict_metadata}
        for name, stored in metadata.state_dict_metadata.items():
            if self._is_chosen(name, paths.get(name, (name,))):
                value = None
                if isinstance(stored, TensorStorageMetadata):
                    value = torch.empty(stored.size, dtype=stored.properties.dtype)
                set_element(state_dict, paths.get(name, (name,)), value)
        super().set_up_planner(state_dict, metadata, is_coordinator)
        self.mappings = {name: paths.get(name, (name,)) for name in self.state_dict}
