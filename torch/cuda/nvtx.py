"""Marks and ranges for NVIDIA's profilers. Without a profiler they do nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch._missing_device import MissingDevice

_device = MissingDevice(__name__, globals(), RuntimeError, "this build of torch has no NVTX")
_device.refuses("mark range range_end range_pop range_push range_start")


def _extension() -> Any:
    from torch.cuda._runtime import extension

    return extension()


if torch.cuda._BUILT and hasattr(_extension(), "nvtx_mark"):

    def range_push(msg: str) -> int:
        """Begins a range within the last one. Returns its depth."""
        return _extension().nvtx_range_push(msg)

    def range_pop() -> int:
        """Ends the last range. Returns its depth."""
        return _extension().nvtx_range_pop()

    def range_start(msg: str) -> int:
        """Begins a range that any thread may end. Returns its number."""
        return _extension().nvtx_range_start(msg)

    def range_end(range_id: int) -> None:
        """Ends the range of that number."""
        _extension().nvtx_range_end(range_id)

    def mark(msg: str) -> None:
        """Marks a moment."""
        _extension().nvtx_mark(msg)

    @contextmanager
    def range(msg: str, *args: Any, **kwargs: Any) -> Iterator[None]:  # noqa: A001
        """A block as a range; the arguments are formatted into the text."""
        range_push(msg.format(*args, **kwargs))
        try:
            yield
        finally:
            range_pop()
