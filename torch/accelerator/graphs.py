"""Graphs of an accelerator's work, which are recorded once and started as a whole."""

from __future__ import annotations

from typing import Any

from torch.accelerator import _refuse

__all__ = ["Graph"]


class Graph:
    """A recording of an accelerator's work. It needs an accelerator.

    Args:
        keep_graph (bool, default False): keep what was recorded, to look at it
        pool (tuple, optional): where its memory comes from
        capture_error_mode (str, default "default"): which calls are errors while it is recorded

    Raises:
        RuntimeError: there is no accelerator

    Example:
        >>> torch.accelerator.Graph()
        Traceback (most recent call last):
        RuntimeError: there is no accelerator
    """

    __module__ = "torch.accelerator"

    def __new__(
        cls, keep_graph: bool = False, *, pool: tuple[int, int] | None = None, capture_error_mode: str = "default"
    ) -> Any:  # fmt: skip
        _refuse()
