"""Who wants to know about the messages of DTensors: see `torch.distributed.tensor.debug`."""

from __future__ import annotations

from collections.abc import Callable

listeners: list[Callable[[str], None]] = []  # each takes the name of a collective


def note(collective: str) -> None:
    """Tells the listeners that a collective begins."""
    for listener in listeners:
        listener(collective)
