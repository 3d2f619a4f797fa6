"""How the processes of a job find each other: a URL names a store, and says the rank and the number of ranks."""

from __future__ import annotations

import datetime
import os
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from torch._C._distributed_c10d import FileStore, PrefixStore, Store, TCPStore
from torch.distributed import default_pg_timeout

__all__ = ["register_rendezvous_handler", "rendezvous"]

Handler = Callable[..., Iterator[tuple[Store, int, int]]]
_handlers: dict[str, Handler] = {}


def register_rendezvous_handler(scheme: str, handler: Handler) -> None:
    """Makes `rendezvous` and `init_process_group` accept URLs of another kind.

    Args:
        scheme (str): how such URLs begin, such as "http"
        handler (Callable): takes the URL, and yields a store, a rank and the number of ranks

    Raises:
        RuntimeError: the scheme is taken

    Example:
        >>> def one(url, **options):
        ...     yield torch.distributed.HashStore(), 0, 1
        >>> torch.distributed.register_rendezvous_handler("one", one)
        >>> next(torch.distributed.rendezvous("one://"))[1:]
        (0, 1)
    """
    if scheme in _handlers:
        raise RuntimeError(f"register_rendezvous_handler(): there is a handler for {scheme}:// already")
    _handlers[scheme] = handler


def rendezvous(url: str, rank: int = -1, world_size: int = -1, **kwargs: Any) -> Iterator[tuple[Store, int, int]]:
    """Meets the other processes at a URL.

    Args:
        url (str): "env://", "tcp://host:port" or "file:///path"
        rank (int, default -1): the rank of this process, where the URL does not say it
        world_size (int, default -1): the number of processes, where the URL does not say it
        **kwargs (Any): `timeout` (timedelta), for the store

    Returns:
        an iterator of a store, the rank and the number of ranks

    Raises:
        RuntimeError: nobody handles such URLs
        ValueError: the rank or the number of ranks is missing

    Example:
        >>> store, rank, size = next(torch.distributed.rendezvous("tcp://127.0.0.1:0?rank=0&world_size=1"))
        >>> rank, size
        (0, 1)
    """
    if not isinstance(url, str):
        raise RuntimeError(f"rendezvous(): expected a URL as a str, got {type(url).__name__}")
    scheme = urlsplit(url).scheme
    if scheme not in _handlers:
        raise RuntimeError(f"rendezvous(): nobody handles {scheme}:// of {url!r}; there are {', '.join(sorted(_handlers))}")
    return _handlers[scheme](url, rank=rank, world_size=world_size, **kwargs)


def _numbers(url: str, rank: int, world_size: int) -> tuple[int, int]:
    """The rank and the number of ranks: those of the URL, unless they were given."""
    query = dict(parse_qsl(urlsplit(url).query))
    if rank < 0:
        rank = int(query.get("rank", -1))
    if world_size < 0:
        world_size = int(query.get("world_size", -1))
    for name, value in (("rank", rank), ("world_size", world_size)):
        if value < 0:
            raise ValueError(f"{url!r} says no {name}, and none was given")
    return rank, world_size


def _tcp(url: str, rank: int = -1, world_size: int = -1, timeout: datetime.timedelta = default_pg_timeout, **_: Any) -> Any:
    parts = urlsplit(url)
    if parts.hostname is None or parts.port is None:
        raise ValueError(f"{url!r} needs a host and a port, as in tcp://127.0.0.1:29500")
    rank, world_size = _numbers(url, rank, world_size)
    yield TCPStore(parts.hostname, parts.port, world_size, rank == 0, timeout), rank, world_size
    raise RuntimeError("tcp:// does not meet a second time")


def _file(url: str, rank: int = -1, world_size: int = -1, timeout: datetime.timedelta = default_pg_timeout, **_: Any) -> Any:
    path = urlsplit(url).netloc + urlsplit(url).path
    if not path:
        raise ValueError(f"{url!r} needs a path, as in file:///tmp/meeting")
    rank, world_size = _numbers(url, rank, world_size)
    store = FileStore(path, world_size)
    store.set_timeout(timeout)
    yield store, rank, world_size
    raise RuntimeError("file:// does not meet a second time")


def _from_environment(name: str) -> str:
    value = os.environ.get(name)
    if not value:
        raise ValueError(f"env:// needs the environment variable {name}; torchrun sets it")
    return value


def _env(url: str, rank: int = -1, world_size: int = -1, timeout: datetime.timedelta = default_pg_timeout, **_: Any) -> Any:
    query = dict(parse_qsl(urlsplit(url).query))
    rank = int(query.get("rank", rank)) if rank < 0 else rank
    world_size = int(query.get("world_size", world_size)) if world_size < 0 else world_size
    rank = int(_from_environment("RANK")) if rank < 0 else rank
    world_size = int(_from_environment("WORLD_SIZE")) if world_size < 0 else world_size
    host, port = _from_environment("MASTER_ADDR"), int(_from_environment("MASTER_PORT"))
    # torchrun serves a store that outlives its workers.
    serves = rank == 0 and os.environ.get("TORCHELASTIC_USE_AGENT_STORE") != "True"
    store: Store = TCPStore(host, port, world_size if serves else None, serves, timeout, wait_for_workers=False)
    # After a restart the keys of the attempt before are still there.
    attempt = os.environ.get("TORCHELASTIC_ROUND", os.environ.get("TORCHELASTIC_RESTART_COUNT"))
    yield store if attempt is None else PrefixStore(f"workers/attempt_{attempt}", store), rank, world_size
    raise RuntimeError("env:// does not meet a second time")


_handlers.update(tcp=_tcp, file=_file, env=_env)
