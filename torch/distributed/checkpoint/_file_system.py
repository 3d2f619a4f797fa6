"""File systems of checkpoints: what a writer and a reader need of one, and the local one."""

from __future__ import annotations

import io
import os
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PathLike = str | os.PathLike[str]


class FileSystemBase(ABC):
    """What FileSystemWriter and FileSystemReader need of a file system.

    For storage of one's own, derive a class from this one, and set `fs` of a writer and a reader to it. A file system may have a
    method `ls(path)` too, which gives the names of the files in a directory: a save then removes what an earlier one has left.

    Example:
        >>> torch.distributed.checkpoint.filesystem.FileSystemBase.__name__
        'FileSystemBase'
    """

    @abstractmethod
    @contextmanager
    def create_stream(self, path: PathLike, mode: str) -> Iterator[io.IOBase]:
        """A block with an open file.

        Args:
            path (str or path): the file
            mode (str): "rb" or "wb"

        Raises:
            FileNotFoundError: there is no such file to read
        """

    @abstractmethod
    def concat_path(self, path: PathLike, suffix: str) -> PathLike:
        """A path inside of a directory.

        Args:
            path (str or path): the directory
            suffix (str): the name there
        """

    @abstractmethod
    def rename(self, path: PathLike, new_path: PathLike) -> None:
        """Gives a file another name.

        If it replaces a file of that name in one step, a save that is killed leaves the last checkpoint as it was. If it raises
        an error because there is one, that one is removed first.

        Args:
            path (str or path): the file
            new_path (str or path): its new path
        """

    @abstractmethod
    def init_path(self, path: PathLike) -> PathLike:
        """What the other methods take as the path of a checkpoint.

        Args:
            path (str or path): as the user gave it
        """

    @abstractmethod
    def mkdir(self, path: PathLike) -> None:
        """Makes a directory with all above it, if it is not there.

        Args:
            path (str or path): the directory
        """

    @classmethod
    @abstractmethod
    def validate_checkpoint_id(cls, checkpoint_id: PathLike) -> bool:
        """Whether a path is one of this file system.

        Args:
            checkpoint_id (str or path): the path of a checkpoint
        """

    @abstractmethod
    def exists(self, path: PathLike) -> bool:
        """Whether there is such a file.

        Args:
            path (str or path): the file
        """

    @abstractmethod
    def rm_file(self, path: PathLike) -> None:
        """Removes a file.

        Args:
            path (str or path): the file
        """


class FileSystem(FileSystemBase):
    """The local file system.

    Example:
        >>> fs = torch.distributed.checkpoint.filesystem.FileSystem()
        >>> fs.concat_path(fs.init_path("folder"), "file")
        PosixPath('folder/file')
    """

    @contextmanager
    def create_stream(self, path: PathLike, mode: str) -> Iterator[io.IOBase]:
        """A block with an open file.

        Args:
            path (str or path): the file
            mode (str): "rb" or "wb"
        """
        with open(path, mode) as stream:
            yield stream  # type: ignore[misc]

    def concat_path(self, path: PathLike, suffix: str) -> PathLike:
        """A path inside of a directory.

        Args:
            path (str or path): the directory
            suffix (str): the name there
        """
        return Path(path) / suffix

    def init_path(self, path: PathLike) -> PathLike:
        """The path as a Path.

        Args:
            path (str or path): as the user gave it
        """
        return Path(path)

    def rename(self, path: PathLike, new_path: PathLike) -> None:
        """Gives a file another name, and replaces one that has it in one step.

        Args:
            path (str or path): the file
            new_path (str or path): its new path
        """
        os.replace(path, new_path)

    def mkdir(self, path: PathLike) -> None:
        """Makes a directory with all above it, if it is not there.

        Args:
            path (str or path): the directory
        """
        os.makedirs(path, exist_ok=True)

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id: PathLike) -> bool:
        """Whether a path is no URL.

        Args:
            checkpoint_id (str or path): the path of a checkpoint
        """
        return isinstance(checkpoint_id, Path) or "://" not in str(checkpoint_id)

    def exists(self, path: PathLike) -> bool:
        """Whether there is such a file.

        Args:
            path (str or path): the file
        """
        return os.path.exists(path)

    def rm_file(self, path: PathLike) -> None:
        """Removes a file.

        Args:
            path (str or path): the file
        """
        os.unlink(path)

    def ls(self, path: PathLike) -> list[str]:
        """The paths of what is in a directory.

        Args:
            path (str or path): the directory
        """
        return [os.path.join(path, name) for name in os.listdir(path)]

    def sync_directory(self, path: PathLike) -> None:
        """Waits until new names in a directory are on the disk.

        Args:
            path (str or path): the directory
        """
        folder = os.open(path, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def sync_stream(stream: io.IOBase) -> None:
    """Waits until a file is on the disk, if it is a file of the operating system."""
    stream.flush()
    try:
        number = stream.fileno()
    except (AttributeError, OSError):  # a file somewhere else
        return
    os.fsync(number)


def names_in(fs: FileSystemBase, path: PathLike) -> list[str]:
    """The names of what is in a directory, for a file system with `ls`."""
    try:
        paths = fs.ls(path)  # type: ignore[attr-defined]
    except FileNotFoundError:  # stores of objects have no empty directories
        return []
    return [os.path.basename(str(found).rstrip("/")) for found in paths]


def replace_file(fs: FileSystemBase, path: PathLike, new_path: PathLike) -> None:
    """Gives a file another name, in the place of one that may have it."""
    try:
        fs.rename(path, new_path)
    except Exception:
        if isinstance(fs, FileSystem) or not fs.exists(new_path):
            raise
        fs.rm_file(new_path)
        fs.rename(path, new_path)


def remove_file(fs: FileSystemBase, path: PathLike) -> None:
    """Removes a file, if it is there."""
    try:
        if fs.exists(path):
            fs.rm_file(path)
    except FileNotFoundError:  # another process was faster
        pass
