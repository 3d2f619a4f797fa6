"""Checkpoints in a directory: files with the pieces, and `.metadata`, which says where they are.

A save never touches the files of the checkpoint that is there. It writes files with other names, and puts its metadata in place
by renaming it. Then the old files go. So a save that is killed, or finds the disk full, leaves the last checkpoint as it was.
Both go through a file system (`fs`), which may be one of the user's.
"""

from __future__ import annotations

import contextlib
import io
import os
import queue
import threading
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Any

import torch
from torch.distributed.checkpoint._extension import ExtensionRegistry, descriptors_of, restored, transformed
from torch.distributed.checkpoint._file_system import (
    FileSystem,
    FileSystemBase,
    names_in,
    remove_file,
    replace_file,
    sync_stream,
)
from torch.distributed.checkpoint._pieces import narrow
from torch.distributed.checkpoint._unpickle import load_metadata, save_metadata
from torch.distributed.checkpoint.metadata import Metadata, MetadataIndex, StorageMeta
from torch.distributed.checkpoint.planner import (
    LoadItemType,
    LoadPlan,
    LoadPlanner,
    SavePlan,
    SavePlanner,
    WriteItem,
    WriteItemType,
)
from torch.distributed.checkpoint.storage import StorageReader, StorageWriter, WriteResult
from torch.futures import Future

__all__ = ["FileSystemWriter", "FileSystemReader", "FileSystem", "FileSystemBase", "SerializationFormat"]

_METADATA, _SUFFIX, _VERSION = ".metadata", ".distcp", "1.0.0"


class SerializationFormat(Enum):
    """How pieces are written."""

    TORCH_SAVE = "torch_save"
    SAFETENSORS = "safetensors"


@dataclass
class _StorageInfo:
    """Where a piece is."""

    relative_path: str
    offset: int
    length: int
    transform_descriptors: Sequence[str] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in vars(self).items() if value is not None}


@dataclass
class _StoragePrefix:
    """With what the names of a process's files begin."""

    prefix: str


def _done(value: Any) -> Future[Any]:
    future: Future[Any] = Future()
    future.set_result(value)
    return future


