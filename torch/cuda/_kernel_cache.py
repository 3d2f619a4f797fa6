"""Compiled kernels in files, so that other processes need not compile them again.

A file holds the name of the kernel in the image, a zero, and the image. Without a folder that can be written there is no cache.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile

from torch._environment import flag


def folder() -> str | None:
    """Where the files are; None if there is no cache."""
    if not flag("USE_PYTORCH_KERNEL_CACHE", True):
        return None
    named = os.environ.get("PYTORCH_KERNEL_CACHE_PATH")
    if named:
        return named
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(cache, "torch", "kernels")


def key_of(*parts: str) -> str:
    """The name of a file, which differs if any of the parts does."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode()
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()


def read(key: str) -> tuple[str, bytes] | None:
    """The name and the image of a kernel, if it is there."""
    place = folder()
    if place is None:
        return None
    try:
        with open(os.path.join(place, key), "rb") as file:
            entry, zero, image = file.read().partition(b"\0")
    except OSError:
        return None
    return (entry.decode(), image) if zero else None


def write(key: str, entry: str, image: bytes) -> None:
    """Keeps a kernel. The file appears as a whole, under its name, so that no process reads a part of it."""
    place = folder()
    if place is None:
        return
    with contextlib.suppress(OSError):
        os.makedirs(place, exist_ok=True)
        handle, path = tempfile.mkstemp(dir=place)
        try:
            with open(handle, "wb") as file:
                file.write(entry.encode() + b"\0" + image)
            os.replace(path, os.path.join(place, key))
        except OSError:
            os.unlink(path)
