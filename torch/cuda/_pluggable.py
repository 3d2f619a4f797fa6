"""Device memory from functions of a program's own library."""

from __future__ import annotations

import os
from typing import Any

from torch.cuda._runtime import extension


class _CUDAAllocator:
    """An allocator that change_current_allocator takes."""

    def __init__(self, allocator: int) -> None:
        self._allocator = allocator

    def allocator(self) -> int:
        """Its address in C++."""
        return self._allocator


class CUDAPluggableAllocator(_CUDAAllocator):
    """Two functions of a shared library as an allocator.

    They are `extern "C"`: `void* alloc(ssize_t size, int device, cudaStream_t stream)`, and
    `void free(void* address, ssize_t size, int device, cudaStream_t stream)`.

    Args:
        path_to_so_file (str): the library
        alloc_fn_name (str): the name of the first function
        free_fn_name (str): the name of the second one

    Raises:
        RuntimeError: the library cannot be opened, or has no such function
    """

    def __init__(self, path_to_so_file: str, alloc_fn_name: str, free_fn_name: str) -> None:
        super().__init__(extension().open_allocator(os.fspath(path_to_so_file), alloc_fn_name, free_fn_name))


def change_current_allocator(allocator: Any) -> None:
    """New tensors get their memory from an allocator. Statistics and pools know nothing of it.

    Args:
        allocator (CUDAPluggableAllocator): the allocator

    Raises:
        RuntimeError: the process has used device memory before
    """
    if not isinstance(allocator, _CUDAAllocator):
        raise TypeError(f"change_current_allocator(): expected a CUDAPluggableAllocator, got {type(allocator).__name__}")
    extension().change_current_allocator(allocator.allocator())
