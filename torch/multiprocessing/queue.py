"""Queues whose tensors travel in shared memory: as Python's own queues here, whose pickler knows tensors."""

from __future__ import annotations

import io
import multiprocessing.queues
import pickle
from multiprocessing.reduction import ForkingPickler
from typing import Any

__all__ = ["ConnectionWrapper", "Queue", "SimpleQueue"]


class ConnectionWrapper:
    """A connection between processes whose `send` moves tensors into shared memory.

    Args:
        conn (multiprocessing.connection.Connection): the connection

    Example:
        >>> from torch.multiprocessing.queue import ConnectionWrapper
        >>> here, there = map(ConnectionWrapper, torch.multiprocessing.Pipe())
        >>> here.send(torch.ones(2))
        >>> there.recv()
        tensor([1., 1.])
    """

    def __init__(self, conn: Any) -> None:
        self.conn = conn

    def send(self, obj: Any) -> None:
        """Send an object.

        Args:
            obj (Any): anything that can be pickled
        """
        out = io.BytesIO()
        ForkingPickler(out, pickle.HIGHEST_PROTOCOL).dump(obj)
        self.send_bytes(out.getvalue())

    def recv(self) -> Any:
        """Wait for an object.

        Returns:
            what the other end sent
        """
        return pickle.loads(self.recv_bytes())

    def __getattr__(self, name: str) -> Any:
        if "conn" in self.__dict__:
            return getattr(self.conn, name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")


def _wrap_ends(queue: Any) -> None:
    queue._reader = ConnectionWrapper(queue._reader)
    queue._writer = ConnectionWrapper(queue._writer)


class Queue(multiprocessing.queues.Queue):  # type: ignore[type-arg]
    """Python's queue between processes over wrapped connections.

    Args:
        *args (Any): as for `multiprocessing.queues.Queue`
        **kwargs (Any): likewise; `ctx` names the context

    Example:
        >>> from torch.multiprocessing.queue import Queue
        >>> queue = Queue(ctx=torch.multiprocessing.get_context("fork"))
        >>> queue.put(torch.ones(2))
        >>> queue.get()
        tensor([1., 1.])
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _wrap_ends(self)
        self._send: Any = self._writer.send  # type: ignore[attr-defined]
        self._recv: Any = self._reader.recv  # type: ignore[attr-defined]


class SimpleQueue(multiprocessing.queues.SimpleQueue):  # type: ignore[type-arg]
    """Python's simple queue between processes over wrapped connections.

    Args:
        ctx (context): as for `multiprocessing.queues.SimpleQueue`

    Example:
        >>> from torch.multiprocessing.queue import SimpleQueue
        >>> queue = SimpleQueue(ctx=torch.multiprocessing.get_context("fork"))
        >>> queue.put(torch.ones(2))
        >>> queue.get()
        tensor([1., 1.])
    """

    def __init__(self, *, ctx: Any) -> None:
        super().__init__(ctx=ctx)
        _wrap_ends(self)
