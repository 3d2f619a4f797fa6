"""A recording of the collector, as a `with` block: torch.autograd.profiler.profile."""

from __future__ import annotations

import uuid
import warnings

from torch import _C
from torch.profiler._build import Profile
from torch.profiler._config import ProfilerActivity, _ExperimentalConfig
from torch.profiler._event_list import EventList

STOPPED, RUNNING, PAUSED = range(3)


class profile:
    """Collects the operators that run inside a `with` block, in all threads.

    record_shapes keeps the arguments' shapes, types and values. profile_memory keeps what each call allocated less what it freed.
    with_flops counts the floating point operations of matrix products, conv2d, add and mul. with_stack keeps the Python functions
    that ran, as events and as the stack of each operator; with_stack="cpp" puts the C++ frames before them. with_modules keeps
    the nn.Modules that led to each operator (event.module_hierarchy). acc_events: a second use adds to the first one's events.
    custom_trace_id_callback: () -> str, names the trace. post_processing_timeout_s: how long events may take to make; those made
    until then are given.

    This build profiles the CPU: use_cuda and use_device for others warn, and are left out."""

    def __init__(
        self, enabled=True, *, use_cuda=False, use_device=None, record_shapes=False, with_flops=False,
        profile_memory=False, with_stack=False, with_modules=False, use_kineto=False, use_cpu=True,
        experimental_config=None, acc_events=False, custom_trace_id_callback=None,
        post_processing_timeout_s: float | None = None, activity_filters=None,
    ):
        self.enabled = enabled
        self.use_cuda, self.use_cpu, self.use_device = use_cuda, use_cpu, None
        self.record_shapes, self.with_flops = record_shapes, with_flops
        self.profile_memory, self.with_stack, self.with_modules = profile_memory, with_stack, with_modules
        self.acc_events = acc_events
        self.entered = False
        self.experimental_config = _ExperimentalConfig() if experimental_config is None else experimental_config
        self.custom_trace_id_callback = custom_trace_id_callback
        self.post_processing_timeout_s = post_processing_timeout_s
        self.trace_id = ""
        self.kineto_activities = {ProfilerActivity.CPU}
        self._state, self._session = STOPPED, None
        self._recorded = self._function_events = self._old_function_events = None
        if enabled:
            self._check(use_cuda, use_device, use_kineto, use_cpu, activity_filters)

    def _check(self, use_cuda, use_device, use_kineto, use_cpu, activity_filters):
        if not isinstance(self.experimental_config, _ExperimentalConfig):
            raise TypeError(
                "profile(): experimental_config must be a torch._C._profiler._ExperimentalConfig, got "
                + type(self.experimental_config).__name__
            )
        if self.with_stack not in (True, False, None, "cpp"):
            raise ValueError(f'profile(): with_stack must be True, False or "cpp", got {self.with_stack!r}')
        if use_cuda:
            warnings.warn("profile(): use_cuda is deprecated, say use_device='cuda'", FutureWarning, stacklevel=4)
            use_device = "cuda"
        if use_device == "cuda":
            warnings.warn("CUDA is not available, disabling CUDA profiling", stacklevel=4)
        elif use_device is not None:
            warnings.warn(f"The {use_device} is not a valid device option.", stacklevel=4)
        if not use_cpu:
            if not use_kineto:
                raise AssertionError("profile(): use_cpu=False profiles devices alone, which needs use_kineto=True")
            raise AssertionError("No activities specified for the profiler: this build profiles the CPU only, use_cpu=False")
        if activity_filters:
            raise RuntimeError(f"profile(): this build keeps every kind of event, activity_filters={activity_filters!r}")
        idle = self.experimental_config.without_effect()
        if idle:
            warnings.warn(f"profile(): these settings of experimental_config do nothing here: {', '.join(idle)}", stacklevel=4)

    # --- recording -------------------------------------------------------------------------------------------

    def __enter__(self):
        if not self.enabled:
            return self
        if self.entered:
            raise RuntimeError("Profiler context manager is not reentrant")
        self._start()
        return self

    def _start(self):
        self.entered = True
        self.trace_id = self.create_trace_id()
        self._session = _C._profiler_start(
            bool(self.record_shapes), bool(self.profile_memory), bool(self.with_stack), bool(self.with_modules),
            bool(self.with_flops), self.with_stack == "cpp",
        )
        self._state = RUNNING

    def __exit__(self, *exc):
        if not self.enabled:
            return False
        if self._state == PAUSED:
            _C._profiler_resume()
        self._state = STOPPED
        collected = _C._profiler_stop(self._session)
        if self.acc_events and self._recorded is not None:
            self._old_function_events = self._finished()
        self._function_events = None
        self._recorded = Profile(
            collected,
            with_stack=bool(self.with_stack),
            profile_memory=bool(self.profile_memory),
            with_flops=bool(self.with_flops),
            timeout_s=self.post_processing_timeout_s,
        )
        return False

    def toggle_collection_dynamic(self, enabled, activities):
        """Pauses (enabled=False) or resumes the recording while it runs. activities: pauses only if the CPU is among them."""
        if ProfilerActivity.CPU not in set(activities) or self._state == STOPPED:
            return
        if enabled and self._state == PAUSED:
            _C._profiler_resume()
            self._state = RUNNING
        elif not enabled and self._state == RUNNING:
            _C._profiler_pause()
            self._state = PAUSED

    def config(self, create_trace_id=False):
        raise NotImplementedError("profile.config: there is no separate configuration of the collector here")

    def default_trace_id(self):
        return uuid.uuid4().hex.upper()

    def create_trace_id(self):
        """What custom_trace_id_callback says, or a random one."""
        if self.custom_trace_id_callback:
            return self.custom_trace_id_callback()
        return self.default_trace_id()

    # --- results ---------------------------------------------------------------------------------------------

    @property
    def function_events(self):
        """An EventList of what was recorded; None before the end."""
        if self._recorded is None:
            return None
        if self.experimental_config.trace_only:
            raise RuntimeError("events() is not available when trace_only=True in ExperimentalConfig; export_chrome_trace() is")
        if self._function_events is None:
            events = self._recorded.events()
            if self._old_function_events is not None:
                tree_built = EventList(
                    [*self._old_function_events, *events],
                    profile_memory=bool(self.profile_memory),
                    with_flops=bool(self.with_flops),
                )
                tree_built._tree_built = True
                events, self._old_function_events = tree_built, None
            self._function_events = events
        return self._function_events

    @property
    def kineto_results(self):
        raise AttributeError("profile.kineto_results: the collector is not Kineto here; function_events has what it gave")

    def _finished(self):
        events = self.function_events
        if events is None:
            raise RuntimeError("Profiler didn't finish running: its results are there after the `with` block")
        return events

    def table(
        self, sort_by=None, row_limit=100, max_src_column_width=75, max_name_column_width=55,
        max_shapes_column_width=80, header=None, top_level_events_only=False,
    ):
        """The events as text, one a line; see EventList.table."""
        return self._finished().table(
            sort_by=sort_by, row_limit=row_limit, max_src_column_width=max_src_column_width,
            max_name_column_width=max_name_column_width, max_shapes_column_width=max_shapes_column_width,
            header=header, top_level_events_only=top_level_events_only,
        )

    def key_averages(self, group_by_input_shape=False, group_by_stack_n=0, group_by_overload_name=False):
        """See EventList.key_averages."""
        return self._finished().key_averages(group_by_input_shape, group_by_stack_n, group_by_overload_name)

    def total_average(self):
        """One FunctionEventAvg of all events."""
        return self._finished().total_average()

    @property
    def self_cpu_time_total(self):
        """Microseconds of all events' own time."""
        return self._finished().self_cpu_time_total

    def export_chrome_trace(self, path, metadata=None, use_python_export=False):
        """Writes a trace for Perfetto, compressed if the name ends in .gz. metadata: a dict put at its top level.
        use_python_export: accepted for programs that say it; there is one writer."""
        from torch.profiler._chrome import write_trace

        if self._recorded is None:
            raise RuntimeError("Profiler didn't finish running: its trace is there after the `with` block")
        write_trace(path, self._recorded, {"trace_id": self.trace_id, **self._settings(), **(metadata or {})})

    def _settings(self):
        names = ("with_stack", "with_modules", "profile_memory", "record_shapes", "with_flops")
        return {name: 1 for name in names if getattr(self, name)}

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total"):
        """Writes the stacks with their times for flame graph tools; needs with_stack."""
        if not self.with_stack:
            raise AssertionError("export_stacks() requires with_stack=True")
        self._finished().export_stacks(path, metric)

    def __str__(self):
        return "<unfinished torch.autograd.profile>" if self._recorded is None else str(self.function_events)

    __repr__ = __str__