def _in_threads(count: int, jobs: list[Any], run: Callable[[Any], Any]) -> list[Any]:
    """The results of all jobs; the first error is raised."""
    if count <= 1 or len(jobs) <= 1:
        return [run(job) for job in jobs]
    todo: queue.SimpleQueue[Any] = queue.SimpleQueue()
    results: list[Any] = [None] * len(jobs)
    errors: list[BaseException] = []
    for k, job in enumerate(jobs):
        todo.put((k, job))

    def work() -> None:
        while not errors:
            try:
                k, job = todo.get_nowait()
            except queue.Empty:
                return
            try:
                results[k] = run(job)
            except BaseException as error:  # noqa: BLE001  (raised by the caller)
                errors.append(error)

    threads = [threading.Thread(target=work, daemon=True) for _ in range(min(count, len(jobs)))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return results


class FileSystemWriter(StorageWriter):
    """Writes a checkpoint into a directory that all processes see.

    Args:
        path (str or path): the directory
        single_file_per_rank (bool, default True): one file per process; otherwise one per piece
        sync_files (bool, default True): wait until files are on the disk
        thread_count (int, default 1): how many threads write
        per_thread_copy_ahead (int, default 10000000): of no effect on the CPU
        cache_staged_state_dict (bool, default False): of no effect
        overwrite (bool, default True): replace a checkpoint that is there
        serialization_format (SerializationFormat, default TORCH_SAVE): TORCH_SAVE

    A subclass may set `fs` to a FileSystemBase of its own, and `path` to what its `init_path` gives.

    Raises:
        RuntimeError: at a save, if there is a checkpoint and `overwrite` is False
        NotImplementedError: another format

    Example:
        >>> torch.distributed.checkpoint.FileSystemWriter("folder").path.name
        'folder'
    """

    def __init__(
        self, path: str | os.PathLike[str], single_file_per_rank: bool = True, sync_files: bool = True, thread_count: int = 1,
        per_thread_copy_ahead: int = 10_000_000, cache_staged_state_dict: bool = False, overwrite: bool = True,
        _extensions: Any = None, serialization_format: SerializationFormat = SerializationFormat.TORCH_SAVE,
    ) -> None:  # fmt: skip
        if serialization_format is not SerializationFormat.TORCH_SAVE:
            raise NotImplementedError("FileSystemWriter: for files of safetensors use HuggingFaceStorageWriter")
        self.fs: FileSystemBase = FileSystem()
        self.path: Any = self.fs.init_path(path)
        self.extensions = list(_extensions or ())
        self.single_file_per_rank, self.sync_files, self.thread_count = single_file_per_rank, sync_files, thread_count
        self.overwrite = overwrite
        self.save_id = str(uuid.uuid4())
        self.is_coordinator = False
        self._written: list[str] = []

    def reset(self, checkpoint_id: str | os.PathLike[str] | None = None) -> None:
        """Begins a save.

        Args:
            checkpoint_id (str or path): the directory
        """
        if checkpoint_id:
            self.path = self.fs.init_path(checkpoint_id)
        self.save_id = str(uuid.uuid4())

    def set_up_storage_writer(self, is_coordinator: bool, *args: Any, **kwargs: Any) -> None:
        """Remembers whether this process writes the metadata."""
        self.is_coordinator = is_coordinator

    def prepare_local_plan(self, plan: SavePlan) -> SavePlan:
        """Makes the directory.

        Args:
            plan (plan): of this process
        """
        self.fs.mkdir(self.path)
        if not self.overwrite and self.fs.exists(self.fs.concat_path(self.path, _METADATA)):
            raise RuntimeError(f"FileSystemWriter: there is a checkpoint in {self.path} already, and overwrite is False")
        return plan

    def prepare_global_plan(self, plans: list[SavePlan]) -> list[SavePlan]:
        """Gives each process names for its files, which are not those of the checkpoint that is there.

        Args:
            plans (list): of all processes
        """
        tag = f"{self.save_id[:8]}_" if self._has_files() else ""
        return [replace(plan, storage_data=_StoragePrefix(f"__{tag}{k}_")) for k, plan in enumerate(plans)]

    def _has_files(self) -> bool:
        """Whether there may be files with pieces in the directory."""
        if hasattr(self.fs, "ls"):
            return any(name.endswith(_SUFFIX) for name in names_in(self.fs, self.path))
        return self.fs.exists(self.fs.concat_path(self.path, _METADATA))

    def _files_of_last(self) -> set[str]:
        """The files of the checkpoint that is in the directory."""
        path = self.fs.concat_path(self.path, _METADATA)
        if not self.fs.exists(path):
            return set()
        with self.fs.create_stream(path, "rb") as file:
            return {info.relative_path for info in load_metadata(file).storage_data.values()}

    def write_data(self, plan: SavePlan, planner: SavePlanner) -> Future[list[WriteResult]]:
        """Writes the items of this process.

        Args:
            plan (plan): of this process
            planner (planner): gives the tensors
        """
        prefix = plan.storage_data.prefix
        # Values first: a reader of one file meets them in one place.
        items = sorted(plan.items, key=lambda item: item.type is not WriteItemType.BYTE_IO)
        if self.single_file_per_rank:
            count = max(1, min(self.thread_count, len(items)))
            loads = _balanced(items, count)
        else:
            loads = [[item] for item in items]
        jobs = [(f"{prefix}{k}{_SUFFIX}", load) for k, load in enumerate(loads) if load]
        self._written = []

        def run(job: tuple[str, list[WriteItem]]) -> list[WriteResult]:
            self._written.append(job[0])
            return self._write_file(job[0], job[1], planner)

        results = _in_threads(self.thread_count, jobs, run)
        return _done([result for part in results for result in part])

    def _write_file(self, name: str, items: list[WriteItem], planner: SavePlanner) -> list[WriteResult]:
        results = []
        with self.fs.create_stream(self.fs.concat_path(self.path, name), "wb") as file:
            start, descriptors = 0, descriptors_of(self.extensions)
            for item in items:
                data = planner.resolve_data(item)
                if isinstance(data, io.BytesIO):
                    buffer = data
                else:
                    data = data.detach().contiguous()
                    # A file of a view would hold all that its storage has.
                    if data.untyped_storage().nbytes() != data.numel() * data.element_size():
                        data = data.clone()
                    buffer = io.BytesIO()
                    torch.save(data, buffer)
                piece = transformed(self.extensions, buffer.getbuffer())
                file.write(piece)  # type: ignore[attr-defined]
                length = len(piece)
                results.append(WriteResult(item.index, length, _StorageInfo(name, start, length, descriptors)))
                start += length
            if self.sync_files:
                sync_stream(file)
        return results

    def finish(self, metadata: Metadata, results: list[list[WriteResult]]) -> None:
        """Puts the metadata in place, and removes what no longer belongs to the checkpoint.

        Args:
            metadata (Metadata): that of the checkpoint
            results (list): what `write_data` gave on each process
        """
        metadata.storage_data = {r.index: r.storage_data for part in results for r in part}
        metadata.storage_meta, metadata.version = self.storage_meta(), _VERSION
        new = self.fs.concat_path(self.path, f"{_METADATA}.tmp")
        # A file system that cannot list a directory: the last checkpoint knows its files.
        old_files: set[str] = set()
        if not hasattr(self.fs, "ls"):
            with contextlib.suppress(Exception):
                old_files = self._files_of_last()
        try:
            with self.fs.create_stream(new, "wb") as file:
                save_metadata(metadata, file)
                if self.sync_files:
                    sync_stream(file)
        except BaseException:
            remove_file(self.fs, new)
            raise
        replace_file(self.fs, new, self.fs.concat_path(self.path, _METADATA))
        if self.sync_files and isinstance(self.fs, FileSystem):
            self.fs.sync_directory(self.path)
        if hasattr(self.fs, "ls"):
            old_files = {name for name in names_in(self.fs, self.path) if name.endswith(_SUFFIX)}
        self._remove(old_files, {info.relative_path for info in metadata.storage_data.values()})

    def _remove(self, names: Iterable[str], kept: set[str]) -> None:
        for name in names:
            if name.startswith("__") and name not in kept:
                remove_file(self.fs, self.fs.concat_path(self.path, name))

    def _give_up(self) -> None:
        """Removes what this process wrote, after a failure of any: the disk may be full of it."""
        try:
            kept = self._files_of_last()
        except Exception:  # noqa: BLE001  (it may be the metadata of these files)
            return
        self._remove(self._written, kept)

    def storage_meta(self) -> StorageMeta:
        """The directory, and a name of this save."""
        return StorageMeta(checkpoint_id=self.path, save_id=self.save_id)

    def stage(self, state_dict: dict[str, Any]) -> dict[str, Any]:
        """A copy of a state dictionary, which a save in the background writes.

        Args:
            state_dict (dict): the state

        Returns:
            the copy
        """
        from torch.distributed.checkpoint._staging import copy_state

        return copy_state(state_dict)

    @property
    def checkpoint_id(self) -> str | os.PathLike[str]:
        """The directory."""
        return self.path

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id: str | os.PathLike[str]) -> bool:
        """Whether a place is a path.

        Args:
            checkpoint_id (str or path): the directory
        """
        return FileSystem.validate_checkpoint_id(checkpoint_id)


