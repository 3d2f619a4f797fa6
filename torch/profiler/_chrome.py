"""Chrome's trace format, which Perfetto loads.

Times are microseconds since baseTimeNanoseconds, with three digits behind the point: the collector's nanoseconds."""

from __future__ import annotations

import gzip
import json
import os
import socket

from torch.profiler._config import DeviceType
from torch.profiler._device import device_properties

DAY_NS = 86_400_000_000_000
FIRST_GPU = 5000000  # sorts GPUs below the processes
LAST_OF_ALL = 536870912  # sorts the profiler's own rows below the processes

FLOWS = {1: "fwdbwd", 2: "ac2g"}  # of an operator and its backward node; of a launch and what it started


def _number(value):
    """A value of a call in the format of PyTorch's traces: "1.", "True", "[2, 3]"; "" if it is not a number."""
    if value is None:
        return ""
    if isinstance(value, list):
        return "[" + ", ".join(_number(v) for v in value) + "]"
    if isinstance(value, float):
        text = repr(value)
        return text[:-1] if text.endswith(".0") else text
    return str(value)


def _args(e):
    """The arguments that the trace shows for an event."""
    args = {}
    if e.metadata_json:  # the work of a GPU, or a call that started some
        return {"External id": e.external_id, **json.loads(e.metadata_json)}
    if e.is_python_function:
        args["Python parent id"] = None if e.python_parent_id < 0 else e.python_parent_id
        args["Python id"] = e.python_id
        if e.python_module_id >= 0:
            args["Python module id"] = e.python_module_id  # TensorBoard's plugin makes its module view of them
    else:
        args["External id"] = e.external_id
        args["Record function id"] = 0
    if e.sequence_nr >= 0:
        args["Sequence number"], args["Fwd thread id"] = e.sequence_nr, e.fwd_thread
    if e.overload_name:
        args["Overload name"] = e.overload_name
    if e.input_dtypes:
        args["Concrete Inputs"] = [_number(v) for v in e.concrete_inputs]
        args["Input type"] = e.input_dtypes
        args["Input Strides"] = e.structured_input_strides
        args["Input Dims"] = e.structured_input_shapes
    if e.stack and not e.is_python_function:  # whose position in the row of spans implies it
        args["Call stack"] = ";".join(e.stack)
    if e.module_hierarchy:
        args["Module Hierarchy"] = ".".join(e.module_hierarchy)
    if e.flops:
        args["FLOPs"] = e.flops
    if e.cpu_memory_usage:
        args["Bytes"] = e.cpu_memory_usage
    return args


def event_rows(events, offset_us=0.0):
    """The rows of events: a span each, and the two ends of its arrow if it has one."""
    pid = os.getpid()
    for e in events:
        if e.name == "[memory]":
            continue  # memory changes have rows of their own
        tid, begun = e.device_resource_id, round(offset_us + e.time_range.start, 3)
        where = {"pid": pid if e.device_type is DeviceType.CPU else e.device_index, "tid": tid}
        row = {"ph": "X", "cat": e.activity_type or "cpu_op", "name": e.trace_name, **where, "ts": begun}
        row["dur"] = round(e.time_range.elapsed_us(), 3)
        row["args"] = _args(e)
        yield row
        if e.flow_id:
            kind = FLOWS.get(e.flow_type, "fwdbwd")
            arrow = {"ph": "s", "id": e.flow_id, **where, "ts": begun, "cat": kind, "name": kind}
            if not e.flow_start:
                arrow.update(ph="f", bp="e")
            yield arrow


