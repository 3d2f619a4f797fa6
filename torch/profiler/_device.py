"""The part of a profile that GPUs have: it starts and stops the records of their work, and makes events of them."""

from __future__ import annotations

import functools
import json
import warnings

from torch import _C
from torch.profiler._config import DeviceType
from torch.profiler._events import FunctionEvent

# Kinds of records; see DeviceActivity in DeviceActivities.h.
KERNEL, COPY, FILL, RUNTIME_CALL, DRIVER_CALL = range(5)
ACTIVITIES = ("kernel", "gpu_memcpy", "gpu_memset", "cuda_runtime", "cuda_driver")
# What all events of devices say.
COMMON = {
    "overload_name": "",
    "fwd_thread": 0,
    "input_shapes": [],
    "stack": [],
    "use_device": "cuda",
    "flops": 0,
    "concrete_inputs": [],
    "kwinputs": {},
}
LAUNCH = 2  # flow_type of a call and the work that it started
COPY_KINDS = {1: "HtoD", 2: "DtoH", 8: "DtoD", 9: "HtoH", 10: "PtoP"}
MEMORY_KINDS = {1: "Pageable", 2: "Pinned", 3: "Device", 4: "Array", 5: "Managed"}


def _cuda():
    from torch.cuda._runtime import extension

    return extension()


def is_supported():
    """Whether there is a GPU to profile.

    The emulated device counts once it is in use: to load it, a process may need the runtimes of sanitizers.
    """
    name = _C._cuda_extension()
    if not name:
        return False
    from torch.cuda import _runtime, is_available

    return ("emulated" not in name or _runtime._module is not None) and is_available()


class DeviceRecording:
    """Records of the work of GPUs, from now until stop()."""

    def __init__(self, memory):
        self._memory = memory
        self.is_paused = False
        try:
            _cuda().start_activities()
            self.is_running = True
        except RuntimeError as error:
            self.is_running = False
            warnings.warn(f"profiler: the work of GPUs is not recorded: {error}", stacklevel=6)
        if memory:
            _cuda().listen_to_memory(True)

    def toggle(self, on):
        """Pauses or resumes."""
        if self.is_running and on == self.is_paused:
            (_cuda().resume_activities if on else _cuda().pause_activities)()
            self.is_paused = not on

    def wait(self):
        """Waits for the work of all GPUs."""
        if self.is_running:
            _cuda().wait_for_devices()

    def stop(self, start_ns, end_ns):
        """The records between two times. See stop_activities in Profiler.cpp."""
        if self._memory:
            _cuda().listen_to_memory(False)
        if not self.is_running:
            return []
        self.toggle(True)  # others may go on
        rows, dropped = _cuda().stop_activities(start_ns, end_ns)
        if dropped:
            warnings.warn(f"profiler: CUPTI had no memory for {dropped} records of the work of GPUs", stacklevel=5)
        return rows


def _memory_kind(number):
    return MEMORY_KINDS.get(number, "Unknown")


def _name(kind, name, details):
    if kind == COPY:
        _, copy_kind, source, target = details
        return f"Memcpy {COPY_KINDS.get(copy_kind, 'Unknown')} ({_memory_kind(source)} -> {_memory_kind(target)})"
    return f"Memset ({_memory_kind(details[3])})" if kind == FILL else name


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


def _work_args(kind, elapsed_ns, context, stream, correlation, device, details, gpu):
    """What a trace shows of a kernel, a copy or a fill."""
    args = {"device": device, "context": context, "stream": stream, "correlation": correlation}
    if kind != KERNEL:
        # Bytes per nanosecond are GB/s.
        return {**args, "bytes": details[0], "memory bandwidth (GB/s)": details[0] / max(elapsed_ns, 1)}
    registers, shared, grid, block = details
    args = {"queued": 0, **args, "registers per thread": registers, "shared memory": shared}
    blocks, warps, occupancy = _occupancy(registers, shared, grid, block, gpu)
    args |= {"blocks per SM": blocks, "warps per SM": warps}
    return {**args, "grid": list(grid), "block": list(block), "est. achieved occupancy %": occupancy}


