"""Chrome's trace format, which Perfetto loads."""

import gzip
import json
import os
import socket

CATEGORIES = {0: "cpu_op", 1: "user_annotation", 2: "cpu_op"}


def trace_events(events, base_us=0.0):
    pid = os.getpid()
    rows = [{"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "ts": base_us, "args": {"name": "python"}}]
    for thread in dict.fromkeys(e.thread for e in events):
        rows.append(
            {
                "ph": "M",
                "name": "thread_name",
                "pid": pid,
                "tid": thread,
                "ts": base_us,
                "args": {"name": f"thread {thread} (python)"},
            }
        )
    for e in events:
        args = {"External id": e.id}
        if e.inputs:
            args["Input Dims"], args["Input type"] = e.input_shapes, e.input_dtypes
        if e.stack:
            args["Call stack"] = ";".join(e.stack)
        if e.cpu_memory_usage:
            args["Bytes"] = e.cpu_memory_usage
        rows.append(
            {
                "ph": "X",
                "cat": CATEGORIES[e.kind],
                "name": e.name,
                "pid": pid,
                "tid": e.thread,
                "ts": base_us + e.time_range.start,
                "dur": e.cpu_time_total,
                "args": args,
            }
        )
    return rows


def write_trace(path, events, more, base_us=0.0):
    """`path` may end in .gz. The file appears whole, or not at all."""
    document = {
        "schemaVersion": 1,
        "displayTimeUnit": "ms",
        "host_name": socket.gethostname(),
        "traceName": os.path.basename(path),
        **more,
        "traceEvents": trace_events(events, base_us),
    }
    part = f"{path}.part"
    opened = gzip.open(part, "wt") if str(path).endswith(".gz") else open(part, "w")
    with opened as f:
        json.dump(document, f)
    os.replace(part, path)