def _balanced(items: list[WriteItem], count: int) -> list[list[WriteItem]]:
    """The items in `count` parts with about as many bytes."""
    parts: list[list[WriteItem]] = [[] for _ in range(count)]
    sizes = [0] * count
    for k, item in enumerate(items):
        size = item.tensor_storage_size()
        at = k % count if size is None else sizes.index(min(sizes))
        parts[at].append(item)
        sizes[at] += size or 0
    return parts


class FileSystemReader(StorageReader):
    """Reads a checkpoint from a directory.

    Args:
        path (str or path): the directory

    A subclass may set `fs` to a FileSystemBase of its own, and `path` to what its `init_path` gives.

    Example:
        >>> torch.distributed.checkpoint.FileSystemReader("folder").checkpoint_id
        PosixPath('folder')
    """

    def __init__(self, path: str | os.PathLike[str], _extension_registry: Any = None) -> None:
        self.fs: FileSystemBase = FileSystem()
        self.path: Any = self.fs.init_path(path)
        self.extensions = _extension_registry or ExtensionRegistry()
        self.storage_data: dict[MetadataIndex, _StorageInfo] = {}
        self.load_id = str(uuid.uuid4())

    def reset(self, checkpoint_id: str | os.PathLike[str] | None = None) -> None:
        """Begins a load.

        Args:
            checkpoint_id (str or path): the directory
        """
        self.storage_data = {}
        if checkpoint_id:
            self.path = self.fs.init_path(checkpoint_id)
        self.load_id = str(uuid.uuid4())

    def read_metadata(self, *args: Any, **kwargs: Any) -> Metadata:
        """The metadata. Only the classes that it consists of are loaded."""
        with self.fs.create_stream(self.fs.concat_path(self.path, _METADATA), "rb") as file:
            metadata = load_metadata(file)
        if metadata.storage_meta is None:
            metadata.storage_meta = StorageMeta()
        metadata.storage_meta.load_id = self.load_id
        return metadata

    def set_up_storage_reader(self, metadata: Metadata, is_coordinator: bool, *args: Any, **kwargs: Any) -> None:
        """Remembers where the pieces are."""
        self.storage_data = metadata.storage_data

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
        """Reads the items of this process, file by file.

        Args:
            plan (plan): of this process
            planner (planner): gives the tensors
        """
        by_file: dict[str, list[Any]] = {}
        for item in plan.items:
            info = self.storage_data[item.storage_index]
            by_file.setdefault(info.relative_path, []).append((info, item))
        for name, items in by_file.items():
            with self.fs.create_stream(self._inside(name), "rb") as file:
                for info, item in sorted(items, key=lambda pair: pair[0].offset):
                    file.seek(info.offset)
                    data = file.read(info.length)  # type: ignore[attr-defined]
                    if info.transform_descriptors:
                        data = restored(self.extensions.from_descriptor_list(info.transform_descriptors), data)
                    self._read(io.BytesIO(data), item, planner)
        return _done(None)

    def _inside(self, name: str) -> Any:
        """The path of a file that the metadata names, which may be hostile."""
        path = self.fs.concat_path(self.path, name)
        outside = os.path.isabs(name) or ".." in Path(name).parts
        if isinstance(path, Path):
            outside = self.path.resolve() not in path.resolve().parents
        if outside:
            raise ValueError(f"FileSystemReader: the metadata names a file outside of the checkpoint: {name!r}")
        return path

    def _read(self, data: io.BytesIO, item: Any, planner: LoadPlanner) -> None:
        if item.type is LoadItemType.BYTE_IO:
            planner.load_bytes(item, data)
            return
        piece = torch.load(data, map_location="cpu", weights_only=True)
        part = narrow(piece, item.storage_offsets, item.lengths)
        target = planner.resolve_tensor(item).detach()
        if target.size() != part.size():
            raise ValueError(
                f"FileSystemReader: {item.storage_index.fqn!r} has {tuple(part.size())} elements, expected {tuple(target.size())}"
            )
        target.copy_(part)
        planner.commit_tensor(item, target)

    @property
    def checkpoint_id(self) -> str | os.PathLike[str]:
        """The directory."""
        return self.path

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id: str | os.PathLike[str]) -> bool:
        """Whether a place is a path.

        Args:
            checkpoint_id (str or path): the directory
        """
        return FileSystemWriter.validate_checkpoint_id(checkpoint_id)
