"""Memory of torch.cuda in a build with CUDA: what the caching allocator holds."""

from __future__ import annotations

import collections
import contextlib
from collections.abc import Iterator
from typing import Any

from torch.cuda._runtime import extension, index_of, initialize


def memory_stats_as_nested_dict(device: Any = None) -> dict[str, Any]:
    """Counts and bytes of the allocator, by what is counted, pool and kind."""
    return initialize().memory_stats(index_of(device)) if extension().device_count() else {}


def _flat(nested: dict[str, Any]) -> dict[str, Any]:
    """A nested dict with joined names; those of private pools are tuples."""
    flat: list[tuple[str, Any]] = []

    def walk(prefix: str, value: Any) -> None:
        if isinstance(value, dict):
            for key, inner in value.items():
                name = "_".join(map(str, key)) if isinstance(key, tuple) else key
                walk(f"{prefix}.{name}" if prefix else name, inner)
        else:
            flat.append((prefix, value))

    walk("", nested)
    return collections.OrderedDict(sorted(flat))


def memory_stats(device: Any = None) -> dict[str, Any]:
    """The same with joined names, such as "allocated_bytes.all.peak"."""
    return _flat(memory_stats_as_nested_dict(device))


def _bytes(kind: str, device: Any) -> int:
    return memory_stats(device).get(kind, 0)


def memory_allocated(device: Any = None) -> int:
    """Bytes of tensors."""
    return _bytes("allocated_bytes.all.current", device)


def max_memory_allocated(device: Any = None) -> int:
    """The largest number of bytes of tensors so far, or since reset_peak_memory_stats."""
    return _bytes("allocated_bytes.all.peak", device)


def memory_reserved(device: Any = None) -> int:
    """Bytes taken from the GPU, for tensors and for reuse."""
    return _bytes("reserved_bytes.all.current", device)


def max_memory_reserved(device: Any = None) -> int:
    """The largest number of bytes taken so far, or since reset_peak_memory_stats."""
    return _bytes("reserved_bytes.all.peak", device)


memory_cached, max_memory_cached = memory_reserved, max_memory_reserved


def reset_peak_memory_stats(device: Any = None) -> None:
    """The peaks start again from what is in use now."""
    initialize().reset_peak_stats(index_of(device))


reset_max_memory_allocated = reset_max_memory_cached = reset_peak_memory_stats


def reset_accumulated_memory_stats(device: Any = None) -> None:
    """The sums of what was allocated and freed start again from 0."""
    initialize().reset_accumulated_stats(index_of(device))


def empty_cache() -> None:
    """Returns memory that no tensor uses to the GPU."""
    if extension().device_count():
        extension().empty_cache()


def mem_get_info(device: Any = None) -> tuple[int, int]:
    """Free and total bytes of a GPU, as CUDA sees them."""
    return initialize().memory_info(index_of(device))


def memory_snapshot(mempool_id: Any = None) -> list[dict[str, Any]]:
    """The segments taken from GPUs, with their blocks."""
    segments = initialize().memory_snapshot()
    return [s for s in segments if mempool_id is None or s["segment_pool_id"] == tuple(mempool_id)]


def set_per_process_memory_fraction(fraction: float, device: Any = None) -> None:
    """A limit of what this process takes, as a share of the GPU's memory."""
    if not isinstance(fraction, (int, float)):
        raise TypeError(f"set_per_process_memory_fraction(): expected a number, got {type(fraction).__name__}")
    initialize().set_memory_fraction(float(fraction), index_of(device))


def get_per_process_memory_fraction(device: Any = None) -> float:
    """That share."""
    return initialize().get_memory_fraction(index_of(device))


def caching_allocator_alloc(size: int, device: Any = None, stream: Any = None) -> int:
    """The address of new memory, for other libraries."""
    from torch.cuda import _devices

    with _devices.device(index_of(device)):
        handle = _devices.current_stream().cuda_stream if stream is None else getattr(stream, "cuda_stream", stream)
        return initialize().raw_alloc(size, handle)


def caching_allocator_delete(mem_ptr: int) -> None:
    """Frees such memory."""
    initialize().raw_delete(mem_ptr)


def get_allocator_backend() -> str:
    """The name of the allocator: "native", or "pluggable" after change_current_allocator."""
    return "pluggable" if extension().has_pluggable_allocator() else "native"


def memory_summary(device: Any = None, abbreviated: bool = False) -> str:
    """The figures of the allocator as a table."""
    stats = memory_stats(device)
    names = (
        ["allocated_bytes", "reserved_bytes"]
        if abbreviated
        else sorted({k.split(".")[0] for k in stats if k.endswith(".all.peak") and k.count(".") == 2})
    )
    lines = [f"{'':24}{'current':>16}{'peak':>16}{'allocated':>16}{'freed':>16}"]
    for name in names:
        row = [stats[f"{name}.all.{kind}"] for kind in ("current", "peak", "allocated", "freed")]
        lines.append(f"{name:24}" + "".join(f"{value:16,}" for value in row))
    return "\n".join(lines) + "\n"


def host_memory_stats() -> dict[str, Any]:
    """Counts and bytes of pinned memory of the host, and microseconds of CUDA's calls, such as "allocated_bytes.peak"."""
    return _flat(host_memory_stats_as_nested_dict())


def host_memory_stats_as_nested_dict() -> dict[str, Any]:
    """The same by what is counted and kind."""
    return initialize().host_memory_stats() if extension().device_count() else {}


def reset_peak_host_memory_stats() -> None:
    """The peaks of pinned memory start again from what is in use now."""
    initialize().reset_host_memory_stats(True, False)


def reset_accumulated_host_memory_stats() -> None:
    """The sums and times of pinned memory start again from 0."""
    initialize().reset_host_memory_stats(False, True)


def caching_allocator_enable(value: bool = True) -> None:
    """Whether memory is kept for reuse; without it every block comes from CUDA and returns there."""
    initialize().set_caching(bool(value))


@contextlib.contextmanager
def caching_allocator_disabled() -> Iterator[None]:
    """A block in which no memory is kept for reuse."""
    before = initialize().is_caching()
    initialize().set_caching(False)
    try:
        yield
    finally:
        initialize().set_caching(before)


def _set_allocator_settings(env: str) -> None:
    """Replaces the settings of PYTORCH_CUDA_ALLOC_CONF, for memory that is taken from the GPU from now on.

    Args:
        env (str): NAME:VALUE,... as in the environment variable

    Raises:
        RuntimeError: an unknown name, or a value that it cannot have
    """
    extension().set_allocator_settings(env)
