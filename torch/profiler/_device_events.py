"""Events of what GPUs did: kernels, copies, fills, and the calls that started them."""

from __future__ import annotations

import functools
import json
from typing import Any, NamedTuple

from torch.profiler._config import DeviceType
from torch.profiler._device import gpu_properties
from torch.profiler._events import FunctionEvent

# Kinds of records; see DeviceActivity in DeviceActivities.h.
KERNEL, COPY, FILL, RUNTIME_CALL, DRIVER_CALL = range(5)
ACTIVITIES = ("kernel", "gpu_memcpy", "gpu_memset", "cuda_runtime", "cuda_driver")
LAUNCH = 2  # flow_type of a call and the work that it started
COPY_KINDS = {1: "HtoD", 2: "DtoH", 8: "DtoD", 9: "HtoH", 10: "PtoP"}
MEMORY_KINDS = {1: "Pageable", 2: "Pinned", 3: "Device", 4: "Array", 5: "Managed"}


class Record(NamedTuple):
    """A row of stop_activities() in Profiler.cpp. Times are nanoseconds."""

    kind: int
    name: str | None  # of a kernel or a call
    start: int
    end: int
    device: int
    context: int
    stream: int
    correlation: int  # of a call and what it started
    range: int  # see range_id in Collector.h
    details: tuple[Any, ...]

    @property
    def is_call(self):
        return self.kind >= RUNTIME_CALL


def _event(number, name, stream_or_thread, start, end, **options):
    return FunctionEvent(
        number, name, stream_or_thread, start, end, overload_name="", fwd_thread=0, input_shapes=[], stack=[], use_device="cuda",
        flops=0, concrete_inputs=[], kwinputs={}, **options,
    )  # fmt: skip


def _memory_kind(number):
    return MEMORY_KINDS.get(number, "Unknown")


def _name(r):
    if r.kind == COPY:
        _, copy_kind, source, target = r.details
        return f"Memcpy {COPY_KINDS.get(copy_kind, 'Unknown')} ({_memory_kind(source)} -> {_memory_kind(target)})"
    return f"Memset ({_memory_kind(r.details[3])})" if r.kind == FILL else r.name


