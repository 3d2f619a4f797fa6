"""The profiler with steps: wait, warm up, record, save."""

from __future__ import annotations

import enum
import json
import os
import socket
import time

from torch.autograd import profiler as autograd_profiler


class ProfilerActivity(enum.Enum):
    CPU = 0
    CUDA = 2


class ProfilerAction(enum.Enum):
    """What the profiler does in a step."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


def supported_activities():
    return {ProfilerActivity.CPU}


def schedule(*, wait, warmup, active, repeat=0, skip_first=0, skip_first_wait=0):
    """A function of the step's number: skip `skip_first` steps, then cycles of `wait`, `warmup` and `active` steps.

    The last active step of a cycle calls on_trace_ready. repeat: how many cycles, 0 for no end. skip_first_wait: not 0 to leave
    out the first cycle's wait."""
    if min(wait, warmup, repeat, skip_first) < 0 or active <= 0:
        raise ValueError(
            f"schedule(): expected wait, warmup, repeat, skip_first >= 0 and active > 0, got wait={wait}, warmup={warmup}, "
            f"active={active}, repeat={repeat}, skip_first={skip_first}"
        )

    def action(step):
        if step < 0:
            raise ValueError(f"schedule: expected a step >= 0, got {step}")
        if step < skip_first:
            return ProfilerAction.NONE
        step -= skip_first
        if skip_first_wait:
            step += wait
        cycle = wait + warmup + active
        if repeat > 0 and step // cycle >= repeat:
            return ProfilerAction.NONE
        at = step % cycle
        if at < wait:
            return ProfilerAction.NONE
        if at < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if at < cycle - 1 else ProfilerAction.RECORD_AND_SAVE

    return action


def tensorboard_trace_handler(dir_name, worker_name=None, use_gzip=False, use_python_export=False):
    """An on_trace_ready that writes each trace into a folder, under names that TensorBoard's plugin knows."""

    def handler(prof):
        os.makedirs(dir_name, exist_ok=True)
        worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        name = f"{worker}.{time.time_ns()}.pt.trace.json" + (".gz" if use_gzip else "")
        prof.export_chrome_trace(os.path.join(dir_name, name))

    return handler


class profile:
    """Profiles a `with` block, or the steps of it that a schedule names; call step() after each.

    activities: {ProfilerActivity.CPU}. schedule: step -> ProfilerAction (default: all is recorded). on_trace_ready(profile) is
    called whenever a recording ends. record_shapes, profile_memory, with_stack as in torch.autograd.profiler.profile."""

    def __init__(
        self,
        *,
        activities=None,
        schedule=None,
        on_trace_ready=None,
        record_shapes=False,
        profile_memory=False,
        with_stack=False,
        with_flops=False,
        with_modules=False,
        experimental_config=None,
        execution_trace_observer=None,
        acc_events=False,
        use_cuda=None,
        custom_trace_id_callback=None,
        post_processing_timeout_s=None,
    ):
        wanted = set(activities) if activities is not None else supported_activities()
        if not wanted:
            raise AssertionError("profile(): no activities are given")
        if ProfilerActivity.CPU not in wanted:
            raise RuntimeError("profile(): this build profiles the CPU only")
        if with_flops:
            raise NotImplementedError("profile(): with_flops is not there yet")
        self.activities = wanted & supported_activities()
        self.schedule = schedule or (lambda step: ProfilerAction.RECORD)
        self._scheduled = schedule is not None
        self.on_trace_ready = on_trace_ready
        self.record_shapes, self.profile_memory, self.with_stack = record_shapes, profile_memory, with_stack
        self.acc_events = acc_events
        self.step_num = 0
        self.current_action = self.schedule(0)
        self.profiler = None
        self._range = None
        self._metadata = {}

    # --- running ---------------------------------------------------------------------------------------------

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *exc):
        self.stop()

    def start(self):
        self._transit(ProfilerAction.NONE, self.current_action)
        self._begin_step()

    def stop(self):
        self._end_step()
        recording = self.current_action in (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)
        self._stop_recording(ready=recording)

    def step(self):
        """The step is over, the next one begins."""
        self._end_step()
        before = self.current_action
        self.step_num += 1
        self.current_action = self.schedule(self.step_num)
        self._transit(before, self.current_action)
        self._begin_step()

    def _begin_step(self):
        if self._scheduled:
            self._range = autograd_profiler.record_function(f"ProfilerStep#{self.step_num}")
            self._range.__enter__()

    def _end_step(self):
        if self._range is not None:
            self._range.__exit__(None, None, None)
            self._range = None

    def _transit(self, before, after):
        recording = (ProfilerAction.WARMUP, ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)
        if before is ProfilerAction.RECORD_AND_SAVE:
            self._stop_recording(ready=True)
        elif (
            before is ProfilerAction.RECORD and after is not ProfilerAction.RECORD and after is not ProfilerAction.RECORD_AND_SAVE
        ):
            self._stop_recording(ready=True)
        elif before is ProfilerAction.WARMUP and after not in (ProfilerAction.WARMUP,):
            self._stop_recording(ready=False)  # what the warm-up collected is dropped
        if after in recording and not self._running():
            self._start_recording()

    def _running(self):
        return self.profiler is not None and self.profiler.entered

    def _start_recording(self):
        keep = self.profiler.function_events if self.acc_events and self.profiler is not None else None
        self.profiler = autograd_profiler.profile(
            record_shapes=self.record_shapes,
            profile_memory=self.profile_memory,
            with_stack=self.with_stack,
            acc_events=self.acc_events,
        )
        self.profiler.function_events = keep
        self.profiler.__enter__()

    def _stop_recording(self, ready):
        if not self._running():
            return
        self.profiler.__exit__(None, None, None)
        if ready and self.on_trace_ready:
            self.on_trace_ready(self)

    # --- results ---------------------------------------------------------------------------------------------

    def events(self):
        """All events of the last recording, by their start."""
        if self.profiler is None:
            raise AssertionError("profile: nothing was recorded")
        return self.profiler._finished()

    def key_averages(self, group_by_input_shape=False, group_by_stack_n=0, group_by_overload_name=False):
        return self.events().key_averages(group_by_input_shape, group_by_stack_n, group_by_overload_name)

    def export_chrome_trace(self, path):
        """Writes the last recording for Perfetto; compressed if the name ends in .gz."""
        from torch.profiler._chrome import write_trace

        write_trace(
            path,
            self.events(),
            {
                **self._metadata,
                "record_shapes": int(self.record_shapes),
                "with_stack": int(self.with_stack),
                "profile_memory": int(self.profile_memory),
            },
            self.profiler._wall_us,
        )

    def export_stacks(self, path, metric="self_cpu_time_total"):
        if not self.with_stack:
            raise ValueError("export_stacks() needs with_stack=True")
        self.events().export_stacks(path, metric)

    def add_metadata(self, key, value):
        """A text that the trace carries."""
        self._metadata[key] = value.replace('"', '\\"')

    def add_metadata_json(self, key, value):
        self._metadata[key] = json.loads(value)

    def toggle_collection_dynamic(self, enable, activities):
        raise NotImplementedError("profile.toggle_collection_dynamic is not there yet")