class _Builder:
    """Makes events of records. Work belongs to the innermost operator or range that was open when it was started."""

    def __init__(self, records, start_ns, ranges, run, threads, first_id):
        self.records, self.start_ns, self.first_id = records, start_ns, first_id
        self.ranges, self.run, self.threads = ranges, run, threads
        self.gpus = functools.cache(_cuda().properties)
        self.started = {row[7] for row in records if row[0] < RUNTIME_CALL}
        self.calls = {row[7] for row in records if row[0] >= RUNTIME_CALL}
        self.made = []

    def events(self):
        owners = set()
        for row in self.records:
            owner = self.owner(row[8])
            e = (self.work if row[0] < RUNTIME_CALL else self.call)(owner, *row)
            if owner is None:
                continue
            if e.device_type is DeviceType.CPU:
                e.cpu_parent = owner
                owner.cpu_children.append(e)
                owners.add(owner)
            else:
                owner.append_kernel(e.name, e.device_index, e.time_range.elapsed_us())
        for owner in owners:
            owner.cpu_children.sort(key=lambda e: e.time_range.start)
        return self.made

    def owner(self, range_id):
        if range_id >> 48 != self.run & 0xFFFF:  # of an earlier profile
            return None
        return self.ranges.get((range_id >> 32 & 0xFFFF, range_id & 0xFFFFFFFF))

    def call(self, owner, kind, name, begun, ended, device, context, stream, correlation, range_id, details):
        function, tid = details
        return self.event(
            owner, kind, name, begun, ended, correlation, {"cbid": function, "correlation": correlation},
            thread=owner.thread if owner is not None else self.threads.get(tid, 0),
            device_resource_id=tid,
            flow_start=True,
        )  # fmt: skip

    def work(self, owner, kind, name, begun, ended, device, context, stream, correlation, range_id, details):
        args = _work_args(kind, ended - begun, context, stream, correlation, device, details, self.gpus(device))
        return self.event(
            owner, kind, _name(kind, name, details), begun, ended, correlation, args,
            thread=stream,
            device_type=DeviceType.CUDA,
            device_index=device,
            device_resource_id=stream,
            flow_start=False,
        )  # fmt: skip

    def event(self, owner, kind, name, begun, ended, correlation, args, *, thread, flow_start, **place):
        has_arrow = correlation in (self.started if flow_start else self.calls)
        number = owner.external_id if owner is not None else 0
        e = FunctionEvent(
            self.first_id + len(self.made),
            name,
            thread,
            (begun - self.start_ns) / 1e3,
            (ended - self.start_ns) / 1e3,
            **COMMON,
            activity_type=ACTIVITIES[kind],
            metadata_json=json.dumps(args),
            flow_id=correlation if has_arrow else 0,
            flow_type=LAUNCH if has_arrow else 0,
            flow_start=has_arrow and flow_start,
            external_id=number,
            linked_correlation_id=number,
            **place,
        )
        self.made.append(e)
        return e


def device_events(records, start_ns, ranges, run, threads, first_id):
    """Events of the records, and where on the devices the ranges that the program named were at work.

    Args:
        records: rows of DeviceRecording.stop
        start_ns: when the profile began
        ranges: (thread's number, index) -> event
        run: of the profile; ids of an earlier one are left over
        threads: the system's id of a thread -> its number
        first_id: for the first event
    """
    builder = _Builder(records, start_ns, ranges, run, threads, first_id)
    events = builder.events()
    owners = {e.external_id: e for e in ranges.values()}
    return events + _annotations(events, owners, first_id + len(events))


def _annotations(events, owners, first_id):
    """For each range of record_function and each stream: from the begin of the first to the end of the last work inside of it."""
    spans = {}
    for e in events:
        owner = owners.get(e.external_id) if e.device_type is not DeviceType.CPU else None
        while owner is not None:
            if owner.is_user_annotation:
                key = owner.id, e.device_index, e.device_resource_id
                _, start, end = spans.get(key, (owner, e.time_range.start, e.time_range.end))
                spans[key] = owner, min(start, e.time_range.start), max(end, e.time_range.end)
            owner = owner.cpu_parent
    return [
        FunctionEvent(
            first_id + k,
            owner.name,
            stream,
            start,
            end,
            **COMMON,
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


def device_properties():
    """What a trace says about the GPUs that there are."""
    names = {
        "name": "name",
        "totalGlobalMem": "total_memory",
        "computeMajor": "major",
        "computeMinor": "minor",
        "maxThreadsPerBlock": "max_threads_per_block",
        "maxThreadsPerMultiprocessor": "max_threads_per_multi_processor",
        "regsPerMultiprocessor": "regs_per_multiprocessor",
        "warpSize": "warp_size",
        "sharedMemPerBlock": "shared_memory_per_block",
        "sharedMemPerMultiprocessor": "shared_memory_per_multiprocessor",
        "numSms": "multi_processor_count",
        "sharedMemPerBlockOptin": "shared_memory_per_block_optin",
    }
    found = []
    for device in range(_cuda().device_count()):
        properties = _cuda().properties(device)
        found.append({"id": device, **{ours: properties[theirs] for ours, theirs in names.items()}})
    return found
