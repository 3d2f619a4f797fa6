"""save and async_save."""

from __future__ import annotations

import os
import warnings
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from enum import Enum
from typing import Any

import torch.distributed as dist
from torch.distributed.checkpoint._save_process import SaveProcess, shared_copy
from torch.distributed.checkpoint._staging import copy_state
from torch.distributed.checkpoint._steps import Steps
from torch.distributed.checkpoint._url import fsspec_classes
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
        if not FileSystemWriter.validate_checkpoint_id(checkpoint_id):
            return fsspec_classes("save", checkpoint_id).FsspecWriter(checkpoint_id)  # type: ignore[no-any-return]
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


class _Background:
    """The thread of this process's saves, and what they use: made when first needed, and again for another group."""

    def __init__(self) -> None:
        self.thread: ThreadPoolExecutor | None = None
        self.groups: list[Any] = []  # the group that was given last, and one of the same ranks
        self.process: SaveProcess | None = None

    def submit(self, *job: Any) -> Future[Any]:
        if self.thread is None:
            self.thread = ThreadPoolExecutor(1, "checkpoint")
        return self.thread.submit(*job)

    def group_for(self, given: Any) -> Any:
        """A group of its own: messages of training and of the save must not meet."""
        if not dist.is_initialized():
            return None
        world = dist.group.WORLD if given is None else given
        if not self.groups or self.groups[0] is not world:
            self.groups = [world, dist.new_group(dist.get_process_group_ranks(world))]
        return self.groups[1]

    def process_for(self, given: Any, alone: bool) -> SaveProcess:
        """The process beside this one that saves with those of a group."""
        group = None if alone or not dist.is_initialized() else dist.group.WORLD if given is None else given
        if self.process is not None and not (self.process.group is group and _on_all(group, self.process.is_alive())):
            old, self.process = self.process, None
            self.submit(old.close).result()  # after the saves that were asked for
        if self.process is None:
            self.process = SaveProcess(group)
        return self.process


def _on_all(group: Any, value: bool) -> bool:
    """Whether a value is true in all processes of a group."""
    if group is None:
        return value
    found: list[Any] = [None] * dist.get_world_size(group)
    dist.all_gather_object(found, value, group=group)
    return all(found)


_background = _Background()


def async_save(
    state_dict: dict[str, Any], *, checkpoint_id: str | os.PathLike[str] | None = None,
    storage_writer: StorageWriter | None = None, planner: SavePlanner | None = None, process_group: Any = None,
    async_checkpointer_type: AsyncCheckpointerType = AsyncCheckpointerType.THREAD, async_stager: Any = None,
    no_dist: bool = False, use_collectives: bool = True,
) -> Any:  # fmt: skip
    """Copies the state, and writes the checkpoint in a thread or in another process. Saves follow one another.

    A thread shares Python's lock with training; a process does not. The first save with PROCESS starts the process, which takes
    about as long as `import torch` in a new one. It ends with this one. It imports the main module, as processes of
    `multiprocessing` do: let the program begin with `if __name__ == "__main__":`.

    Args:
        state_dict (dict): as of `save`
        checkpoint_id (str or path, optional): the directory
        storage_writer (StorageWriter, optional): what writes; a FileSystemWriter by default
        planner (SavePlanner, optional): what decides who writes what
        process_group (ProcessGroup, optional): the processes; all by default
        async_checkpointer_type (AsyncCheckpointerType, default THREAD): THREAD or PROCESS; with PROCESS, the writer, the planner
            and what is no tensor in the state must be such that they can be pickled
        async_stager (object, optional): has stage(state_dict), which copies the state, such as those of `checkpoint.staging`
        no_dist (bool, default False): this process saves alone
        use_collectives (bool, default True): True

    Returns:
        a future of what `save` returns, or an AsyncSaveResponse with `async_stager`

    Raises:
        ValueError: async_checkpointer_type is none
        RuntimeError: the process cannot be started

    Example:
        >>> torch.distributed.checkpoint.async_save.__name__
        'async_save'
    """
    if not isinstance(async_checkpointer_type, AsyncCheckpointerType):
        raise ValueError(f"checkpoint.async_save(): expected an AsyncCheckpointerType, got {async_checkpointer_type!r}")
    if not use_collectives:
        raise NotImplementedError("checkpoint.async_save(): this version has use_collectives=True only")
    writer = _writer(storage_writer, checkpoint_id)
    in_process = async_checkpointer_type is AsyncCheckpointerType.PROCESS
    process = _background.process_for(process_group, no_dist) if in_process else None
    group = None if no_dist or in_process else _background.group_for(process_group)
    states = _states(state_dict)
    if async_stager is None:
        staged = shared_copy(states) if in_process else copy_state(states)
    else:
        staged = async_stager.stage(states)

    def job() -> Any:
        found = staged.result() if isinstance(staged, Future) else staged
        if process is not None:
            return process.save(found, writer, planner)
        return _save(found, writer, group, 0, no_dist, planner)

    upload = _background.submit(job)
    if async_stager is None:
        return upload
    copied: Future[None] = Future()
    if isinstance(staged, Future):
        staged.add_done_callback(lambda f: _pass_on(f, copied))
    else:
        copied.set_result(None)
    return AsyncSaveResponse(copied, upload)


def _pass_on(done: Future[Any], copied: Future[None]) -> None:
    error = done.exception()
    if error is not None:
        copied.set_exception(error)
    else:
        copied.set_result(None)
