"""Functions of torch.cuda, under the name of the module that PyTorch has them in."""

from torch.cuda import (  # noqa: F401
    CUDAPluggableAllocator,
    MemPool,
    OutOfMemoryError,
    caching_allocator_alloc,
    caching_allocator_delete,
    caching_allocator_disabled,
    caching_allocator_enable,
    change_current_allocator,
    empty_cache,
    get_allocator_backend,
    get_per_process_memory_fraction,
    host_memory_stats,
    list_gpu_processes,
    max_memory_allocated,
    max_memory_cached,
    max_memory_reserved,
    mem_get_info,
    memory_allocated,
    memory_cached,
    memory_reserved,
    memory_snapshot,
    memory_stats,
    memory_stats_as_nested_dict,
    memory_summary,
    memory_usage,
    reset_accumulated_host_memory_stats,
    reset_accumulated_memory_stats,
    reset_max_memory_allocated,
    reset_max_memory_cached,
    reset_peak_host_memory_stats,
    reset_peak_memory_stats,
    set_per_process_memory_fraction,
    use_mem_pool,
)

TYPE_CHECKING = False
if not TYPE_CHECKING:
    from torch.cuda import _BUILT

    if _BUILT:
        from torch.cuda._memory import _set_allocator_settings  # noqa: F401
        from torch.cuda._memory_history import _dump_snapshot, _record_memory_history, _snapshot  # noqa: F401
        from torch.cuda._pluggable import _CUDAAllocator  # noqa: F401
