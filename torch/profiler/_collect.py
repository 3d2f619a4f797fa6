"""A recording of the collector, as a `with` block: torch.autograd.profiler.profile."""

from __future__ import annotations

import uuid
import warnings

from torch import _C, cuda
from torch.profiler._build import Profile
from torch.profiler._config import ProfilerActivity, _ExperimentalConfig
from torch.profiler._device import DeviceRecording
from torch.profiler._event_list import EventList

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable
    from typing import Any, Literal, NoReturn

    from torch.profiler._events import FunctionEventAvg

STOPPED, RUNNING, PAUSED = range(3)


class profile:
    """Collects the operators that run inside a `with` block, in all threads.

    Args:
        enabled (bool, default True): False makes the block do nothing
        use_cuda (bool, default False): the old form of use_device="cuda"
        use_device (str, optional): "cuda" adds the work of GPUs: kernels, copies, fills, and the calls that start them
        record_shapes (bool, default False): keep the arguments' shapes, types and values
        with_flops (bool, default False): count the floating point operations of matrix products, conv2d, add and mul
        profile_memory (bool, default False): keep what each call allocated less what it freed
        with_stack (bool or "cpp", default False): keep the Python functions that ran, as events and as the stack of each
            operator; "cpp" puts the C++ frames before them
        with_modules (bool, default False): keep the nn.Modules that led to each operator, as event.module_hierarchy
        use_kineto (bool, default False): accepted; there is one collector
        use_cpu (bool, default True): False keeps the work of GPUs alone, with use_kineto=True
        experimental_config (optional): a torch._C._profiler._ExperimentalConfig
        acc_events (bool, default False): a second use adds to the first one's events
        custom_trace_id_callback (callable, optional): () -> str, names the trace
        post_processing_timeout_s (float, optional): how long events may take to make; those made until then are given
        activity_filters (optional): must be empty, since every kind of event is kept

    Raises:
        RuntimeError: it is entered a second time
        TypeError, ValueError, AssertionError: an argument is none of the above

    Example:
        >>> with torch.autograd.profiler.profile(record_shapes=True) as profile:
        ...     x = torch.ones(2, 3) + 1
        >>> profile.function_events[-1].input_shapes
        [[2, 3], [], []]
    """

    def __init__(
        self, enabled: bool = True, *, use_cuda: bool = False, use_device: str | None = None, record_shapes: bool = False,
        with_flops: bool = False, profile_memory: bool = False, with_stack: bool | Literal["cpp"] = False,
        with_modules: bool = False, use_kineto: bool = False, use_cpu: bool = True, experimental_config: Any = None,
        acc_events: bool = False, custom_trace_id_callback: Callable[[], str] | None = None,
        post_processing_timeout_s: float | None = None, activity_filters: Any = None,
    ) -> None:  # fmt: skip
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
        self._state, self._session, self._device = STOPPED, None, None
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
            if cuda.is_available():
                self.use_device = "cuda"
                self.kineto_activities.add(ProfilerActivity.CUDA)
            else:
                warnings.warn("CUDA is not available, disabling CUDA profiling", stacklevel=4)
        elif use_device is not None:
            warnings.warn(f"The {use_device} is not a valid device option.", stacklevel=4)
        if not use_cpu:
            if not use_kineto:
                raise AssertionError("profile(): use_cpu=False profiles devices alone, which needs use_kineto=True")
            self.kineto_activities.discard(ProfilerActivity.CPU)
            if not self.kineto_activities:
                raise AssertionError("No activities specified for the profiler: neither the CPU nor a device that is there")
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

    def _prepare(self):
        """Has GPUs record: what their library does when it begins is then no part of the profile."""
        if self._device is None and self.use_device:
            self._device = DeviceRecording(bool(self.profile_memory))

    def _abandon(self):
        """Ends what _prepare began."""
        if self._device is not None and self._state == STOPPED:
            self._device.stop(0, 0)
            self._device = None

    def _start(self):
        self.entered = True
        self.trace_id = self.create_trace_id()
        self._prepare()
        records = self._device is not None and self._device.is_running
        try:
            self._session = _C._profiler_start(
                bool(self.record_shapes),
                bool(self.profile_memory),
                bool(self.with_stack),
                bool(self.with_modules),
                bool(self.with_flops),
                self.with_stack == "cpp",
                records and not self.experimental_config.disable_external_correlation,
                False,
            )
        except BaseException:  # such as another tracer of Python functions
            self._abandon()
            raise
        self._state = RUNNING

    def __exit__(self, *exc):
        if not self.enabled:
            return False
        if self._state == PAUSED:
            _C._profiler_resume()
        self._state = STOPPED
        device, self._device = self._device, None
        try:
            if device is not None:
                device.wait()
        finally:  # a kernel may have failed
            collected = _C._profiler_stop(self._session)
            device_work = device.stop(*collected[:2]) if device is not None else None
        if self.acc_events and self._recorded is not None:
            self._old_function_events = self._finished()
        self._function_events = None
        self._recorded = Profile(
            collected, device_work=device_work, with_cpu=self.use_cpu, with_stack=bool(self.with_stack),
            profile_memory=bool(self.profile_memory), with_flops=bool(self.with_flops), timeout_s=self.post_processing_timeout_s,
        )  # fmt: skip
        return False

    def toggle_collection_dynamic(self, enabled: bool, activities: Iterable[ProfilerActivity]) -> None:
        """Pauses or resumes the recording while it runs.

        Args:
            enabled (bool): False to pause
            activities (iterable of ProfilerActivity): of the CPU, of GPUs (CUDA), or of both
        """
        activities = set(activities)
        if self._state == STOPPED:
            return
        if ProfilerActivity.CUDA in activities and self._device is not None:
            self._device.toggle(bool(enabled))
        if ProfilerActivity.CPU not in activities:
            return
        if enabled and self._state == PAUSED:
            _C._profiler_resume()
            self._state = RUNNING
        elif not enabled and self._state == RUNNING:
            _C._profiler_pause()
            self._state = PAUSED

    def config(self, create_trace_id: bool = False) -> NoReturn:
        """Refused: the collector has no configuration of its own.

        Args:
            create_trace_id (bool, default False): of no effect

        Raises:
            NotImplementedError: always
        """
        raise NotImplementedError("profile.config: there is no separate configuration of the collector here")

    def default_trace_id(self) -> str:
        """A random name for a trace."""
        return uuid.uuid4().hex.upper()

    def create_trace_id(self) -> str:
        """What custom_trace_id_callback says, or a random one."""
        if self.custom_trace_id_callback:
            return self.custom_trace_id_callback()
        return self.default_trace_id()

    # --- results ---------------------------------------------------------------------------------------------

    @property
    def function_events(self) -> EventList | None:
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
                    use_device=self.use_device,
                    profile_memory=bool(self.profile_memory),
                    with_flops=bool(self.with_flops),
                )
                tree_built._tree_built = True
                events, self._old_function_events = tree_built, None
            self._function_events = events
        return self._function_events

    @property
    def kineto_results(self) -> NoReturn:
        """Raises AttributeError: the collector is not Kineto."""
        raise AttributeError("profile.kineto_results: the collector is not Kineto here; function_events has what it gave")

    def _finished(self) -> EventList:
        events = self.function_events
        if events is None:
            raise RuntimeError("Profiler didn't finish running: its results are there after the `with` block")
        return events

    def table(
        self, sort_by: str | None = None, row_limit: int = 100, max_src_column_width: int | None = 75,
        max_name_column_width: int | None = 55, max_shapes_column_width: int | None = 80, header: str | None = None,
        top_level_events_only: bool = False,
    ) -> str:  # fmt: skip
        """The events as text, one a line.

        Args:
            sort_by (str or None): an attribute of events, largest first
            row_limit (int, default 100): how many lines; -1 for all
            max_src_column_width (int or None): of the source's column; None for as wide as needed
            max_name_column_width (int or None): of the names' column
            max_shapes_column_width (int or None): of the shapes' column
            header (str or None): a line above
            top_level_events_only (bool, default False): leave out the calls that others made
        """
        return self._finished().table(
            sort_by=sort_by, row_limit=row_limit, max_src_column_width=max_src_column_width,
            max_name_column_width=max_name_column_width, max_shapes_column_width=max_shapes_column_width, header=header,
            top_level_events_only=top_level_events_only,
        )  # fmt: skip

    def key_averages(
        self, group_by_input_shape: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False
    ) -> EventList:
        """One average for each name.

        Args:
            group_by_input_shape (bool, default False): calls with other shapes count apart
            group_by_stack_n (int, default 0): calls with other innermost frames count apart; how many frames are looked at
            group_by_overload_name (bool, default False): overloads of an operator count apart
        """
        return self._finished().key_averages(group_by_input_shape, group_by_stack_n, group_by_overload_name)

    def total_average(self) -> FunctionEventAvg:
        """One FunctionEventAvg of all events."""
        return self._finished().total_average()

    @property
    def self_cpu_time_total(self) -> float:
        """Microseconds of all events' own time."""
        return self._finished().self_cpu_time_total

    def export_chrome_trace(
        self, path: str | os.PathLike[str], metadata: dict[str, Any] | None = None, use_python_export: bool = False
    ) -> None:
        """Writes a trace for Perfetto, compressed if the name ends in .gz.

        Args:
            path (str or os.PathLike): the file
            metadata (dict, optional): put at the top level of the trace
            use_python_export (bool, default False): accepted for programs that say it; there is one writer

        Raises:
            RuntimeError: the `with` block has not ended
        """
        from torch.profiler._chrome import write_trace

        if self._recorded is None:
            raise RuntimeError("Profiler didn't finish running: its trace is there after the `with` block")
        write_trace(path, self._recorded, {"trace_id": self.trace_id, **self._settings(), **(metadata or {})})

    def _settings(self):
        names = ("with_stack", "with_modules", "profile_memory", "record_shapes", "with_flops")
        return {name: 1 for name in names if getattr(self, name)}

    def export_stacks(self, path: str | os.PathLike[str], metric: str = "self_cpu_time_total") -> None:
        """Writes the stacks with their times for flame graph tools.

        Args:
            path (str or os.PathLike): the file
            metric (str): the time to sum up

        Raises:
            AssertionError: the profile was made without with_stack
        """
        if not self.with_stack:
            raise AssertionError("export_stacks() requires with_stack=True")
        self._finished().export_stacks(path, metric)

    def __str__(self):
        return "<unfinished torch.autograd.profile>" if self._recorded is None else str(self.function_events)

    __repr__ = __str__