def _name_rows(events, first):
    """Names of the process and its threads, of GPUs and their streams."""
    pid = os.getpid()

    def named(what, tid, pid=pid, **args):
        return {"ph": "M", "name": what, "ts": first, "pid": pid, "tid": tid, "args": args}

    yield named("process_name", 0, name="python")
    yield named("process_labels", 0, labels="CPU")
    yield named("process_sort_index", 0, sort_index=pid)
    on_cpu = [e.device_resource_id for e in events if e.device_type is DeviceType.CPU]
    for tid in dict.fromkeys([pid, *on_cpu]):
        yield named("thread_name", tid, name=f"thread {tid} (python)")
        yield named("thread_sort_index", tid, sort_index=tid)
    streams = sorted({(e.device_index, e.device_resource_id) for e in events if e.device_type is not DeviceType.CPU})
    for device in dict.fromkeys(device for device, _ in streams):
        yield named("process_name", 0, device, name="python")
        yield named("process_labels", 0, device, labels=f"GPU {device}")
        yield named("process_sort_index", 0, device, sort_index=FIRST_GPU + device)
    for device, stream in streams:
        yield named("thread_name", stream, device, name=f"stream {stream}")
        yield named("thread_sort_index", stream, device, sort_index=stream)


def _memory_rows(memory, offset):
    """Blocks that were allocated and freed."""
    pid = os.getpid()
    for at, tid, address, nbytes, allocated, device, reserved in memory:
        yield {
            "ph": "i",
            "cat": "cpu_instant_event",
            "s": "t",
            "name": "[memory]",
            "pid": pid,
            "tid": tid,
            "ts": round(offset + at, 3),
            "args": {
                "Total Reserved": reserved,
                "Total Allocated": allocated,
                "Bytes": nbytes,
                "Device Id": device,
                "Device Type": int(DeviceType.CPU if device < 0 else DeviceType.CUDA),
                "Addr": address,
            },
        }


def trace_rows(profile):
    """All rows of a Profile: names of process and threads, events, memory."""
    offset = (profile.wall_start_ns % DAY_NS) / 1e3
    first = round(offset, 3)
    events = profile.all_events()
    yield from _name_rows(events, first)
    yield from event_rows(events, offset)
    yield from _memory_rows(profile.memory, offset)
    length = (profile.end_ns - profile.start_ns) / 1e3
    yield {
        "ph": "M",
        "name": "process_sort_index",
        "ts": first,
        "pid": "Spans",
        "tid": 0,
        "args": {"sort_index": LAST_OF_ALL},
    }
    yield {
        "ph": "X",
        "cat": "Trace",
        "name": "PyTorch Profiler (0)",
        "pid": "Spans",
        "tid": "PyTorch Profiler",
        "ts": first,
        "dur": round(length, 3),
        "args": {"Op count": 0},
    }
    yield {
        "ph": "i",
        "s": "g",
        "name": "Iteration Start: PyTorch Profiler",
        "pid": "Traces",
        "tid": "Trace PyTorch Profiler",
        "ts": first,
    }
    yield {"ph": "i", "s": "g", "name": "Record Window End", "pid": "", "tid": "", "ts": round(offset + length, 3)}


def write_trace(path, profile, metadata):
    """Writes a Profile with `metadata` at the top level. `path` may end in .gz. The file appears whole, or not at all."""
    path = os.fspath(path)
    head = {
        "schemaVersion": 1,
        "deviceProperties": device_properties() if profile.use_device else [],
        **metadata,
        "host_name": socket.gethostname(),
        "displayTimeUnit": "ms",
        "baseTimeNanoseconds": profile.wall_start_ns // DAY_NS * DAY_NS,
        "traceName": path,
    }
    _write_whole(path, json.dumps(head)[:-1] + ', "traceEvents": [\n', trace_rows(profile), "\n]}\n")


def write_events(path, events):
    """Writes events alone, as a list of rows."""
    _write_whole(os.fspath(path), "[\n", event_rows(events), "\n]\n")


def _write_whole(path, before, rows, after):
    part = f"{path}.part"
    opened = gzip.open(part, "wt", compresslevel=4) if path.endswith(".gz") else open(part, "w")
    try:
        with opened as f:
            f.write(before)
            for number, row in enumerate(rows):
                f.write((",\n" if number else "") + json.dumps(row))
            f.write(after)
        os.replace(part, path)
    except BaseException:
        os.unlink(part)
        raise
