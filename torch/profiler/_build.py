"""Builds events from the collector's rows."""

from __future__ import annotations

import contextlib
import gc
import os
import time
import warnings

from torch.profiler._config import DeviceType
from torch.profiler._event_list import EventList
from torch.profiler._events import MEMORY_EVENT_NAME, FunctionEvent

# Kinds of the collector's ranges; see RangeKind in Collector.h.
OPERATOR, USER, EVALUATE, NODE, FUNCTION, PYTHON, C_FUNCTION, MODULE = range(8)
SCOPES = {USER: 7, NODE: 1}
ACTIVITIES = {USER: "user_annotation", PYTHON: "python_function", C_FUNCTION: "python_function", MODULE: "python_function"}
EVALUATED = "autograd::engine::evaluate_function: "
FORWARD_BACKWARD = 1  # flow_type of an operator and the node that is its backward


class Profile:
    """The result of one recording: the collector's rows per thread, and events, which are built on first use."""

    def __init__(
        self, collected, *, device_work=None, with_cpu=True, with_stack=False, profile_memory=False, with_flops=False,
        timeout_s=None,
    ):  # fmt: skip
        self.start_ns, self.end_ns, self.wall_start_ns, self._run, self._threads = collected
        # None: the profile has no part on a device.
        self._device_work = device_work
        self.use_device = None if device_work is None else "cuda"
        self._with_cpu = with_cpu
        self.with_stack, self.profile_memory, self.with_flops = with_stack, profile_memory, with_flops
        self._timeout_s = timeout_s
        self._all = None
        self.memory = [
            ((at - self.start_ns) / 1e3, tid, address, nbytes, allocated, device, reserved)
            for tid, _, _, _, changes in self._threads
            for at, address, nbytes, allocated, _, device, reserved in changes
        ]

    def all_events(self):
        """The result of events(), and the modules' ranges if only those were traced."""
        if self._all is None:
            with _without_collection():
                builder = _Builder(self.start_ns, self.use_device, self._timeout_s)
                made = builder.events(self._threads)
                if self._device_work:
                    made = _by_start(made + builder.device_events(self._device_work, self._run, self._threads))
            if not self._with_cpu:
                made = _of_the_device(made)
            self._all = self._listed(made)
            self._all._remove_dup_nodes()
            self._all._tree_built = True
            self._threads = self._device_work = ()
            _link_backwards(self._all)
        return self._all

    def events(self):
        """An EventList by the events' start.

        with_modules alone records where modules begin and end, for module_hierarchy. They are events only with with_stack.
        """
        if self.with_stack:
            return self.all_events()
        kept = self.all_events()
        if any(e.is_python_function for e in kept):
            kept = self._listed(_without_python_functions(kept))
            kept._tree_built = True
        return kept

    def _listed(self, events):
        return EventList(events, use_device=self.use_device, profile_memory=self.profile_memory, with_flops=self.with_flops)


