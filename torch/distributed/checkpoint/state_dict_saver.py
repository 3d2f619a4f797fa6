"""save and async_save."""

from __future__ import annotations

import os
import warnings
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from enum import Enum
from typing import Any

import torch.distributed as dist
from torch.distributed.checkpoint._staging import copy_state
from torch.distributed.checkpoint._steps import Steps
from torch.distributed.checkpoint.default_planner import DefaultSavePlanner
from torch.distributed.checkpoint.filesystem import FileSystemWriter
from torch.distributed.checkpoint.metadata import Metadata
from torch.distributed.checkpoint.planner import SavePlanner
from torch.distributed.checkpoint.stateful import Stateful
from torch.distributed.checkpoint.storage import StorageWriter

__all__ = ["save_state_dict", "save", "async_save", "AsyncCheckpointerType", "AsyncSaveResponse"]


class AsyncCheckpointerType(Enum):
    """What saves in the background."""

    THREAD = "thread"
    PROCESS = "process"


@dataclass
class AsyncSaveResponse:
    """Futures of a copy of the state, and of the save."""

    staging_completion: Future[None]
    upload_completion: Future[Any]


def _states(state_dict: dict[str, Any]) -> dict[str, Any]:
    return {
        key: value.state_dict() if isinstance(value, Stateful) else value for key, value in state_dict.items()
    }  # fmt: skip


def _writer(storage_writer: StorageWriter | None, checkpoint_id: Any) -> StorageWriter:
    if storage_writer is None:
        if checkpoint_id is None:
            raise RuntimeError("checkpoint.save(): expected checkpoint_id, a directory, or storage_writer")
        return FileSystemWriter(checkpoint_id)
    storage_writer.reset(checkpoint_id)
    return storage_writer


def save(
    state_dict: dict[str, Any], *, checkpoint_id: str | os.PathLike[str] | None = None,
    storage_writer: StorageWriter | None = None, planner: SavePlanner | None = None, process_group: Any = None,
    no_dist: bool = False, use_collectives: bool = True,
) -> Metadata:  # fmt: skip
    """Writes a checkpoint. All processes call it, and each writes what it has.

    A save that fails, or is killed, leaves the checkpoint that was in the directory before as it was.

    Args:
        state_dict (dict): tensors, DTensors, values that can be pickled, and objects with state_dict(), nested at will
        checkpoint_id (str or path, optional): the directory
        storage_writer (StorageWriter, optional): what writes; a FileSystemWriter by default
        planner (SavePlanner, optional): what decides who writes what
        process_group (ProcessGroup, optional): the processes; all by default
        no_dist (bool, default False): this process saves alone
        use_collectives (bool, default True): True

    Returns:
        the metadata, on the coordinator

    Raises:
        CheckpointException: a process failed; all processes get it

    Example:
        >>> torch.distributed.checkpoint.save.__name__
        'save'
    """
    if not use_collectives:
        raise NotImplementedError("checkpoint.save(): this version has use_collectives=True only")
    return _save(_states(state_dict), _writer(storage_writer, checkpoint_id), process_group, 0, no_dist, planner)


def _save(
    state_dict: dict[str, Any], writer: StorageWriter, group: Any, coordinator: int, alone: bool, planner: SavePlanner | None
) -> Metadata:  # fmt: skip
    steps = Steps(group, coordinator, alone)
    planner = planner or DefaultSavePlanner()
    metadata: list[Metadata] = []

    def local_plan() -> Any:
        planner.set_up_planner(state_dict, writer.storage_meta(), steps.is_coordinator)
        writer.set_up_storage_writer(steps.is_coordinator)
        return writer.prepare_local_plan(planner.create_local_plan())

    def global_plan(plans: list[Any]) -> list[Any]:
        plans, found = planner.create_global_plan(plans)
        metadata.append(found)
        return writer.prepare_global_plan(plans)

    def write() -> Any:
        future = writer.write_data(planner.finish_plan(plan), planner)
        future.wait()
        return future.value()

    def finish(results: list[Any]) -> Metadata:
        writer.finish(metadata[0], results)
        return metadata[0]

    plan = steps.decide("save: plans", local_plan, global_plan)
    try:
        return steps.same("save: writing", write, finish)
    except BaseException:
        if isinstance(writer, FileSystemWriter):
            writer._give_up()
        raise


