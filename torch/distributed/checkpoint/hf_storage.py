"""Checkpoints of several processes in files of safetensors, as the models of Hugging Face are."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch.distributed.checkpoint import _safetensors
from torch.distributed.checkpoint._pieces import narrow
from torch.distributed.checkpoint.filesystem import FileSystemReader, FileSystemWriter, _done, _StoragePrefix
from torch.distributed.checkpoint.metadata import (
    ChunkStorageMetadata,
    Metadata,
    MetadataIndex,
    StorageMeta,
    TensorProperties,
    TensorStorageMetadata,
)
from torch.distributed.checkpoint.planner import LoadPlan, LoadPlanner, SavePlan, SavePlanner, WriteItem, WriteItemType
from torch.distributed.checkpoint.storage import WriteResult
from torch.futures import Future

__all__ = ["HuggingFaceStorageWriter", "HuggingFaceStorageReader"]

_INDEX, _PIECES, _OFFSETS = "model.safetensors.index.json", "sharded", "DCP_SHARDING_INFO"
_FORMAT = {"format": "pt"}


@dataclass
class _HFStorageInfo:
    """Where a piece is: a file, and the entry of its header."""

    relative_path: str
    name: str
    shape: torch.Size
    dtype: torch.dtype


class HuggingFaceStorageWriter(FileSystemWriter):
    """Writes tensors into files of safetensors, with an index where there are several.

    Args:
        path (str): the directory
        fqn_to_index_mapping (dict, optional): the number of the file for each tensor, from 1; one file by default
        thread_count (int, default 1): of no effect
        save_distributed (bool, default False): each process writes the pieces that it has; otherwise tensors are whole
        enable_consolidation (bool, default False): with save_distributed: join the pieces to whole tensors afterwards
        thread_count_consolidation (int, default 1): of no effect

    Raises:
        ValueError: consolidation without pieces; at a save, a value that is no tensor

    Example:
        >>> torch.distributed.checkpoint.HuggingFaceStorageWriter("folder").path.name
        'folder'
    """

    def __init__(
        self, path: str, fqn_to_index_mapping: dict[str, int] | None = None, thread_count: int = 1,
        save_distributed: bool = False, enable_consolidation: bool = False, thread_count_consolidation: int = 1,
    ) -> None:  # fmt: skip
        super().__init__(path)
        if enable_consolidation and not save_distributed:
            raise ValueError("HuggingFaceStorageWriter: enable_consolidation needs save_distributed=True")
        self.mapping, self.save_distributed, self.consolidates = fqn_to_index_mapping, save_distributed, enable_consolidation

    def _folder(self) -> Path:
        return self.path / _PIECES if self.consolidates else self.path

    def prepare_local_plan(self, plan: SavePlan) -> SavePlan:
        """Makes the directory.

        Args:
            plan (plan): of this process
        """
        self._folder().mkdir(parents=True, exist_ok=True)
        return plan

    def prepare_global_plan(self, plans: list[SavePlan]) -> list[SavePlan]:
        """Gives each process names for its files.

        Args:
            plans (list): of all processes
        """
        count = max(self.mapping.values()) if self.mapping else 1
        return [replace(plan, storage_data=_StoragePrefix(f"{k}:{count}")) for k, plan in enumerate(plans)]

    def _name(self, number: int, count: int, rank: int) -> str:
        name = f"model-{number:05d}-of-{count:05d}.safetensors"
        return f"shard-{rank:05d}-{name}" if self.save_distributed else name

    def write_data(self, plan: SavePlan, planner: SavePlanner) -> Future[list[WriteResult]]:
        """Writes the items of this process.

        Args:
            plan (plan): of this process
            planner (planner): gives the tensors
        """
        rank, count = map(int, plan.storage_data.prefix.split(":"))
        files: dict[int, list[WriteItem]] = {}
        for item in plan.items:
            if item.type is WriteItemType.BYTE_IO:
                raise ValueError(f"HuggingFaceStorageWriter: {item.index.fqn!r} is no tensor; the format has tensors only")
            if item.type is WriteItemType.SHARD and not self.save_distributed and not _is_whole(item):
                raise ValueError(f"HuggingFaceStorageWriter: {item.index.fqn!r} is in pieces; give save_distributed=True")
            files.setdefault((self.mapping or {}).get(item.index.fqn, 1), []).append(item)
        results = []
        for number, items in files.items():
            name = self._name(number, count, rank)
            tensors: dict[str, torch.Tensor] = {i.index.fqn: planner.resolve_data(i) for i in items}  # type: ignore[misc]
            offsets = {i.index.fqn: {"saved_offsets": list(i.tensor_data.chunk.offsets)} for i in items if i.tensor_data}
            metadata = {**_FORMAT, _OFFSETS: json.dumps(offsets)} if self.save_distributed else _FORMAT
            _safetensors.write(self._folder() / name, tensors, metadata, self.sync_files)
            for item, t in zip(items, tensors.values()):
                info = _HFStorageInfo(name, item.index.fqn, t.shape, t.dtype)
                results.append(WriteResult(item.index, t.numel() * t.element_size(), info))
        return _done(results)

    def finish(self, metadata: Metadata, results: list[list[WriteResult]]) -> None:
        """Writes the index; joins the pieces, if that was asked for.

        Args:
            metadata (Metadata): that of the checkpoint
            results (list): what `write_data` gave on each process
        """
        places = {r.index.fqn: r.storage_data.relative_path for part in results for r in part}
        if self.save_distributed and not self.consolidates:
            return
        if self.consolidates:
            count = max(self.mapping.values()) if self.mapping else 1
            reader = HuggingFaceStorageReader(str(self._folder()))
            found = reader.read_metadata()
            files: dict[str, dict[str, torch.Tensor]] = {}
            for name in metadata.state_dict_metadata:
                file = f"model-{(self.mapping or {}).get(name, 1):05d}-of-{count:05d}.safetensors"
                files.setdefault(file, {})[name] = reader.whole(name, found)
                places[name] = file
            for file, tensors in files.items():
                _safetensors.write(self.path / file, tensors, _FORMAT, self.sync_files)
        total = sum(r.size_in_bytes for part in results for r in part)
        text = json.dumps({"metadata": {"total_size": total}, "weight_map": places}, indent=2)
        new = self.path / f"{_INDEX}.tmp"
        new.write_text(text)
        os.replace(new, self.path / _INDEX)

    @property
    def metadata_path(self) -> str:
        """The name of the index."""
        return _INDEX


def _is_whole(item: WriteItem) -> bool:
    data = item.tensor_data
    return data is not None and data.chunk.sizes == data.size


class HuggingFaceStorageReader(FileSystemReader):
    """Reads tensors from the files of safetensors in a directory, whole or in the pieces that several processes wrote.

    Args:
        path (str): the directory
        thread_count (int, default 1): of no effect

    Example:
        >>> torch.distributed.checkpoint.HuggingFaceStorageReader("folder").path.name
        'folder'
    """

    def __init__(self, path: str, thread_count: int = 1) -> None:
        super().__init__(path)

    def read_metadata(self, *args: Any, **kwargs: Any) -> Metadata:
        """The headers of the files, as metadata."""
        table: dict[str, Any] = {}
        storage: dict[MetadataIndex, _HFStorageInfo] = {}
        files = sorted(self.path.glob("*.safetensors"))
        if not files:
            raise FileNotFoundError(f"HuggingFaceStorageReader: no *.safetensors in {self.path}")
        for path in files:
            header, metadata, _ = _safetensors.read_header(path)
            places = json.loads(metadata[_OFFSETS]) if _OFFSETS in metadata else {}
            for name, entry in header.items():
                shape = torch.Size(entry["shape"])
                offsets = torch.Size(places.get(name, {}).get("saved_offsets", [0] * len(shape)))
                dtype = _safetensors.DTYPES[entry["dtype"]]
                stored = table.setdefault(name, TensorStorageMetadata(TensorProperties(dtype), shape, []))
                stored.size = torch.Size(max(n, o + s) for n, o, s in zip(stored.size, offsets, shape))
                index = MetadataIndex(name, offsets, len(stored.chunks))
                stored.chunks.append(ChunkStorageMetadata(offsets, shape))
                storage[index] = _HFStorageInfo(path.name, name, shape, dtype)
        return Metadata(table, {name: (name,) for name in table}, storage, StorageMeta(self.path, load_id=self.load_id))

    def read_data(self, plan: LoadPlan, planner: LoadPlanner) -> Future[None]:
        """Reads the items of this process, file by file.

        Args:
            plan (plan): of this process
            planner (planner): gives the tensors
        """
        by_file: dict[str, list[Any]] = {}
        for item in plan.items:
            info: Any = self.storage_data[item.storage_index]
            by_file.setdefault(info.relative_path, []).append((info, item))
        for name, items in by_file.items():
            header, _, start = _safetensors.read_header(self.path / name)
            with open(self.path / name, "rb") as file:
                for info, item in items:
                    piece = _safetensors.read_tensor(file, header[info.name], start)
                    target = planner.resolve_tensor(item).detach()
                    target.copy_(narrow(piece, item.storage_offsets, item.lengths))
                    planner.commit_tensor(item, target)
        return _done(None)

    def whole(self, name: str, metadata: Metadata) -> torch.Tensor:
        """One tensor, out of all its pieces.

        Args:
            name (str): its name
            metadata (Metadata): what `read_metadata` gave

        Returns:
            the tensor
        """
        stored: Any = metadata.state_dict_metadata[name]
        result = torch.empty(stored.size, dtype=stored.properties.dtype)
        for k, chunk in enumerate(stored.chunks):
            info = metadata.storage_data[MetadataIndex(name, chunk.offsets, k)]
            header, _, start = _safetensors.read_header(self.path / info.relative_path)
            with open(self.path / info.relative_path, "rb") as file:
                narrow(result, chunk.offsets, chunk.sizes).copy_(_safetensors.read_tensor(file, header[name], start))
        return result
