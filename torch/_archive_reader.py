"""Reads the records of the zip archives that `torch.save` writes."""

from __future__ import annotations

import zipfile
from typing import Any

import torch


class PyTorchFileReader:
    """The records of an archive, by their names without its top folder.

    Args:
        source (str or file): the archive

    Raises:
        RuntimeError: it is no zip archive, or has no records

    Example:
        >>> import io
        >>> file = io.BytesIO()
        >>> torch.save(torch.ones(2), file)
        >>> _ = file.seek(0)
        >>> torch._C.PyTorchFileReader(file).has_record("data.pkl")
        True
    """

    def __init__(self, source: Any) -> None:
        try:
            self._archive = zipfile.ZipFile(source)
        except (zipfile.BadZipFile, OSError) as error:
            raise RuntimeError(f"PyTorchFileReader: cannot read {source!r}: {error}") from error
        names = self._archive.namelist()
        if not names:
            raise RuntimeError(f"PyTorchFileReader: the archive {source!r} is empty")
        self._folder = names[0].split("/")[0] + "/" if "/" in names[0] else ""

    def has_record(self, name: str) -> bool:
        """Whether there is a record of a name.

        Args:
            name (str): the name

        Returns:
            whether there is
        """
        return self._folder + name in self._archive.NameToInfo

    def get_all_records(self) -> list[str]:
        """The names of all records.

        Returns:
            the names
        """
        return [name.removeprefix(self._folder) for name in self._archive.namelist()]

    def get_record(self, name: str) -> bytes:
        """The bytes of a record.

        Args:
            name (str): its name

        Returns:
            the bytes

        Raises:
            RuntimeError: there is no such record
        """
        if not self.has_record(name):
            raise RuntimeError(f"PyTorchFileReader: the archive has no record {name!r}")
        return self._archive.read(self._folder + name)

    def get_storage_from_record(self, name: str, numel: int, dtype: torch.dtype) -> torch.Tensor:
        """A tensor over the bytes of a record.

        Args:
            name (str): its name
            numel (int): how many elements it has
            dtype (torch.dtype): of the elements

        Returns:
            the tensor

        Raises:
            RuntimeError: there is no such record, or it is too short
        """
        data = self.get_record(name)
        if numel * dtype.itemsize > len(data):
            raise RuntimeError(f"PyTorchFileReader: {name!r} has {len(data)} bytes, and {numel} of {dtype} need more")
        return torch.frombuffer(bytearray(data), dtype=dtype, count=numel) if numel else torch.empty(0, dtype=dtype)

    def serialization_id(self) -> str:
        """The id that the writer gave to the archive; empty if it gave none."""
        name = ".data/serialization_id"
        return self.get_record(name).decode() if self.has_record(name) else ""

    def version(self) -> int:
        """The version of the format."""
        return int(self.get_record("version"))
