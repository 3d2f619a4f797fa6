"""The enumerations and settings of the profiler, which torch._C._profiler shows too."""

from __future__ import annotations

import enum


class _Numbered(enum.Enum):
    """An enumeration whose members convert to numbers only explicitly."""

    def __int__(self):
        return self.value

    __index__ = __int__

    def __str__(self):
        return f"{type(self).__name__}.{self.name}"


class ProfilerActivity(_Numbered):
    """What is profiled: the CPU, and CUDA's GPUs where there are any.

    Args:
        value (int): the number of an activity

    Example:
        >>> print(torch.profiler.ProfilerActivity(0))
        ProfilerActivity.CPU
    """

    CPU = 0
    XPU = 1
    CUDA = 2
    HPU = 3
    MTIA = 4
    PrivateUse1 = 5


class DeviceType(_Numbered):
    """Where an event took place.

    Args:
        value (int): the number of a kind of device

    Example:
        >>> print(torch.profiler.DeviceType(0))
        DeviceType.CPU
    """

    CPU = 0
    CUDA = 1
    MKLDNN = 2
    OPENGL = 3
    OPENCL = 4
    IDEEP = 5
    HIP = 6
    FPGA = 7
    MAIA = 8
    XLA = 9
    Vulkan = 10
    Metal = 11
    XPU = 12
    MPS = 13
    Meta = 14
    HPU = 15
    VE = 16
    Lazy = 17
    IPU = 18
    MTIA = 19
    PrivateUse1 = 20


class RecordScope(_Numbered):
    """What sort of range an event is."""

    FUNCTION = 0
    BACKWARD_FUNCTION = 1
    TORCHSCRIPT_FUNCTION = 2
    KERNEL_FUNCTION_DTYPE = 3
    CUSTOM_CLASS = 4
    BUILD_FEATURE = 5
    LITE_INTERPRETER = 6
    USER_SCOPE = 7
    STATIC_RUNTIME_OP = 8
    STATIC_RUNTIME_MODEL = 9


# Settings for features that only GPUs and PyTorch's own collector have.
_WITHOUT_EFFECT = (
    "profiler_metrics",
    "profiler_measure_per_kernel",
    "performance_events",
    "enable_cuda_sync_events",
    "adjust_profiler_step",
    "record_python_gc_info",
    "expose_kineto_event_metadata",
    "custom_profiler_config",
    "adjust_timestamps",
)


class _ExperimentalConfig:
    """Settings beside those of profile().

    verbose, capture_overload_names and profile_all_threads ask for what this profiler always does: stacks in the trace,
    overload names, all threads. disable_external_correlation: the work of GPUs is not linked to the operators that started it.
    trace_only: events() is refused. A setting that has no effect here is told by a warning when a
    profile starts."""

    def __init__(
        self,
        profiler_metrics=(),
        profiler_measure_per_kernel=False,
        verbose=False,
        performance_events=(),
        enable_cuda_sync_events=False,
        adjust_profiler_step=False,
        disable_external_correlation=False,
        profile_all_threads=False,
        capture_overload_names=False,
        record_python_gc_info=False,
        expose_kineto_event_metadata=False,
        custom_profiler_config="",
        adjust_timestamps=False,
        trace_only=False,
    ):
        self.profiler_metrics = list(profiler_metrics)
        self.profiler_measure_per_kernel = bool(profiler_measure_per_kernel)
        self.verbose = bool(verbose)
        self.performance_events = list(performance_events)
        self.enable_cuda_sync_events = bool(enable_cuda_sync_events)
        self.adjust_profiler_step = bool(adjust_profiler_step)
        self.disable_external_correlation = bool(disable_external_correlation)
        self.profile_all_threads = bool(profile_all_threads)
        self.capture_overload_names = bool(capture_overload_names)
        self.record_python_gc_info = bool(record_python_gc_info)
        self.expose_kineto_event_metadata = bool(expose_kineto_event_metadata)
        self.custom_profiler_config = str(custom_profiler_config)
        self.adjust_timestamps = bool(adjust_timestamps)
        self.trace_only = bool(trace_only)

    def without_effect(self):
        """The names of the passed settings that have no effect here."""
        return [name for name in _WITHOUT_EFFECT if getattr(self, name)]
