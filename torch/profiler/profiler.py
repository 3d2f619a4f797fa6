"""The profiler with steps: wait, warm up, record, save."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterable
from typing import Any

from torch import cuda
from torch.profiler import _collect, _device
from torch.profiler._config import ProfilerActivity, _ExperimentalConfig
from torch.profiler._observer import ExecutionTraceObserver, _ITraceObserver
from torch.profiler._record import KinetoStepTracker, record_function
from torch.profiler._schedule import ProfilerAction, always, schedule, tensorboard_trace_handler

__all__ = [
    "ExecutionTraceObserver",
    "ProfilerAction",
    "profile",
    "schedule",
    "supported_activities",
    "tensorboard_trace_handler",
]

PROFILER_STEP_NAME = "ProfilerStep"


def supported_activities() -> set[ProfilerActivity]:
    """What can be profiled here.

    Returns:
        a set of the CPU, and of CUDA if there is a GPU

    Example:
        >>> [activity.name for activity in torch.profiler.supported_activities()]
        ['CPU']
    """
    return {ProfilerActivity.CPU, ProfilerActivity.CUDA} if _device.is_supported() else {ProfilerActivity.CPU}


def _checked_activities(activities):
    if activities is None:
        return supported_activities()
    requested = set()
    for activity in activities:
        if isinstance(activity, dict):
            raise RuntimeError(f"profile(): this build keeps every kind of event; got a choice of them: {activity}")
        if not isinstance(activity, ProfilerActivity):
            raise AssertionError(f"No valid profiler activities found: {activity!r} is no ProfilerActivity")
        requested.add(activity)
    if not requested:
        raise AssertionError("No valid profiler activities found: activities is empty")
    supported = {ProfilerActivity.CPU}
    if ProfilerActivity.CUDA in requested and cuda.is_available():
        supported.add(ProfilerActivity.CUDA)
    for activity in requested - supported:
        warnings.warn(f"{activity.name} is not available, disabling {activity.name} profiling", stacklevel=4)
    if not requested & supported:
        raise AssertionError("No activities specified for the profiler: none of them is available here")
    return requested & supported


class _KinetoProfile:
    """A profile without steps, and the base of torch.profiler.profile. The arguments are described there."""

    def __init__(
        self, *, activities: Iterable[ProfilerActivity | dict[ProfilerActivity, list[str]]] | None = None,
        record_shapes: bool = False, profile_memory: bool = False, with_stack: bool = False, with_flops: bool = False,
        with_modules: bool = False, experimental_config: _ExperimentalConfig | None = None,
        execution_trace_observer: _ITraceObserver | None = None, acc_events: bool = False,
        custom_trace_id_callback: Callable[[], str] | None = None, post_processing_timeout_s: float | None = None,
    ) -> None:  # fmt: skip
        self.activities = _checked_activities(activities)
        self.record_shapes, self.profile_memory = record_shapes, profile_memory
        self.with_stack, self.with_flops, self.with_modules = with_stack, with_flops, with_modules
        self.experimental_config = experimental_config
        self.execution_trace_observer = execution_trace_observer
        self.acc_events = acc_events
        self.custom_trace_id_callback = custom_trace_id_callback
        self.post_processing_timeout_s = post_processing_timeout_s
        self.use_device = "cuda" if ProfilerActivity.CUDA in self.activities else None
        self.profiler: _collect.profile | None = None
        self.preset_metadata: dict[str, str] = {}
        self._trace_metadata: dict[str, Any] = {}

    # --- recording -------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Begins to record."""
        self.prepare_trace()
        self.start_trace()

    def stop(self) -> None:
        """Ends the recording."""
        self.stop_trace()

    def prepare_trace(self) -> None:
        """Creates a new profile, and drops the previous one's events unless acc_events is set."""
        if self._running():
            self.profiler.__exit__(None, None, None)
        if self.profiler is not None and self.acc_events:
            return
        if self.profiler is not None:
            self.profiler._abandon()
        self.profiler = _collect.profile(
            use_cpu=ProfilerActivity.CPU in self.activities, use_device=self.use_device,
            record_shapes=self.record_shapes, profile_memory=self.profile_memory, with_stack=self.with_stack,
            with_flops=self.with_flops, with_modules=self.with_modules, use_kineto=True,
            experimental_config=self.experimental_config, acc_events=self.acc_events,
            custom_trace_id_callback=self.custom_trace_id_callback, post_processing_timeout_s=self.post_processing_timeout_s,
        )  # fmt: skip
        self.profiler._prepare()

    def start_trace(self) -> None:
        """Starts recording into the profile that `prepare_trace` created."""
        if self.profiler is None:
            raise AssertionError("Profiler must be initialized before starting trace: call prepare_trace(), or start()")
        if self.execution_trace_observer:
            self.execution_trace_observer.start()
        self._trace_metadata = {key: json.loads(value) for key, value in self.preset_metadata.items()}
        self.profiler._start()

    def stop_trace(self) -> None:
        """Ends the recording; its events are then available."""
        if self.profiler is None:
            raise AssertionError("Profiler must be initialized before stopping trace")
        if self.execution_trace_observer:
            self.execution_trace_observer.stop()
        if self._running():
            self.profiler.__exit__(None, None, None)

    def _running(self):
        return self.profiler is not None and self.profiler._state != _collect.STOPPED

    def toggle_collection_dynamic(self, enable: bool, activities: Iterable[ProfilerActivity]) -> None:
        """Pauses or resumes the recording.

        Args:
            enable (bool): False pauses, True resumes
            activities (Iterable[ProfilerActivity]): of the CPU, of GPUs (CUDA), or of both
        """
        if self.profiler is not None:
            self.profiler.toggle_collection_dynamic(enable, activities)

    # --- results ---------------------------------------------------------------------------------------------

    def _recorded(self, what):
        if self.profiler is None:
            raise AssertionError(f"Profiler must be initialized before {what}")
        return self.profiler

    def events(self) -> Any:
        """An EventList of the last recording, by start.

        Raises:
            AssertionError: there is none yet
        """
        return self._recorded("accessing events")._finished()

    def key_averages(
        self,
        group_by_input_shape: bool = False,
        group_by_stack_n: int = 0,
        group_by_overload_name: bool = False,
    ) -> Any:
        """Sums of the last recording, one FunctionEventAvg for each name.

        Args:
            group_by_input_shape (bool, default False): and for each shape of inputs
            group_by_stack_n (int, default 0): and for each set of so many upmost frames
            group_by_overload_name (bool, default False): and for each overload
        """
        recorded = self._recorded("getting key averages")
        return recorded.key_averages(group_by_input_shape, group_by_stack_n, group_by_overload_name)

    def export_chrome_trace(self, path: str, use_python_export: bool = False) -> None:
        """Writes the last recording for Perfetto.

        Args:
            path (str): the file, compressed if its name ends in .gz
            use_python_export (bool, default False): accepted for compatibility
        """
        self._recorded("exporting chrome trace").export_chrome_trace(path, self._trace_metadata, use_python_export)

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """Writes `frame;frame value` lines for flame graph tools; needs with_stack.

        Args:
            path (str): the file
            metric (str, default "self_cpu_time_total"): the value
        """
        self._recorded("exporting stacks").export_stacks(path, metric)

    def export_memory_timeline(self, path: str, device: str | None = None) -> None:
        """Refused: sorting memory into parameters, gradients and activations is not there.

        The trace of profile_memory=True has every allocation and release, under "[memory]".

        Args:
            path (str): the file
            device (str, optional): whose memory

        Raises:
            NotImplementedError: always
        """
        if not (self.record_shapes and self.profile_memory and self.with_stack):
            raise ValueError("record_shapes=True, profile_memory=True, with_stack=True required for memory profiling.")
        raise NotImplementedError(
            "export_memory_timeline is not there: export_chrome_trace() has every allocation, as [memory] events"
        )

    def add_metadata(self, key: str, value: str) -> None:
        """A text that the trace carries at its top level.

        Args:
            key (str): its name
            value (str): the text
        """
        self.add_metadata_json(key, '"' + value.replace('"', '\\"') + '"')

    def add_metadata_json(self, key: str, value: str) -> None:
        """A JSON value that the trace carries at its top level.

        Args:
            key (str): its name
            value (str): JSON

        Raises:
            ValueError: it is no JSON
        """
        self._trace_metadata[key] = _checked_json(key, value)

    def preset_metadata_json(self, key: str, value: str) -> None:
        """A JSON value that every trace carries whose recording starts from now on.

        Args:
            key (str): its name
            value (str): JSON

        Raises:
            ValueError: it is no JSON
        """
        _checked_json(key, value)
        self.preset_metadata[key] = value

    def _get_distributed_info(self):
        return None

    def _memory_profile(self):
        raise NotImplementedError("_memory_profile is not there: see export_memory_timeline")


