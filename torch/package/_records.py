"""The files of a package: records of a zip archive, or files of a folder into which one was unpacked."""

from __future__ import annotations

import os
import sys
from typing import Any

import torch


class FolderReader:
    """Reads an unpacked package with the methods of `PyTorchFileReader`.

    Args:
        folder (str): the folder that holds `.data`
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def get_all_records(self) -> list[str]:
        found = []
        for place, folders, files in os.walk(self.folder):
            folders.sort()
            found += [os.path.relpath(os.path.join(place, file), self.folder).replace(os.sep, "/") for file in sorted(files)]
        return found

    def has_record(self, name: str) -> bool:
        return os.path.isfile(os.path.join(self.folder, name))

    def get_record(self, name: str) -> bytes:
        try:
            with open(os.path.join(self.folder, name), "rb") as file:
                return file.read()
        except OSError as problem:
            raise RuntimeError(f"the package {self.folder} has no file {name!r}: {problem}") from None


def opened(source: Any) -> tuple[Any, str]:
    """(reader, name) of a path, a file or a reader."""
    from torch._archive_reader import PyTorchFileReader

    if isinstance(source, PyTorchFileReader):
        return source, "<pytorch_file_reader>"
    if isinstance(source, (str, os.PathLike)):
        path = os.fspath(source)
        if os.path.isdir(path):
            return FolderReader(path), path
        return PyTorchFileReader(path), path
    for method in ("read", "seek", "tell"):
        if not hasattr(source, method):
            raise AttributeError(f"PackageImporter: expected a path, or a file to read and seek, got {type(source).__name__}")
    return PyTorchFileReader(source), "<binary>"


def storage_of(reader: Any, number: str, nbytes: int, dtype: torch.dtype) -> torch.UntypedStorage:
    """The storage that a pickle of a package refers to."""
    record = f".data/{number}.storage"
    data = reader.get_record(record)
    if nbytes > len(data):
        raise RuntimeError(f"the record {record!r} has {len(data)} bytes, but {nbytes} are expected")
    if not nbytes:
        return torch.UntypedStorage(0)
    storage = torch.frombuffer(bytearray(data[:nbytes]), dtype=torch.uint8).untyped_storage()
    order = reader.get_record("byteorder") if reader.has_record("byteorder") else sys.byteorder.encode()
    if order != sys.byteorder.encode() and dtype.itemsize > 1:
        storage.byteswap(dtype)
    return storage
