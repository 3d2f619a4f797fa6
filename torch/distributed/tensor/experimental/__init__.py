"""What may still change: plain tensors among DTensors, and functions of their parts."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from torch import _lazy


@contextlib.contextmanager
def implicit_replication() -> Iterator[None]:
    """A block in which plain tensors among DTensors count as whole copies.

    Example:
        >>> with torch.distributed.tensor.experimental.implicit_replication():
        ...     pass
    """
    from torch.distributed.tensor._dispatch import state

    before = state.implicit_replication
    state.implicit_replication = True
    try:
        yield
    finally:
        state.implicit_replication = before


_places = {
    "context_parallel": f"{__name__}._context_parallel._context",
    "local_map": f"{__name__}._local_map",
    "register_sharding": f"{__name__}._register_sharding",
}

__all__ = ["context_parallel", "implicit_replication", "local_map", "register_sharding"]

__getattr__, __dir__ = _lazy.lazy(__name__, (), _places)
