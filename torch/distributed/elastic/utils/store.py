"""Exchanges of bytes between ranks that have a store."""

from __future__ import annotations

import contextlib
import datetime
from collections.abc import Callable, Iterator
from typing import Any

from torch.distributed import DistError

__all__ = ["store_timeout", "get_all", "synchronize", "barrier"]


@contextlib.contextmanager
def store_timeout(store: Any, timeout: float) -> Iterator[None]:
    """A block in which a store has another timeout.

    Args:
        store (Store): the store
        timeout (float): seconds
    """
    before = store.timeout
    store.set_timeout(datetime.timedelta(seconds=timeout))
    try:
        yield
    finally:
        store.set_timeout(before)


def get_all(store: Any, rank: int, prefix: str, world_size: int) -> list[bytes]:
    """What all ranks have set; rank 0 stays until all have read it, because it may serve the store.

    Args:
        store (Store): the store
        rank (int): the rank of this process
        prefix (str): what the keys begin with: a rank follows
        world_size (int): how many ranks there are

    Returns:
        the values by rank
    """
    values = store.multi_get([f"{prefix}{k}" for k in range(world_size)])
    _count(store, world_size, f"{prefix}/read")
    if rank == 0:
        store.get(f"{prefix}/read/all")
    return values  # type: ignore[no-any-return]


def synchronize(
    store: Any, data: bytes, rank: int, world_size: int, key_prefix: str, timeout: float = 300
) -> list[bytes]:  # fmt: skip
    """Gives all ranks the bytes of all.

    Args:
        store (Store): the store
        data (bytes): those of this rank
        rank (int): the rank of this process
        world_size (int): how many ranks there are
        key_prefix (str): what the keys begin with; another one for each call
        timeout (float, default 300): seconds

    Returns:
        the bytes by rank

    Example:
        >>> from torch.distributed.elastic.utils.store import synchronize
        >>> synchronize(torch.distributed.HashStore(), b"a", 0, 1, "first")
        [b'a']
    """
    with store_timeout(store, timeout):
        store.set(f"{key_prefix}{rank}", data)
        return get_all(store, rank, key_prefix, world_size)


def _count(store: Any, world_size: int, prefix: str) -> None:
    """Counts a rank; the last one sets a key."""
    if store.add(f"{prefix}/count", 1) == world_size:
        store.set(f"{prefix}/all", "1")


def barrier(
    store: Any, world_size: int, key_prefix: str, barrier_timeout: float = 300, rank: int | None = None,
    rank_tracing_decoder: Callable[[int], str] | None = None, trace_timeout: float = 10,
) -> None:  # fmt: skip
    """Waits for all ranks.

    Args:
        store (Store): the store
        world_size (int): how many ranks there are
        key_prefix (str): what the keys begin with; another one for each barrier
        barrier_timeout (float, default 300): seconds
        rank (int, optional): the rank of this process; with it, the error names ranks that did not come
        rank_tracing_decoder (Callable, optional): makes the name of a rank for the error
        trace_timeout (float, default 10): of no effect

    Raises:
        DistStoreError: some did not come in time
    """
    if rank is not None:
        store.set(f"{key_prefix}/here/{rank}", "1")
    with store_timeout(store, barrier_timeout):
        _count(store, world_size, key_prefix)
        try:
            store.get(f"{key_prefix}/all")
        except DistError as error:
            if rank is None:
                raise
            missing = [k for k in range(world_size) if not store.check([f"{key_prefix}/here/{k}"])]
            names = ", ".join(rank_tracing_decoder(k) if rank_tracing_decoder else str(k) for k in missing)
            raise type(error)(f"barrier(): {len(missing)} of {world_size} ranks did not come: {names}; {error}") from None
