"""Events of the profiler, and tables of them."""

from __future__ import annotations

import enum
from collections import defaultdict

__all__ = ["DeviceType", "EventList", "FunctionEvent", "FunctionEventAvg", "Interval"]


class DeviceType(enum.IntEnum):
    CPU = 0
    CUDA = 1


class Interval:
    """A time range in microseconds since the profile began."""

    def __init__(self, start, end):
        self.start, self.end = start, end

    def elapsed_us(self):
        return self.end - self.start

    def __repr__(self):
        return f"Interval({self.start:.3f}, {self.end:.3f})"


def format_time(microseconds):
    if microseconds >= 1e6:
        return f"{microseconds / 1e6:.3f}s"
    return f"{microseconds / 1e3:.3f}ms" if microseconds >= 1e3 else f"{microseconds:.3f}us"


def format_memory(nbytes):
    for unit, size in (("GB", 2**30), ("MB", 2**20), ("KB", 2**10)):
        if abs(nbytes) >= size:
            return f"{nbytes / size:.2f} {unit}"
    return f"{nbytes} B"


def split_inputs(text):
    """("float32[2, 3], 1, [4]") -> (shapes of the arguments, their types): [[2, 3], [], []], ["float32", "", ""]."""
    parts, depth, part = [], 0, ""
    for c in text + ",":
        depth += (c == "[") - (c == "]")
        if c == "," and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += c
    shapes, types = [], []
    for part in parts if text else []:
        kind, bracket, dims = part.partition("[")
        tensor = bool(kind) and bool(bracket)
        shapes.append([int(d) for d in dims.rpartition("]")[0].split(",") if d.strip()] if tensor else [])
        types.append(kind if tensor else "")
    return shapes, types


class _Times:
    """What one event and an average of several have in common: times as text, and their device's."""

    device_type = DeviceType.CPU
    device_time = device_time_total = self_device_time_total = 0
    device_memory_usage = self_device_memory_usage = 0
    flops = 0
    node_id = -1
    is_async = is_remote = is_legacy = False

    @property
    def cpu_time_str(self):
        return format_time(self.cpu_time)

    @property
    def cpu_time_total_str(self):
        return format_time(self.cpu_time_total)

    @property
    def self_cpu_time_total_str(self):
        return format_time(self.self_cpu_time_total)

    @property
    def cpu_time(self):
        """Mean microseconds of one call."""
        return self.cpu_time_total / self.count if self.count else 0.0


class FunctionEvent(_Times):
    """One call of an operator, one range of record_function, or one node of a backward pass."""

    count = 1

    def __init__(
        self,
        id,
        name,
        thread,
        start_us,
        end_us,
        *,
        overload_name="",
        input_shapes="",
        stack=None,
        cpu_memory_usage=0,
        is_user_annotation=False,
        kind=0,
    ):
        self.id, self.name, self.key, self.overload_name = id, name, name, overload_name
        self.thread = self.fwd_thread = thread
        self.time_range = Interval(start_us, end_us)
        self.inputs, self.stack = input_shapes, stack or []
        self.input_shapes, self.input_dtypes = split_inputs(input_shapes)
        self.cpu_memory_usage = cpu_memory_usage
        self.is_user_annotation, self.kind = is_user_annotation, kind
        self.cpu_children, self.cpu_parent = [], None
        self.sequence_nr = -1
        self.kernels = []

    @property
    def cpu_time_total(self):
        return self.time_range.elapsed_us()

    @property
    def self_cpu_time_total(self):
        return self.cpu_time_total - sum(child.cpu_time_total for child in self.cpu_children)

    @property
    def self_cpu_memory_usage(self):
        return self.cpu_memory_usage - sum(child.cpu_memory_usage for child in self.cpu_children)

    def __repr__(self):
        children = [child.id for child in self.cpu_children]
        return (
            f"<FunctionEvent id={self.id} name={self.name} cpu_time={self.cpu_time_str} start_us={self.time_range.start:.3f} "
            f"end_us={self.time_range.end:.3f} cpu_children={children} thread={self.thread} input_shapes={self.input_shapes} "
            f"cpu_memory_usage={self.cpu_memory_usage}>"
        )


class FunctionEventAvg(_Times):
    """Sums over the events of one key."""

    def __init__(self, event):
        self.key = self.name = event.key
        self.overload_name = event.overload_name
        self.input_shapes, self.stack = event.input_shapes, event.stack
        self.is_user_annotation = event.is_user_annotation
        self.count = 0
        self.cpu_time_total = self.self_cpu_time_total = 0.0
        self.cpu_memory_usage = self.self_cpu_memory_usage = 0
        self.cpu_children, self.cpu_parent = event.cpu_children, event.cpu_parent

    def add(self, event):
        self.count += event.count
        # A call inside a call of the same key is part of that one's total.
        parent, recursive = event.cpu_parent, False
        while parent is not None and not recursive:
            recursive = parent.key == event.key
            parent = parent.cpu_parent
        if not recursive:
            self.cpu_time_total += event.cpu_time_total
            self.cpu_memory_usage += event.cpu_memory_usage
        self.self_cpu_time_total += event.self_cpu_time_total
        self.self_cpu_memory_usage += event.self_cpu_memory_usage
        return self

    def __repr__(self):
        return (
            f"<FunctionEventAvg key={self.key} self_cpu_time={self.self_cpu_time_total_str} cpu_time={self.cpu_time_str} "
            f"count={self.count} input_shapes={self.input_shapes} cpu_memory_usage={self.cpu_memory_usage}>"
        )


