"""Writes zip archives of the form that `torch.save` writes, record by record."""

from __future__ import annotations

import os
import sys
from typing import Any

import torch


class PyTorchFileWriter:
    """Writes an archive.

    Args:
        file (str or file): where to write
        compute_crc32 (bool, default True): of no effect: the checksums are always written
        storage_alignment (int, default 64): records start at multiples of it; only 64 is supported

    Raises:
        NotImplementedError: another alignment
        AttributeError: the file cannot be written

    Example:
        >>> import io
        >>> file = io.BytesIO()
        >>> writer = torch.PyTorchFileWriter(file)
        >>> writer.write_record("notes.txt", b"hello", 5)
        >>> writer.write_end_of_file()
        >>> torch.PyTorchFileReader(io.BytesIO(file.getvalue())).get_record("notes.txt")
        b'hello'
    """

    __module__ = "torch"

    def __init__(self, file: Any, compute_crc32: bool = True, storage_alignment: int = 64) -> None:
        from torch.serialization import _archive, _atomic_file

        if storage_alignment != _archive.ALIGNMENT:
            raise NotImplementedError(
                f"PyTorchFileWriter: storage_alignment must be {_archive.ALIGNMENT}, got {storage_alignment}"
            )
        self._owned = None
        name = "archive"
        if isinstance(file, (str, os.PathLike)):
            name = os.path.splitext(os.path.basename(os.fspath(file)))[0] or name
            self._owned = file = open(file, "wb")
        elif not hasattr(file, "write"):
            raise AttributeError(f"PyTorchFileWriter: expected a path or a file to write, got {type(file).__name__}")
        self._writer: Any = _archive.Writer(_atomic_file.Complete(file), name)
        self._name, self._version, self._records = name, 6, []
        self._id = ""

    def _open(self) -> Any:
        if self._writer is None:
            raise RuntimeError("PyTorchFileWriter: the archive is finished")
        return self._writer

    def archive_name(self) -> str:
        """The top folder of the archive.

        Returns:
            its name
        """
        return self._name

    def write_record(self, name: str, data: Any, size: int) -> None:
        """Add a record.

        Args:
            name (str): its name
            data (str, bytes or storage): what is in it
            size (int): how many of its bytes

        Raises:
            RuntimeError: the data are shorter, the name is taken, or the archive is finished
        """
        from torch.serialization import _archive

        writer = self._open()
        if name in self._records:
            raise RuntimeError(f"PyTorchFileWriter: the archive has a record {name!r} already")
        if isinstance(data, torch.storage.TypedStorage):
            data = data._untyped_storage
        if isinstance(data, torch.UntypedStorage):
            data = _archive.storage_bytes(data.cpu())
        elif isinstance(data, str):
            data = data.encode()
        elif not isinstance(data, (bytes, bytearray, memoryview)):
            raise TypeError(f"PyTorchFileWriter: a record is made of str, bytes or a storage, got {type(data).__name__}")
        view = memoryview(data).cast("B") if len(data) else memoryview(b"")
        if not 0 <= size <= len(view):
            raise RuntimeError(f"PyTorchFileWriter: {size} bytes are to be written of {name!r}, which has {len(view)}")
        writer.write(name, view[:size])
        self._records.append(name)

    def write_record_metadata(self, name: str, size: int) -> None:
        """Add a record of zeros, to be filled in later.

        Args:
            name (str): its name
            size (int): how many bytes
        """
        self.write_record(name, bytes(size), size)

    def set_min_version(self, version: int) -> None:
        """Say that readers must know at least a version of the format.

        Args:
            version (int): the version
        """
        self._version = max(self._version, version)

    def get_all_written_records(self) -> set[str]:
        """The names of the records.

        Returns:
            the names
        """
        return set(self._records)

    def serialization_id(self) -> str:
        """The id of the finished archive.

        Returns:
            40 digits; empty before it is finished
        """
        return self._id

    def write_end_of_file(self) -> None:
        """Finish the archive.

        Raises:
            RuntimeError: it is finished
        """
        writer = self._open()
        if "byteorder" not in self._records:
            writer.write("byteorder", sys.byteorder)
        self._id = writer.close(".data/version", f"{self._version}\n")
        self._writer = None
        if self._owned is not None:
            self._owned.close()