@contextlib.contextmanager
def _without_collection():
    """Pauses the garbage collector, which would scan the many new objects repeatedly."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class _Builder:
    def __init__(self, start_ns, use_device, timeout_s):
        self.start_ns, self.use_device = start_ns, use_device
        self.ranges = {}  # (number of the thread, index of the range) -> event, with a device
        self.deadline = None if timeout_s is None else time.monotonic() + timeout_s
        self.made = []
        self.pid = os.getpid()

    def events(self, threads):
        for tid, number, first, rows, memory in threads:
            mine = []
            for row in rows:
                if self.deadline is not None and len(mine) % 256 == 255 and time.monotonic() > self.deadline:
                    warnings.warn(
                        "profiler: post_processing_timeout_s is over; the events that were made until then are kept",
                        stacklevel=2,
                    )
                    self.made += mine
                    return _by_start(self.made)
                mine.append(self.event(tid, number, row, mine))
            self.made += mine
            if self.use_device:
                self.ranges.update(((number & 0xFFFF, first + k), e) for k, e in enumerate(mine))
            for at, _, nbytes, _, place, device, _ in memory:
                if place < 0:
                    self.made.append(self.memory_event(tid, number, at, nbytes, device))
        return _by_start(self.made)

    def device_events(self, records, run, threads):
        from torch.profiler._device_events import device_events

        numbers = {tid: number for tid, number, *_ in threads}
        return device_events(records, self.start_ns, self.ranges, run, numbers, len(self.made) + 1)

    def event(self, tid, number, row, mine):
        name, overload, kind, parent, begun, ended, memory, device_memory, sequence_nr, fwd_thread, flops, inputs, *around = row
        stack, modules = around
        shapes, strides, types, concrete = inputs or ((), (), (), ())
        python = kind >= PYTHON
        e = FunctionEvent(
            len(self.made) + len(mine) + 1,
            # All steps go under one name, which averages them; the trace tells them apart.
            "ProfilerStep*" if kind == USER and name.startswith("ProfilerStep#") else name,
            number,
            (begun - self.start_ns) / 1e3,
            (ended - self.start_ns) / 1e3,
            overload_name=overload,
            fwd_thread=fwd_thread,
            # Lists of tensors have no shape here.
            input_shapes=[[] if s and isinstance(s[0], list) else s for s in shapes],
            stack=list(stack or ()),
            scope=SCOPES.get(kind, 0),
            use_device=self.use_device,
            cpu_memory_usage=memory,
            device_memory_usage=device_memory,
            sequence_nr=sequence_nr,
            device_index=self.pid,
            device_resource_id=tid,
            flops=flops,
            trace_name=name,
            concrete_inputs=list(concrete),
            kwinputs={},
            is_user_annotation=kind == USER,
            is_python_function=python,
            activity_type=ACTIVITIES.get(kind, "cpu_op"),
            metadata_json="",
            flow_id=0,
            flow_type=0,
            flow_start=False,
            external_id=0 if python else len(self.made) + len(mine) + 1,
            structured_input_shapes=list(shapes),
            structured_input_strides=list(strides),
            input_dtypes=list(types),
        )
        e.module_hierarchy = modules or ()
        if parent >= 0:
            e.cpu_parent = mine[parent]
            mine[parent].cpu_children.append(e)
        if python:
            e.python_id = e.id
            if kind == MODULE:
                e.python_module_id = int(name.rpartition("_")[2])
            above = e.cpu_parent
            while above is not None and not above.is_python_function:
                above = above.cpu_parent
            e.python_parent_id = above.id if above is not None else -1
        return e

    def memory_event(self, tid, number, at, nbytes, device):
        when = (at - self.start_ns) / 1e3
        return FunctionEvent(
            len(self.made) + 1,
            MEMORY_EVENT_NAME,
            number,
            when,
            when,
            overload_name="",
            fwd_thread=0,
            input_shapes=[],
            stack=[],
            use_device=self.use_device,
            cpu_memory_usage=nbytes if device < 0 else 0,
            device_memory_usage=0 if device < 0 else nbytes,
            device_index=self.pid,
            device_resource_id=tid,
            flops=0,
            concrete_inputs=[],
            kwinputs={},
        )


def _by_start(events):
    return sorted(events, key=lambda e: (e.time_range.start, -e.time_range.end))


def _of_the_device(events):
    """The work of the device and the calls that started it, without the operators around them."""
    kept = [e for e in events if e.activity_type and (e.device_type is not DeviceType.CPU or e.activity_type.startswith("cuda_"))]
    for e in kept:
        e.cpu_parent = None
    return kept


def _link_backwards(events):
    """Number the flows from an operator to the node that is its backward.

    Both carry the sequence number and the thread that ran the forward. Of the operators with that number the last to begin
    made the node.
    """
    forward, nodes = {}, []
    for e in events:
        if e.sequence_nr < 0:
            continue
        if e.scope == 1:
            nodes.append(e)
        elif e.fwd_thread == 0 and not e.name.startswith(EVALUATED):
            forward[e.thread, e.sequence_nr] = e
    number = 0
    for node in nodes:
        maker = forward.get((node.fwd_thread, node.sequence_nr))
        if maker is None:
            continue
        if maker.flow_id == 0:
            number += 1
            maker.flow_id, maker.flow_type, maker.flow_start = number, FORWARD_BACKWARD, True
        node.flow_id, node.flow_type = maker.flow_id, FORWARD_BACKWARD
        if maker.module_hierarchy:
            _give_modules(node, maker.module_hierarchy)


def _give_modules(node, modules):
    """A backward node belongs to the module of its forward call."""
    for e in (node, node.cpu_parent):
        if e is not None and not e.module_hierarchy and e.sequence_nr == node.sequence_nr:
            e.module_hierarchy = modules
    below = list(node.cpu_children)
    while below:
        e = below.pop()
        e.module_hierarchy = e.module_hierarchy or modules
        below += e.cpu_children


def _without_python_functions(events):
    """The events that are not Python functions, linked to the nearest such event above."""
    kept = [e for e in events if not e.is_python_function]
    for e in kept:
        e.cpu_children = []
    for e in kept:
        parent = e.cpu_parent
        while parent is not None and parent.is_python_function:
            parent = parent.cpu_parent
        e.cpu_parent = parent
        if parent is not None:
            parent.cpu_children.append(e)
    return kept
