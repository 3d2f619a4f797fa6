"""The CPU as a device, and its caching allocator."""

from torch import _C, _lazy


def is_available():
    return True


def device_count():
    return 1


def current_device():
    return "cpu"


def set_device(device):
    """There is only one."""


def synchronize(device=None):
    """Does nothing: the CPU runs no work asynchronously."""


def is_initialized():
    return True


def empty_cache():
    """Give the memory that the allocator keeps for reuse back to the system."""
    _C._cpu_empty_cache()


def memory_stats():
    """Counters of the allocator, by name, in bytes and blocks."""
    return _C._cpu_memory_stats()


def get_capabilities():
    """Name of the vector instructions in use, and features of the processor."""
    return _C._cpu_get_capabilities()


__getattr__, __dir__ = _lazy.lazy(
    __name__, ("amp",), dict.fromkeys(("Stream", "StreamContext", "current_stream", "stream"), "torch.cpu._streams")
)
