"""The functions of `torch.mtia` about memory."""

from torch.mtia import max_memory_allocated, memory_allocated, memory_stats, reset_peak_memory_stats

__all__ = ["max_memory_allocated", "memory_allocated", "memory_stats", "reset_peak_memory_stats"]