def _checked_json(key, value):
    try:
        return json.loads(value)
    except json.JSONDecodeError as e:
        raise ValueError(f"metadata {key!r}: expected JSON, got {value!r} ({e})") from None


class profile(_KinetoProfile):
    """Profiles a `with` block, or the steps of it that a schedule names; call step() after each.

    Args:
        activities (Iterable[ProfilerActivity], optional): the CPU, and CUDA for GPUs; by default what is there. Others warn and
            are left out
        schedule (function, optional): step -> ProfilerAction; by default all is recorded
        on_trace_ready (function, optional): gets the profile whenever a recording ends
        record_shapes (bool, default False): keep shapes, dtypes and numbers of arguments
        profile_memory (bool, default False): keep allocations and releases
        with_stack (bool, default False): keep the Python frames that called
        with_flops (bool, default False): estimate floating point operations
        with_modules (bool, default False): keep the modules that called
        experimental_config (_ExperimentalConfig, optional): settings beside these
        execution_trace_observer (object, optional): started and stopped along with the recording
        acc_events (bool, default False): keep the events of earlier recordings
        use_cuda (bool, optional): the old form of `activities`
        custom_trace_id_callback (function, optional): names each recording
        post_processing_timeout_s (float, optional): seconds at most for making events

    Raises:
        AssertionError: there is nothing that can be profiled

    Example:
        >>> with torch.profiler.profile(record_shapes=True) as profile:
        ...     x = torch.ones(2, 3) + 1
        >>> [event.key for event in profile.key_averages() if event.key == "aten::add"]
        ['aten::add']
    """

    def __init__(
        self, *, activities: Iterable[ProfilerActivity | dict[ProfilerActivity, list[str]]] | None = None,
        schedule: Callable[[int], ProfilerAction] | None = None, on_trace_ready: Callable[..., Any] | None = None,
        record_shapes: bool = False, profile_memory: bool = False, with_stack: bool = False, with_flops: bool = False,
        with_modules: bool = False, experimental_config: _ExperimentalConfig | None = None,
        execution_trace_observer: _ITraceObserver | None = None, acc_events: bool = False, use_cuda: bool | None = None,
        custom_trace_id_callback: Callable[[], str] | None = None, post_processing_timeout_s: float | None = None,
    ) -> None:  # fmt: skip
        if use_cuda is not None:
            warnings.warn("`use_cuda` is deprecated, use `activities` argument instead", FutureWarning, stacklevel=2)
            chosen = set(activities) if activities is not None else supported_activities()
            activities = chosen | {ProfilerActivity.CUDA} if use_cuda else chosen - {ProfilerActivity.CUDA}
        super().__init__(
            activities=activities, record_shapes=record_shapes, profile_memory=profile_memory, with_stack=with_stack,
            with_flops=with_flops, with_modules=with_modules, experimental_config=experimental_config,
            execution_trace_observer=execution_trace_observer, acc_events=acc_events,
            custom_trace_id_callback=custom_trace_id_callback, post_processing_timeout_s=post_processing_timeout_s,
        )  # fmt: skip
        self.record_steps = schedule is not None
        self.schedule = schedule or always
        self.on_trace_ready = on_trace_ready
        self.step_num = 0
        self.current_action = self.schedule(0)
        self.step_rec_fn = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, exc_type, exc_val, exc_tb):
        self.stop()
        KinetoStepTracker.erase_step_count(PROFILER_STEP_NAME)

    def start(self) -> None:
        """Begins the first step."""
        self._transit_action(ProfilerAction.NONE, self.current_action)
        self._begin_step()

    def stop(self) -> None:
        """Ends the last step."""
        if self.profiler is None and self.current_action is not ProfilerAction.NONE:
            raise AssertionError("Profiler must be initialized before stopping trace")
        self._end_step()
        self._transit_action(self.current_action, None)

    def step(self) -> None:
        """Ends the step and begins the next one."""
        self._end_step()
        before = self.current_action
        self.step_num += 1
        self.current_action = self.schedule(self.step_num)
        self._transit_action(before, self.current_action)
        KinetoStepTracker.increment_step(PROFILER_STEP_NAME)
        self._begin_step()

    def _begin_step(self):
        if self.record_steps:
            self.step_rec_fn = record_function(f"{PROFILER_STEP_NAME}#{self.step_num}")
            self.step_rec_fn.__enter__()

    def _end_step(self):
        if self.step_rec_fn is not None:
            self.step_rec_fn.__exit__(None, None, None)
            self.step_rec_fn = None

    def _transit_action(self, prev_action, current_action) -> None:
        """Starts and stops the recording between two steps; current_action None: the profile ends."""
        none, warmup, save = ProfilerAction.NONE, ProfilerAction.WARMUP, ProfilerAction.RECORD_AND_SAVE
        idle = (none, warmup, None)
        if prev_action not in idle and (prev_action is save or current_action in idle):
            self.stop_trace()
            self._trace_ready()
        if prev_action is warmup and current_action in (none, None):
            self.start_trace()  # a cycle that ends before it records has no events
            self.stop_trace()
        if current_action is warmup and prev_action is not warmup:
            self.prepare_trace()
        if current_action not in idle and (prev_action in idle or prev_action is save):
            if prev_action is not warmup:
                self.prepare_trace()
            self.start_trace()

    def _trace_ready(self) -> None:
        if self.on_trace_ready:
            self.on_trace_ready(self)

    def get_trace_id(self) -> str | None:
        """The id of the last recording, None before one."""
        return None if self.profiler is None else self.profiler.trace_id

    def set_custom_trace_id_callback(self, callback: Callable[[], str]) -> None:
        """Sets what names the recordings that start from now on.

        Args:
            callback (function): gives the name
        """
        self.custom_trace_id_callback = callback
        if self.profiler is not None:
            self.profiler.custom_trace_id_callback = callback

    def _stats(self):
        return None
