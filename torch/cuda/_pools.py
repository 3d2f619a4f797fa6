"""Private pools of a GPU's memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from torch.cuda._memory import memory_snapshot
from torch.cuda._pluggable import _CUDAAllocator
from torch.cuda._runtime import index_of, initialize


class MemPool:
    """Memory of a GPU that only blocks under `use_mem_pool` allocate from.

    Args:
        allocator (object, optional): a CUDAPluggableAllocator, or what its `allocator()` returns: segments come from its
            functions, and return there when nobody uses the pool; by default from CUDA
        use_on_oom (bool, default False): whether other requests take free blocks of the pool before they fail
        no_split (bool, default False): whether each block has a segment of its own

    Raises:
        TypeError: the allocator is something else
    """

    def __init__(self, allocator: Any = None, use_on_oom: bool = False, no_split: bool = False) -> None:
        address = allocator.allocator() if isinstance(allocator, _CUDAAllocator) else allocator
        if address is not None and (not isinstance(address, int) or isinstance(address, bool)):
            raise TypeError(f"MemPool(): allocator: expected a CUDAPluggableAllocator, got {type(allocator).__name__}")
        self._allocator = allocator
        self._options = (address or 0, bool(use_on_oom), bool(no_split))
        self._id = initialize().graph_pool_handle()
        self._devices: set[int] = set()

    @property
    def id(self) -> tuple[int, int]:
        """The number of the pool, as `memory_snapshot` and `CUDAGraph.capture_begin` take it."""
        return self._id

    @property
    def allocator(self) -> Any:
        """The allocator that segments come from; None: CUDA."""
        return self._allocator

    def use_count(self) -> int:
        """How many GPUs have memory of the pool."""
        return len(self._devices)

    def snapshot(self, include_traces: bool = True) -> list[dict[str, Any]]:
        """The segments of the pool, with their blocks."""
        return memory_snapshot(self._id)

    def _begin(self, device: int) -> None:
        module = initialize()
        if device not in self._devices:
            module.create_pool(device, self._id, *self._options)
            self._devices.add(device)
        module.begin_pool(device, self._id)
        module.release_pool(device, self._id)  # the pool counts as one user

    def __del__(self) -> None:
        for device in getattr(self, "_devices", ()):
            module = initialize()
            module.release_pool(device, self._id)
            module.empty_pool(device, self._id)


@contextmanager
def use_mem_pool(pool: MemPool, device: Any = None) -> Iterator[None]:
    """A block of this thread whose memory on a GPU, the current one by default, comes from a pool."""
    index = index_of(device)
    pool._begin(index)
    try:
        yield
    finally:
        initialize().end_pool(index, pool.id)
