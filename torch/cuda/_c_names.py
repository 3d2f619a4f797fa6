"""What Triton and other packages call in `torch._C` for a GPU. Devices are given by their numbers."""

from __future__ import annotations

import torch
from torch.cuda import _devices, _graphs, _memory, _pluggable, _runtime

_CUDAGraph = _graphs.CUDAGraph
_CudaDeviceProperties = _devices._CudaDeviceProperties
_CudaEventBase = _devices.Event
_CudaStreamBase = _devices.Stream
_cuda_CUDAAllocator = _pluggable._CUDAAllocator

_cuda_canDeviceAccessPeer = _devices.can_device_access_peer
_cuda_emptyCache = _memory.empty_cache
_cuda_exchangeDevice = _devices._exchange_device
_cuda_get_sync_debug_mode = _devices.get_sync_debug_mode
_cuda_getAllocatorBackend = _memory.get_allocator_backend
_cuda_getCurrentBlasHandle = _runtime.current_blas_handle
_cuda_getDevice = _devices.current_device
_cuda_getDeviceCount = _devices.device_count
_cuda_init = _devices.init
_cuda_isCurrentStreamCapturing = _graphs.is_current_stream_capturing
_cuda_isInBadFork = _runtime.is_in_bad_fork
_cuda_maybeExchangeDevice = _devices._exchange_device
_cuda_memoryStats = _memory.memory_stats_as_nested_dict
_cuda_resetAccumulatedMemoryStats = _memory.reset_accumulated_memory_stats
_cuda_resetPeakMemoryStats = _memory.reset_peak_memory_stats
_cuda_set_sync_debug_mode = _devices.set_sync_debug_mode
_cuda_setDevice = _devices.set_device
_cuda_setMemoryFraction = _memory.set_per_process_memory_fraction
_cuda_sleep = _runtime.sleep


def _cuda_getCurrentRawStream(device: int) -> int:
    """The address of the stream that is current on a device."""
    return _runtime.initialize().current_stream_handle(device)


def _numbers(stream: torch.Stream) -> tuple[int, int, int]:
    return stream.stream_id, stream.device_index, stream.device_type


def _cuda_getCurrentStream(device: int) -> tuple[int, int, int]:
    """The current stream of a device: its number, that of the device, and that of the kind of device."""
    return _numbers(_devices.current_stream(device))


def _cuda_getDefaultStream(device: int) -> tuple[int, int, int]:
    """The same of the default stream."""
    return _numbers(_devices.default_stream(device))


_cuda_setStream = _devices._set_stream_by_id


def _cuda_synchronize() -> None:
    """Waits for the current GPU."""
    _devices.synchronize()


def _cuda_getCompiledVersion() -> int:
    """The CUDA that torch was built with, as 13000 for 13.0."""
    return _runtime.extension().runtime_version


def _cuda_getArchFlags() -> str:
    """The GPUs that this build has code for."""
    return _runtime.extension().arch_list()


def _cuda_beginAllocateCurrentThreadToPool(device: int, mempool_id: tuple[int, int]) -> None:
    """Requests of this thread take memory of a pool, which has one user more."""
    _runtime.initialize().begin_pool(device, mempool_id)


def _cuda_endAllocateToPool(device: int, mempool_id: tuple[int, int]) -> None:
    """The end of that."""
    _runtime.initialize().end_pool(device, mempool_id)


def _cuda_releasePool(device: int, mempool_id: tuple[int, int]) -> None:
    """One user less; without any, the pool's memory returns to the GPU when that is needed."""
    _runtime.initialize().release_pool(device, mempool_id)
