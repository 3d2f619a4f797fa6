"""Checkpoints at URLs: by the package fsspec, if it is there."""

from __future__ import annotations

import importlib.util
from typing import Any


def fsspec_classes(function: str, checkpoint_id: Any) -> Any:
    """The module with FsspecWriter and FsspecReader, for a URL that fsspec knows."""
    if importlib.util.find_spec("fsspec") is None:
        raise RuntimeError(f"checkpoint.{function}(): {str(checkpoint_id)!r} is a URL, which needs the package fsspec")
    from torch.distributed.checkpoint import _fsspec_filesystem

    if not _fsspec_filesystem.FileSystem.validate_checkpoint_id(checkpoint_id):
        raise RuntimeError(f"checkpoint.{function}(): fsspec cannot open {str(checkpoint_id)!r}")
    return _fsspec_filesystem
