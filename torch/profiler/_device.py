"""The part of a profile that GPUs have: it starts and stops the records of their work, and makes events of them."""

from __future__ import annotations

import json
import warnings

from torch import _C
from torch.profiler._config import DeviceType
from torch.profiler._events import FunctionEvent

# Kinds of records; see DeviceActivity in DeviceActivities.h.
KERNEL, COPY, FILL, RUNTIME_CALL, DRIVER_CALL = range(5)
ACTIVITIES = ("kernel", "gpu_memcpy", "gpu_memset", "cuda_runtime", "cuda_driver")
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


def _work_args(kind, elapsed_ns, context, stream, correlation, device, details, multiprocessors):
    """What a trace shows of a kernel, a copy or a fill."""
    args = {"device": device, "context": context, "stream": stream, "correlation": correlation}
    if kind != KERNEL:
        # Bytes per nanosecond are GB/s.
        return {**args, "bytes": details[0], "memory bandwidth (GB/s)": details[0] / max(elapsed_ns, 1)}
    registers, shared, grid, block = details
    blocks, threads = grid[0] * grid[1] * grid[2], block[0] * block[1] * block[2]
    args = {"queued": 0, **args, "registers per thread": registers, "shared memory": shared}
    if multiprocessors:
        args["blocks per SM"] = blocks / multiprocessors
        args["warps per SM"] = blocks * ((threads + 31) // 32) / multiprocessors
    return {**args, "grid": list(grid), "block": list(block)}


def _multiprocessors():
    count = {}

    def of(device):
        if device not in count:
            count[device] = _cuda().properties(device)["multi_processor_count"]
        return count[device]

    return of


def device_events(records, start_ns, ranges, run, threads, first_id):
    """Events of the records. Work belongs to the innermost operator or range that was open when it was started.

    Args:
        records: rows of DeviceRecording.stop
        start_ns: when the profile began
        ranges: (thread's number, index) -> event
        run: of the profile; ids of an earlier one are left over
        threads: the system's id of a thread -> its number
        first_id: for the first event
    """
    multiprocessors = _multiprocessors()
    started = {row[7] for row in records if row[0] < RUNTIME_CALL}
    calls = {row[7] for row in records if row[0] >= RUNTIME_CALL}
    made, owners = [], set()
    for kind, name, begun, ended, device, context, stream, correlation, range_id, details in records:
        owner = ranges.get((range_id >> 32 & 0xFFFF, range_id & 0xFFFFFFFF)) if range_id >> 48 == run & 0xFFFF else None
        is_call = kind >= RUNTIME_CALL
        if is_call:
            function, tid = details
            thread = owner.thread if owner is not None else threads.get(tid, 0)
            args = {"cbid": function, "correlation": correlation}
            place = {"device_type": DeviceType.CPU, "device_index": 0, "device_resource_id": tid}
        else:
            thread = stream
            args = _work_args(kind, ended - begun, context, stream, correlation, device, details, multiprocessors(device))
            place = {"device_type": DeviceType.CUDA, "device_index": device, "device_resource_id": stream}
        has_arrow = correlation in (started if is_call else calls)
        e = FunctionEvent(
            first_id + len(made),
            _name(kind, name, details),
            thread,
            (begun - start_ns) / 1e3,
            (ended - start_ns) / 1e3,
            overload_name="",
            fwd_thread=0,
            input_shapes=[],
            stack=[],
            use_device="cuda",
            flops=0,
            activity_type=ACTIVITIES[kind],
            metadata_json=json.dumps(args),
            flow_id=correlation if has_arrow else 0,
            flow_type=LAUNCH if has_arrow else 0,
            flow_start=has_arrow and is_call,
            external_id=owner.external_id if owner is not None else 0,
            linked_correlation_id=owner.external_id if owner is not None else 0,
            concrete_inputs=[],
            kwinputs={},
            **place,
        )
        if owner is not None and is_call:
            e.cpu_parent = owner
            owner.cpu_children.append(e)
            owners.add(owner)
        elif owner is not None:
            owner.append_kernel(e.name, device, e.time_range.elapsed_us())
        made.append(e)
    for owner in owners:
        owner.cpu_children.sort(key=lambda e: e.time_range.start)
    return made


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
