"""Private pools of a GPU's memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from torch.cuda._memory import memory_snapshot
from torch.cuda._runtime import index_of, initialize


class MemPool:
    """Memory of a GPU that only blocks under `use_mem_pool` allocate from.

    Args:
        allocator (object, optional): not there; memory comes from CUDA
        use_on_oom (bool, default False): not there
        no_split (bool, default False): not there

    Raises:
        NotImplementedError: an option that is not there
    """

    def __init__(self, allocator: Any = None, use_on_oom: bool = False, no_split: bool = False) -> None:
        if allocator is not None or use_on_oom or no_split:
            raise NotImplementedError("MemPool(): the options allocator, use_on_oom and no_split are not there")
        self._id = initialize().graph_pool_handle()
        self._devices: set[int] = set()

    @property
    def id(self) -> tuple[int, int]:
        """The number of the pool, as `memory_snapshot` and `CUDAGraph.capture_begin` take it."""
        return self._id

    def use_count(self) -> int:
        """How many GPUs have memory of the pool."""
        return len(self._devices)

    def snapshot(self, include_traces: bool = True) -> list[dict[str, Any]]:
        """The segments of the pool, with their blocks."""
        return memory_snapshot(self._id)

    def _begin(self, device: int) -> None:
        initialize().begin_pool(device, self._id)
        if device in self._devices:
            initialize().release_pool(device, self._id)  # the pool counts as one user
        self._devices.add(device)

    def __del__(self) -> None:
        for device in getattr(self, "_devices", ()):
            initialize().release_pool(device, self._id)


@contextmanager
def use_mem_pool(pool: MemPool, device: Any = None) -> Iterator[None]:
    """A block of this thread whose memory on a GPU, the current one by default, comes from a pool."""
    index = index_of(device)
    pool._begin(index)
    try:
        yield
    finally:
        initialize().end_pool(index, pool.id)
