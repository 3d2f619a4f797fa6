"""torch.profiler: operators with their times, shapes and memory; schedules; traces for Perfetto."""

from torch.autograd.profiler import record_function
from torch.profiler.profiler import (
    ProfilerAction,
    ProfilerActivity,
    profile,
    schedule,
    supported_activities,
    tensorboard_trace_handler,
)

__all__ = [
    "ProfilerAction",
    "ProfilerActivity",
    "kineto_available",
    "profile",
    "record_function",
    "schedule",
    "supported_activities",
    "tensorboard_trace_handler",
]


def kineto_available():
    """Whether events of devices beside the CPU can be collected."""
    return False
