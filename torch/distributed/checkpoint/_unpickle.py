"""The file `.metadata`: a pickle, of which only the classes that metadata consists of are loaded."""

from __future__ import annotations

import pickle
from typing import Any

import torch

_ALLOWED = {
    "torch.distributed.checkpoint.metadata": {
        "Metadata", "TensorStorageMetadata", "BytesStorageMetadata", "ChunkStorageMetadata", "TensorProperties", "MetadataIndex",
        "StorageMeta", "_MEM_FORMAT_ENCODING",
    },
    "torch.distributed.checkpoint.filesystem": {"_StorageInfo", "_StoragePrefix"},
    "torch.distributed.checkpoint.hf_storage": {"_HFStorageInfo"},
    "torch": {"Size", "device"},
    "torch.serialization": {"_get_layout"},
    "collections": {"OrderedDict"},
    "pathlib": {"PosixPath", "PurePosixPath", "WindowsPath", "PureWindowsPath", "Path"},
    "pathlib._local": {"PosixPath", "PurePosixPath", "WindowsPath", "PureWindowsPath", "Path"},
    "builtins": {"set", "frozenset", "slice", "complex", "bytearray"},
}  # fmt: skip


class _MetadataUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if module == "torch" and isinstance(getattr(torch, name, None), torch.dtype):
            return getattr(torch, name)
        if module.startswith("pathlib"):
            import pathlib

            # A path of another system cannot be made here; nothing needs it.
            return pathlib.PurePath if name in _ALLOWED["pathlib"] else self._refuse(module, name)
        if name not in _ALLOWED.get(module, ()):
            self._refuse(module, name)
        return super().find_class(module, name)

    @staticmethod
    def _refuse(module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"checkpoint: the metadata refers to {module}.{name}, which is no part of metadata")


class _MetadataPickler(pickle.Pickler):
    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, torch.layout):
            return torch.serialization._get_layout, (str(obj),)
        return NotImplemented


def load_metadata(file: Any) -> Any:
    """The metadata in a file."""
    return _MetadataUnpickler(file).load()


def save_metadata(metadata: Any, file: Any) -> None:
    """Writes metadata, as PyTorch reads it."""
    _MetadataPickler(file, 4).dump(metadata)
