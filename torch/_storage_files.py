"""Storages over the bytes of files."""

from __future__ import annotations

import mmap
import os

from torch._C import UntypedStorage


def from_file(filename: str, shared: bool = False, nbytes: int = 0) -> UntypedStorage:
    """What `torch.UntypedStorage.from_file` does."""
    if not isinstance(filename, (str, os.PathLike)):
        raise TypeError(f"from_file(): expected filename to be a str, got {type(filename).__name__}")
    nbytes = int(nbytes)
    if nbytes < 0:
        raise RuntimeError(f"from_file(): nbytes must not be negative, got {nbytes}")
    try:
        descriptor = os.open(filename, os.O_RDWR | os.O_CREAT if shared else os.O_RDONLY, 0o600)
    except OSError as error:
        raise RuntimeError(f"from_file(): cannot open {os.fspath(filename)}: {error.strerror}") from error
    try:
        size = os.fstat(descriptor).st_size
        if size < nbytes and shared:
            os.ftruncate(descriptor, nbytes)
        elif size < nbytes:
            raise RuntimeError(f"from_file(): {os.fspath(filename)} has {size} bytes, and {nbytes} were asked for")
        if nbytes == 0:
            return UntypedStorage(0)
        return UntypedStorage._from_buffer(
            mmap.mmap(descriptor, nbytes, access=mmap.ACCESS_WRITE if shared else mmap.ACCESS_COPY)
        )
    finally:
        os.close(descriptor)
