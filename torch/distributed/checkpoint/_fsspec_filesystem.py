"""Checkpoints at URLs that the package fsspec can open, such as those of S3 or of its memory."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from typing import Any

from fsspec.core import url_to_fs

from torch.distributed.checkpoint._file_system import FileSystemBase, PathLike, remove_file
from torch.distributed.checkpoint.filesystem import FileSystemReader, FileSystemWriter, SerializationFormat

__all__ = ["FsspecWriter", "FsspecReader"]


class FileSystem(FileSystemBase):
    """A file system of fsspec: that of the URL that `init_path` got."""

    def __init__(self) -> None:
        self.fs: Any = None
        self._settings: dict[str, Any] = {}

    @contextlib.contextmanager
    def create_stream(self, path: PathLike, mode: str) -> Iterator[io.IOBase]:
        """A block with an open file. If it ends by an error, what it has written is removed.

        Args:
            path (str): the URL of the file
            mode (str): "rb" or "wb"
        """
        try:
            with self.fs.open(str(path), mode) as stream:
                yield stream
        except BaseException:
            if "w" in mode:
                with contextlib.suppress(Exception):
                    remove_file(self, path)
            raise

    def concat_path(self, path: PathLike, suffix: str) -> str:
        """A URL inside of a directory.

        Args:
            path (str): the URL of the directory
            suffix (str): the name there
        """
        return f"{str(path).rstrip('/')}/{suffix}"

    def init_path(self, path: PathLike, **kwargs: Any) -> PathLike:
        """Finds the file system of a URL.

        Args:
            path (str): the URL
            **kwargs (Any): for the file system; by default those of the last call
        """
        self._settings = kwargs or self._settings
        self.fs, _ = url_to_fs(str(path), **self._settings)
        return path

    def rename(self, path: PathLike, new_path: PathLike) -> None:
        """Gives a file another name.

        Args:
            path (str): the URL of the file
            new_path (str): its new URL
        """
        self.fs.mv(str(path), str(new_path))

    def mkdir(self, path: PathLike) -> None:
        """Makes a directory with all above it, if it is not there.

        Args:
            path (str): its URL
        """
        self.fs.makedirs(str(path), exist_ok=True)

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id: PathLike) -> bool:
        """Whether fsspec knows a URL.

        Args:
            checkpoint_id (str): the URL
        """
        if "://" not in str(checkpoint_id):
            return False
        try:
            url_to_fs(str(checkpoint_id))
        except (ValueError, ImportError):  # an unknown scheme, or one whose package is not there
            return False
        return True

    def exists(self, path: PathLike) -> bool:
        """Whether there is such a file.

        Args:
            path (str): its URL
        """
        return bool(self.fs.exists(str(path)))

    def rm_file(self, path: PathLike) -> None:
        """Removes a file.

        Args:
            path (str): its URL
        """
        self.fs.rm_file(str(path))

    def ls(self, path: PathLike) -> list[str]:
        """The paths of what is in a directory.

        Args:
            path (str): its URL
        """
        self.fs.invalidate_cache()  # other processes write there
        return list(self.fs.ls(str(path), detail=False))


class _AtUrl:
    """What a writer and a reader share."""

    def _open(self, path: PathLike, settings: dict[str, Any]) -> None:
        self.fs = FileSystem()
        self.path = self.fs.init_path(path, **settings)

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id: PathLike) -> bool:
        """Whether fsspec knows a URL.

        Args:
            checkpoint_id (str): the URL
        """
        return FileSystem.validate_checkpoint_id(checkpoint_id)


class FsspecWriter(_AtUrl, FileSystemWriter):
    """Writes a checkpoint to a URL.

    Args:
        path (str): the URL of a directory
        single_file_per_rank (bool, default True): one file per process; otherwise one per piece
        sync_files (bool, default True): wait until files are on the disk, where that is a local one
        thread_count (int, default 1): how many threads write
        per_thread_copy_ahead (int, default 10000000): of no effect on the CPU
        overwrite (bool, default True): replace a checkpoint that is there
        serialization_format (SerializationFormat, default TORCH_SAVE): TORCH_SAVE
        **kwargs (Any): for the file system
    """

    def __init__(
        self, path: PathLike, single_file_per_rank: bool = True, sync_files: bool = True, thread_count: int = 1,
        per_thread_copy_ahead: int = 10_000_000, overwrite: bool = True, _extensions: Any = None,
        serialization_format: SerializationFormat = SerializationFormat.TORCH_SAVE, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(
            path, single_file_per_rank, sync_files, thread_count, per_thread_copy_ahead, overwrite=overwrite,
            _extensions=_extensions, serialization_format=serialization_format,
        )  # fmt: skip
        self._open(path, kwargs)


class FsspecReader(_AtUrl, FileSystemReader):
    """Reads a checkpoint from a URL.

    Args:
        path (str): the URL of a directory
        **kwargs (Any): for the file system
    """

    def __init__(self, path: PathLike, **kwargs: Any) -> None:
        super().__init__(path)
        self._open(path, kwargs)