def _occupancy(registers, shared, grid, block, gpu):
    """Blocks and warps for each multiprocessor, and the percentage of its warps that they can fill at a time."""
    warps = (block[0] * block[1] * block[2] + 31) // 32
    blocks = grid[0] * grid[1] * grid[2] / gpu["multi_processor_count"]
    room = [gpu["max_threads_per_multi_processor"] // (32 * warps)]
    if registers:  # a warp gets them by 256
        room.append(gpu["regs_per_multiprocessor"] // (warps * ((32 * registers + 255) // 256 * 256)))
    if shared:
        room.append(gpu["shared_memory_per_multiprocessor"] // shared)
    full = gpu["max_threads_per_multi_processor"] / 32
    return blocks, blocks * warps, round(min(100.0, 100 * min(blocks, *room) * warps / full))


def _work_args(r, gpu):
    """What a trace shows of a kernel, a copy or a fill."""
    args = {"device": r.device, "context": r.context, "stream": r.stream, "correlation": r.correlation}
    if r.kind != KERNEL:
        nbytes = r.details[0]
        # Bytes per nanosecond are GB/s.
        return {**args, "bytes": nbytes, "memory bandwidth (GB/s)": nbytes / max(r.end - r.start, 1)}
    registers, shared, grid, block = r.details
    args = {"queued": 0, **args, "registers per thread": registers, "shared memory": shared}
    blocks, warps, occupancy = _occupancy(registers, shared, grid, block, gpu)
    args |= {"blocks per SM": blocks, "warps per SM": warps}
    return {**args, "grid": list(grid), "block": list(block), "est. achieved occupancy %": occupancy}


class _Builder:
    """Makes events of records. Work belongs to the innermost operator or range that was open when it was started."""

    def __init__(self, records, start_ns, ranges, run, threads, first_id):
        self.records, self.start_ns, self.first_id = records, start_ns, first_id
        self.ranges, self.run, self.threads = ranges, run, threads
        self.gpu = functools.cache(gpu_properties)
        self.started = {r.correlation for r in records if not r.is_call}
        self.calls = {r.correlation for r in records if r.is_call}
        self.made, self.owned = [], []  # owned: work of devices, and the event that it belongs to

    def events(self):
        callers = set()
        for r in self.records:
            owner = self.owner(r.range)
            e = self.call(r, owner) if r.is_call else self.work(r, owner)
            if owner is None:
                continue
            if r.is_call:
                e.cpu_parent = owner
                owner.cpu_children.append(e)
                callers.add(owner)
            else:
                owner.append_kernel(e.name, e.device_index, e.time_range.elapsed_us())
                self.owned.append((e, owner))
        for caller in callers:
            caller.cpu_children.sort(key=lambda e: e.time_range.start)
        return self.made

    def owner(self, range_id):
        if range_id >> 48 != self.run & 0xFFFF:  # of an earlier profile
            return None
        return self.ranges.get((range_id >> 32 & 0xFFFF, range_id & 0xFFFFFFFF))

    def call(self, r, owner):
        function, tid = r.details
        return self.event(
            r,
            owner,
            r.name,
            owner.thread if owner is not None else self.threads.get(tid, 0),
            {"cbid": function, "correlation": r.correlation},
            device_resource_id=tid,
            has_arrow=r.correlation in self.started,
        )

    def work(self, r, owner):
        return self.event(
            r,
            owner,
            _name(r),
            r.stream,
            _work_args(r, self.gpu(r.device)),
            device_type=DeviceType.CUDA,
            device_index=r.device,
            device_resource_id=r.stream,
            has_arrow=r.correlation in self.calls,
        )

    def event(self, r, owner, name, thread, args, *, has_arrow, **place):
        number = owner.external_id if owner is not None else 0
        e = _event(
            self.first_id + len(self.made),
            name,
            thread,
            (r.start - self.start_ns) / 1e3,
            (r.end - self.start_ns) / 1e3,
            activity_type=ACTIVITIES[r.kind],
            metadata_json=json.dumps(args),
            flow_id=r.correlation if has_arrow else 0,
            flow_type=LAUNCH if has_arrow else 0,
            flow_start=has_arrow and r.is_call,
            external_id=number,
            linked_correlation_id=number,
            **place,
        )
        self.made.append(e)
        return e


def device_events(rows, start_ns, ranges, run, threads, first_id):
    """Events of the records, and where on the devices the ranges that the program named were at work.

    Args:
        rows: of DeviceRecording.stop
        start_ns: when the profile began
        ranges: (thread's number, index) -> event
        run: of the profile; ids of an earlier one are left over
        threads: the system's id of a thread -> its number
        first_id: for the first event
    """
    records = [Record(*row) for row in rows]
    builder = _Builder(records, start_ns, ranges, run, threads, first_id)
    events = builder.events()
    return events + _annotations(builder.owned, first_id + len(events))


def _annotations(owned, first_id):
    """For each range of record_function and each stream: from the begin of the first to the end of the last work inside of it."""
    spans = {}
    for e, owner in owned:
        while owner is not None:
            if owner.is_user_annotation:
                key = owner.id, e.device_index, e.device_resource_id
                _, start, end = spans.get(key, (owner, e.time_range.start, e.time_range.end))
                spans[key] = owner, min(start, e.time_range.start), max(end, e.time_range.end)
            owner = owner.cpu_parent
    return [
        _event(
            first_id + k,
            owner.name,
            stream,
            start,
            end,
            device_type=DeviceType.CUDA,
            device_index=device,
            device_resource_id=stream,
            trace_name=owner.trace_name,
            is_user_annotation=True,
            activity_type="gpu_user_annotation",
            metadata_json="{}",
            flow_id=0,
            external_id=owner.external_id,
            linked_correlation_id=owner.external_id,
        )
        for k, ((_, device, stream), (owner, start, end)) in enumerate(spans.items())
    ]
