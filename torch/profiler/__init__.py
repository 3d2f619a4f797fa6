"""torch.profiler: operators with their times, shapes and memory; schedules; traces for Perfetto."""

from __future__ import annotations

from torch import _lazy
from torch.profiler import itt
from torch.profiler._config import DeviceType, ProfilerActivity, RecordScope, _ExperimentalConfig
from torch.profiler._record import KinetoStepTracker, record_function
from torch.profiler.profiler import (
    ExecutionTraceObserver,
    ProfilerAction,
    _KinetoProfile,
    profile,
    schedule,
    supported_activities,
    tensorboard_trace_handler,
)

__all__ = [
    "DeviceType",
    "ExecutionTraceObserver",
    "ProfilerAction",
    "ProfilerActivity",
    "kineto_available",
    "profile",
    "record_function",
    "schedule",
    "supported_activities",
    "tensorboard_trace_handler",
]


def kineto_available() -> bool:
    """Whether torch.profiler.profile works in this build: it does, with a collector of its own.

    Returns:
        True

    Example:
        >>> torch.profiler.kineto_available()
        True
    """
    return True


__getattr__, _ = _lazy.lazy(__name__, ("itt", "python_tracer"))