class EventList(list):
    """Events, or averages of them."""

    def __init__(self, events=(), profile_memory=False, with_flops=False, with_stack=False):
        super().__init__(events)
        self._profile_memory, self._with_stack = profile_memory, with_stack

    @property
    def self_cpu_time_total(self):
        return sum(event.self_cpu_time_total for event in self)

    def key_averages(self, group_by_input_shapes=False, group_by_stack_n=0, group_by_overload_name=False):
        """An EventList of FunctionEventAvg: one for each name (and shapes, and upmost frames, as asked for)."""
        found = {}
        for event in self:
            key = (
                event.key,
                str(event.input_shapes) if group_by_input_shapes else "",
                tuple(event.stack[:group_by_stack_n]) if group_by_stack_n else (),
                event.overload_name if group_by_overload_name else "",
            )
            found.setdefault(key, FunctionEventAvg(event)).add(event)
        averages = EventList(found.values(), self._profile_memory, with_stack=self._with_stack)
        for average in averages:
            average.input_shapes = average.input_shapes if group_by_input_shapes else ""
            average.stack = average.stack[:group_by_stack_n] if group_by_stack_n else []
            average.overload_name = average.overload_name if group_by_overload_name else ""
        return averages

    def total_average(self):
        """One FunctionEventAvg of all."""
        total = None
        for event in self:
            total = total or FunctionEventAvg(event)
            total.count += event.count
            total.cpu_time_total += event.self_cpu_time_total
            total.self_cpu_time_total += event.self_cpu_time_total
        if total:
            total.key = "Total"
        return total

    def table(
        self,
        sort_by=None,
        row_limit=100,
        max_src_column_width=75,
        max_name_column_width=55,
        max_shapes_column_width=80,
        header=None,
        top_level_events_only=False,
        time_unit=None,
    ):
        """The events as text, one a line.

        sort_by: an attribute such as "cpu_time_total", "self_cpu_time_total", "count", "cpu_memory_usage", largest first.
        time_unit: "s", "ms" or "us" for all times; chosen for each without it. row_limit: -1 for all."""
        rows = [e for e in self if not top_level_events_only or e.cpu_parent is None]
        if sort_by is not None:
            sort_by = sort_by.replace("cuda", "device")
            if rows and not hasattr(rows[0], sort_by):
                raise AttributeError(f"table(): events have no attribute {sort_by!r} to sort by")
            rows.sort(key=lambda e: getattr(e, sort_by), reverse=True)
        total = sum(e.self_cpu_time_total for e in self)
        if time_unit not in (None, "s", "ms", "us"):
            raise ValueError(f'table(): time_unit must be "s", "ms" or "us", got {time_unit!r}')
        scale = {"s": 1e6, "ms": 1e3, "us": 1.0}

        def time(x):
            return format_time(x) if time_unit is None else f"{x / scale[time_unit]:.3f}{time_unit}"

        def percent(x):
            return f"{100 * x / total:.2f}%" if total else "nan"

        shapes = any(e.input_shapes for e in rows)
        stacks = any(e.stack for e in rows)
        columns = ["Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg"]
        columns += ["CPU Mem", "Self CPU Mem"] if self._profile_memory else []
        columns += ["# of Calls"] + ["Input Shapes"] * shapes + ["Source Location"] * stacks
        body = []
        for e in rows if row_limit < 0 else rows[:row_limit]:
            name = (
                e.key
                if max_name_column_width is None or len(e.key) <= max_name_column_width
                else e.key[: max_name_column_width - 3] + "..."
            )
            row = [
                name,
                percent(e.self_cpu_time_total),
                time(e.self_cpu_time_total),
                percent(e.cpu_time_total),
                time(e.cpu_time_total),
                time(e.cpu_time),
            ]
            if self._profile_memory:
                row += [format_memory(e.cpu_memory_usage), format_memory(e.self_cpu_memory_usage)]
            row.append(str(e.count))
            row += [str(e.input_shapes)[:max_shapes_column_width]] * shapes + [
                (e.stack[0] if e.stack else "")[-max_src_column_width:]
            ] * stacks
            body.append(row)
        widths = [max(12, *(len(r[k]) for r in [columns, *body])) for k in range(len(columns))]
        rule = "  ".join("-" * w for w in widths) + "  "
        lines = ["  ".join(c.rjust(w) for c, w in zip(r, widths)) + "  " for r in [columns, *body]]
        out = ([rule, header] if header else []) + [
            rule,
            lines[0],
            rule,
            *lines[1:],
            rule,
            f"Self CPU time total: {time(total)}",
            "",
        ]
        return "\n".join(out)

    def __str__(self):
        return self.table()

    @property
    def supported_export_stacks_metrics(self):
        return ["self_cpu_time_total", "self_cuda_time_total"]

    def export_stacks(self, path, metric):
        """Writes `frame;frame;frame value` lines, as flame graph tools read them; needs with_stack."""
        if metric not in self.supported_export_stacks_metrics:
            raise ValueError(f"metric should be one of: {self.supported_export_stacks_metrics}")
        sums = defaultdict(int)
        for event in self:
            if event.stack:
                frames = [f.translate(str.maketrans(" ;\t\n", "____")) for f in reversed(event.stack)]
                sums[";".join(frames)] += int(getattr(event, metric, 0))
        with open(path, "w") as f:
            f.writelines(f"{stack} {value}\n" for stack, value in sums.items() if value > 0)

    def export_chrome_trace(self, path):
        """Writes the events as Perfetto and chrome://tracing read them."""
        from torch.profiler._chrome import write_trace

        write_trace(path, self, {})