def save_state_dict(
    state_dict: dict[str, Any], storage_writer: StorageWriter, process_group: Any = None, coordinator_rank: int = 0,
    no_dist: bool = False, planner: SavePlanner | None = None,
) -> Metadata:  # fmt: skip
    """The former name of `save`.

    Args:
        state_dict (dict): the state
        storage_writer (StorageWriter): what writes
        process_group (ProcessGroup, optional): the processes; all by default
        coordinator_rank (int, default 0): which of them decides
        no_dist (bool, default False): this process saves alone
        planner (SavePlanner, optional): what decides who writes what

    Returns:
        the metadata, on the coordinator

    Example:
        >>> torch.distributed.checkpoint.save_state_dict.__name__
        'save_state_dict'
    """
    warnings.warn("save_state_dict() is now called save()", FutureWarning, stacklevel=2)
    storage_writer.reset()
    return _save(_states(state_dict), storage_writer, process_group, coordinator_rank, no_dist, planner)


_background: list[Any] = []  # the executor, and the group of the last job


def _group_of_background(given: Any) -> Any:
    """A group of its own: messages of training and of the save must not meet."""
    if not dist.is_initialized():
        return None
    world = dist.group.WORLD if given is None else given
    if not _background or _background[1] is not world:
        executor = _background[0] if _background else ThreadPoolExecutor(1, "checkpoint")
        _background[:] = [executor, world, dist.new_group(dist.get_process_group_ranks(world))]
    return _background[2]


def async_save(
    state_dict: dict[str, Any], *, checkpoint_id: str | os.PathLike[str] | None = None,
    storage_writer: StorageWriter | None = None, planner: SavePlanner | None = None, process_group: Any = None,
    async_checkpointer_type: AsyncCheckpointerType = AsyncCheckpointerType.THREAD, async_stager: Any = None,
    no_dist: bool = False, use_collectives: bool = True,
) -> Any:  # fmt: skip
    """Copies the state, and writes the checkpoint in a thread. Saves follow one another.

    Args:
        state_dict (dict): as of `save`
        checkpoint_id (str or path, optional): the directory
        storage_writer (StorageWriter, optional): what writes; a FileSystemWriter by default
        planner (SavePlanner, optional): what decides who writes what
        process_group (ProcessGroup, optional): the processes; all by default
        async_checkpointer_type (AsyncCheckpointerType, default THREAD): THREAD
        async_stager (object, optional): has stage(state_dict), which copies the state
        no_dist (bool, default False): this process saves alone
        use_collectives (bool, default True): True

    Returns:
        a future of what `save` returns, or an AsyncSaveResponse with `async_stager`

    Example:
        >>> torch.distributed.checkpoint.async_save.__name__
        'async_save'
    """
    if async_checkpointer_type is not AsyncCheckpointerType.THREAD:
        raise NotImplementedError("checkpoint.async_save(): this version saves in a thread, not in a process")
    writer = _writer(storage_writer, checkpoint_id)
    staged = _states(state_dict)
    staged = async_stager.stage(staged) if async_stager is not None else copy_state(staged)
    if isinstance(staged, Future):
        staged = staged.result()
    group = None if no_dist else _group_of_background(process_group)
    if not _background:
        _background[:] = [ThreadPoolExecutor(1, "checkpoint"), None, None]
    job = _background[0].submit(_save, staged, writer, group, 0, no_dist, planner)
    if async_stager is None:
        return job
    copied: Future[None] = Future()
    copied.set_result(None)
    return AsyncSaveResponse(copied, job)
