"""load."""

from __future__ import annotations

import os
import warnings
from typing import Any

from torch.distributed.checkpoint._steps import Steps
from torch.distributed.checkpoint._url import fsspec_classes
from torch.distributed.checkpoint.default_planner import DefaultLoadPlanner, _EmptyStateDictLoadPlanner
from torch.distributed.checkpoint.filesystem import FileSystemReader
from torch.distributed.checkpoint.planner import LoadPlanner
from torch.distributed.checkpoint.stateful import Stateful
from torch.distributed.checkpoint.storage import StorageReader

__all__ = ["load_state_dict", "load"]


def _reader(storage_reader: StorageReader | None, checkpoint_id: Any) -> StorageReader:
    if storage_reader is None:
        if checkpoint_id is None:
            raise RuntimeError("checkpoint.load(): expected checkpoint_id, a directory, or storage_reader")
        if not FileSystemReader.validate_checkpoint_id(checkpoint_id):
            return fsspec_classes("load", checkpoint_id).FsspecReader(checkpoint_id)  # type: ignore[no-any-return]
        return FileSystemReader(checkpoint_id)
    storage_reader.reset(checkpoint_id)
    return storage_reader


def load(
    state_dict: dict[str, Any], *, checkpoint_id: str | os.PathLike[str] | None = None,
    storage_reader: StorageReader | None = None, planner: LoadPlanner | None = None, process_group: Any = None,
    no_dist: bool = False,
) -> None:  # fmt: skip
    """Fills a state dictionary from a checkpoint. All processes call it, and each reads what it needs.

    The tensors are filled in place, whatever layout they had when they were saved; values that are no tensors are replaced, and
    objects with load_state_dict() take theirs. Values are unpickled, which can run any code: load only what you trust.

    Args:
        state_dict (dict): what is filled
        checkpoint_id (str or path, optional): the directory
        storage_reader (StorageReader, optional): what reads; a FileSystemReader by default
        planner (LoadPlanner, optional): what decides who reads what
        process_group (ProcessGroup, optional): the processes; all by default
        no_dist (bool, default False): this process loads alone

    Raises:
        CheckpointException: a process failed, such as when the checkpoint lacks a value or has another shape

    Example:
        >>> torch.distributed.checkpoint.load.__name__
        'load'
    """
    reader = _reader(storage_reader, checkpoint_id)
    steps = Steps(process_group, 0, no_dist)
    keys = sorted(state_dict)
    if steps.size > 1:
        # A process may lack a key; the others must not wait for it.
        keys = steps.same("load: keys", lambda: keys, lambda given: sorted({k for own in given for k in own}))
    states = {
        key: state_dict[key].state_dict() if isinstance(state_dict[key], Stateful) else state_dict[key]
        for key in keys if key in state_dict
    }  # fmt: skip
    _load(states, reader, steps, planner)
    for key, value in states.items():
        if isinstance(state_dict[key], Stateful):
            state_dict[key].load_state_dict(value)
        else:
            state_dict[key] = value


def _load(state_dict: dict[str, Any], reader: StorageReader, steps: Steps, planner: LoadPlanner | None) -> None:
    planner = planner or DefaultLoadPlanner()

    def local_plan() -> Any:
        metadata = reader.read_metadata()
        planner.set_up_planner(state_dict, metadata, steps.is_coordinator)
        reader.set_up_storage_reader(metadata, steps.is_coordinator)
        return reader.prepare_local_plan(planner.create_local_plan())

    def global_plan(plans: list[Any]) -> list[Any]:
        return reader.prepare_global_plan(planner.create_global_plan(plans))

    def read() -> None:
        reader.read_data(planner.finish_plan(plan), planner).wait()

    plan = steps.decide("load: plans", local_plan, global_plan)
    steps.same("load: reading", read, lambda _: None)


def load_state_dict(
    state_dict: dict[str, Any], storage_reader: StorageReader, process_group: Any = None, coordinator_rank: int = 0,
    no_dist: bool = False, planner: LoadPlanner | None = None,
) -> None:  # fmt: skip
    """The former name of `load`.

    Args:
        state_dict (dict): what is filled
        storage_reader (StorageReader): what reads
        process_group (ProcessGroup, optional): the processes; all by default
        coordinator_rank (int, default 0): which of them decides
        no_dist (bool, default False): this process loads alone
        planner (LoadPlanner, optional): what decides who reads what

    Example:
        >>> torch.distributed.checkpoint.load_state_dict.__name__
        'load_state_dict'
    """
    warnings.warn("load_state_dict() is now called load()", FutureWarning, stacklevel=2)
    storage_reader.reset()
    _load(state_dict, storage_reader, Steps(process_group, coordinator_rank, no_dist), planner)


def _load_state_dict_from_keys(
    keys: set[str] | str | None = None, *, checkpoint_id: str | os.PathLike[str] | None = None,
    storage_reader: StorageReader | None = None, process_group: Any = None,
) -> dict[str, Any]:  # fmt: skip
    """What a checkpoint has, or the parts of it with some names; all processes get all of it."""
    chosen = None if not keys else {keys} if isinstance(keys, str) else set(keys)
    found: dict[str, Any] = {}
    reader = _reader(storage_reader, checkpoint_id)
    _load(found, reader, Steps(process_group, 0, False), _EmptyStateDictLoadPlanner(chosen))
    return found
