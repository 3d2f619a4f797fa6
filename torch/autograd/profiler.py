"""torch.autograd.profiler: what a piece of a program spends its time on."""

from __future__ import annotations

import contextlib

from torch import _C
from torch.autograd.profiler_util import EventList, FunctionEvent

__all__ = ["EventList", "FunctionEvent", "profile", "record_function"]


class record_function(contextlib.ContextDecorator):
    """A named range of the profile, as a `with` block or a decorator. Costs next to nothing while no profiler runs."""

    def __init__(self, name, args=None):
        self.name = name if args is None else f"{name} {args}"
        self._handle = -1

    def __enter__(self):
        self._handle = _C._profiler_begin_range(self.name)
        return self

    def __exit__(self, *exc):
        _C._profiler_end_range(self._handle)

    def _recreate_cm(self):
        return record_function(self.name)


def _events(collected, profile_memory, with_stack):
    """The EventList of what the collector gave."""
    start, _, _, threads = collected
    made = []
    for thread, rows in threads:
        mine = []
        for name, overload, kind, parent, begun, ended, memory, inputs, stack in rows:
            event = FunctionEvent(
                len(made) + len(mine),
                name,
                thread,
                (begun - start) / 1e3,
                (ended - start) / 1e3,
                overload_name=overload,
                input_shapes=inputs or "",
                stack=stack.split("\n") if stack else [],
                cpu_memory_usage=memory,
                is_user_annotation=kind == 1,
                kind=kind,
            )
            if parent >= 0:
                event.cpu_parent = mine[parent]
                mine[parent].cpu_children.append(event)
            mine.append(event)
        made += mine
    made.sort(key=lambda e: (e.time_range.start, -e.time_range.end))
    return EventList(made, profile_memory=profile_memory, with_stack=with_stack)


class profile:
    """Collects the operators that run inside a `with` block, in all threads.

    record_shapes keeps the arguments' shapes, profile_memory what each call allocated less what it freed, with_stack the Python
    stack of each call. use_cuda and use_device other than None or "cpu" are refused: this build profiles the CPU.
    """

    def __init__(
        self,
        enabled=True,
        *,
        use_cuda=False,
        use_device=None,
        record_shapes=False,
        with_flops=False,
        profile_memory=False,
        with_stack=False,
        with_modules=False,
        use_kineto=False,
        use_cpu=True,
        experimental_config=None,
        acc_events=False,
        custom_trace_id_callback=None,
        post_processing_timeout_s=None,
        activity_filters=None,
    ):
        if use_cuda or use_device not in (None, "cpu"):
            raise RuntimeError(f"profile(): this build profiles the CPU only, got use_cuda={use_cuda}, use_device={use_device!r}")
        if with_flops:
            raise NotImplementedError("profile(): with_flops is not there yet")
        self.enabled = enabled
        self.record_shapes, self.profile_memory, self.with_stack = record_shapes, profile_memory, with_stack
        self.acc_events = acc_events
        self.function_events = None
        self.entered = False
        self._wall_us = 0.0

    def __enter__(self):
        if not self.enabled:
            return self
        if self.entered:
            raise RuntimeError("Profiler context manager is not reentrant")
        self.entered = True
        _C._profiler_start(self.record_shapes, self.profile_memory, self.with_stack)
        return self

    def __exit__(self, *exc):
        if not self.enabled:
            return False
        collected = _C._profiler_stop()
        self.entered = False
        self._wall_us = collected[2] / 1e3
        fresh = _events(collected, self.profile_memory, self.with_stack)
        if self.acc_events and self.function_events is not None:
            fresh = EventList([*self.function_events, *fresh], self.profile_memory, with_stack=self.with_stack)
        self.function_events = fresh
        return False

    def _finished(self):
        if self.function_events is None:
            raise RuntimeError("Profiler didn't finish running")
        return self.function_events

    def table(self, *args, **kwargs):
        return self._finished().table(*args, **kwargs)

    def key_averages(self, *args, **kwargs):
        return self._finished().key_averages(*args, **kwargs)

    def total_average(self):
        return self._finished().total_average()

    @property
    def self_cpu_time_total(self):
        return self._finished().self_cpu_time_total

    def export_chrome_trace(self, path):
        from torch.profiler._chrome import write_trace

        write_trace(path, self._finished(), {}, self._wall_us)

    def export_stacks(self, path, metric="self_cpu_time_total"):
        if not self.with_stack:
            raise ValueError("export_stacks() needs with_stack=True")
        self._finished().export_stacks(path, metric)

    def __str__(self):
        return "<unfinished torch.autograd.profile>" if self.function_events is None else str(self.function_events)

    __repr__ = __str__
