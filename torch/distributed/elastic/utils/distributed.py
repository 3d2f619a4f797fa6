"""Stores and free ports."""

from __future__ import annotations

import datetime
from typing import Any

from torch._C._distributed_c10d import TCPStore
from torch.distributed.elastic.utils.api import get_socket_with_port

__all__ = ["create_c10d_store", "get_free_port", "get_socket_with_port"]


def create_c10d_store(
    is_server: bool, server_addr: str, server_port: int = -1, world_size: int = 1, timeout: float = 600,
    wait_for_workers: bool = True, retries: int = 3, use_libuv: bool | None = None,
) -> Any:  # fmt: skip
    """A TCPStore, or a connection to one.

    Args:
        is_server (bool): whether this process serves it
        server_addr (str): where it is
        server_port (int, default -1): its port; -1 takes a free one, where this process serves it alone
        world_size (int, default 1): how many processes connect
        timeout (float, default 600): seconds
        wait_for_workers (bool, default True): the server waits for all
        retries (int, default 3): of no effect: a free port that the system gives is never taken
        use_libuv (bool, optional): of no effect

    Returns:
        the store

    Raises:
        ValueError: no port, with several processes or without a server here
        DistNetworkError: the port is taken, or nobody serves it
    """
    if server_port == -1 and (world_size > 1 or not is_server):
        what = f"{world_size} processes" if world_size > 1 else "a process that serves no store"
        raise ValueError(f"create_c10d_store(): expected a port as server_port, for {what}, got -1")
    port = 0 if server_port == -1 else server_port
    limit = datetime.timedelta(seconds=timeout)
    return TCPStore(server_addr, port, world_size, is_server, limit, wait_for_workers=wait_for_workers)


def get_free_port() -> int:
    """A port of this machine that was free a moment ago.

    Returns:
        its number

    Example:
        >>> torch.distributed.elastic.utils.distributed.get_free_port() > 0
        True
    """
    with get_socket_with_port() as s:
        return s.getsockname()[1]  # type: ignore[no-any-return]
