"""A pool of processes whose arguments and results may be tensors."""

from __future__ import annotations

import gc
import multiprocessing.pool
from typing import Any

from torch.multiprocessing.queue import SimpleQueue

__all__ = ["Pool"]


def clean_worker(*args: Any, **kwargs: Any) -> None:
    """What a process of the pool runs: it takes work until there is none, and then frees what it still shares.

    Args:
        *args (Any): of Python's own
        **kwargs (Any): likewise
    """
    multiprocessing.pool.worker(*args, **kwargs)  # type: ignore[attr-defined]
    gc.collect()


class Pool(multiprocessing.pool.Pool):
    """Python's pool of processes, whose queues move tensors into shared memory.

    Args:
        processes (int, optional): how many; by default one for each core
        initializer (function, optional): called once in each process
        initargs (tuple, default ()): its arguments
        maxtasksperchild (int, optional): after how many tasks a process is replaced
        context (context, optional): how processes start

    Example:
        >>> from torch.multiprocessing.pool import Pool
        >>> with Pool(1, context=torch.multiprocessing.get_context("fork")) as pool:
        ...     pool.map(torch.neg, [torch.ones(2)])
        [tensor([-1., -1.])]
    """

    def _setup_queues(self) -> None:
        self._inqueue = SimpleQueue(ctx=self._ctx)  # type: ignore[attr-defined]
        self._outqueue = SimpleQueue(ctx=self._ctx)  # type: ignore[attr-defined]
        self._quick_put = self._inqueue._writer.send  # type: ignore[attr-defined]
        self._quick_get = self._outqueue._reader.recv  # type: ignore[attr-defined]

    def _repopulate_pool(self) -> None:
        for _ in range(self._processes - len(self._pool)):  # type: ignore[attr-defined, has-type]
            arguments = (self._inqueue, self._outqueue, self._initializer, self._initargs, self._maxtasksperchild, True)  # type: ignore[attr-defined]
            process = self.Process(self._ctx, target=clean_worker, args=arguments)  # type: ignore[attr-defined]
            self._pool.append(process)  # type: ignore[has-type]
            process.name = process.name.replace("Process", "PoolWorker")
            process.daemon = True
            process.start()
