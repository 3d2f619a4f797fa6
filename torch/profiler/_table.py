"""EventList.table(): events as text, one a line."""

from __future__ import annotations

from torch.profiler._config import DeviceType
from torch.profiler._format import format_memory, format_share, format_time

NARROWEST = 12
SCALE = {"s": 1e6, "ms": 1e3, "us": 1.0}
FLOPS_UNITS = ["FLOPs", "KFLOPs", "MFLOPs", "GFLOPs", "TFLOPs", "PFLOPs"]


def flops_unit(events):
    """(name, divisor) of the unit in which the smallest count is at least 1, or None if nothing was counted."""
    counts = [e.flops for e in events if e.flops]
    if not counts:
        return None
    power = min((len(str(int(min(counts)))) - 1) // 3, len(FLOPS_UNITS) - 1)
    return FLOPS_UNITS[power], 1000**power


class _Column:
    """A heading, what stands under it for an event, and how wide it is at most (None: as wide as it needs)."""

    def __init__(self, heading, text, widest=0, left=False):
        self.heading, self.text, self.widest, self.left = heading, text, widest, left

    def width(self, events):
        if self.widest == 0:
            return NARROWEST
        needed = 4 + max((len(self.text(e)) for e in events), default=0)
        return max(NARROWEST, needed if self.widest is None else min(needed, self.widest))

    def heading_width(self, events):
        """Columns of numbers are as wide as numbers, whatever their heading."""
        width = self.width(events)
        return width if self.widest == 0 else max(width, len(self.heading))

    def put(self, text, width):
        return text.ljust(width) if self.left else text.rjust(width)


def _columns(events, total, time, options):
    def shortened(text, width):
        return text if width is None or len(text) <= width else text[: max(width - 3, 0)] + "..."

    name_width, shapes_width = options["max_name_column_width"], options["max_shapes_column_width"]
    yield _Column("Name", lambda e: shortened(e.key, name_width), name_width)
    if any(e.overload_name for e in events) and options["averages"]:
        yield _Column("Overload Name", lambda e: shortened(e.overload_name or "", name_width), name_width)
    yield _Column("Self CPU %", lambda e: format_share(e.self_cpu_time_total, total))
    yield _Column("Self CPU", lambda e: time(e.self_cpu_time_total))
    yield _Column("CPU total %", lambda e: format_share(e.cpu_time_total, total) if not e.is_async else "0")
    yield _Column("CPU total", lambda e: time(e.cpu_time_total))
    yield _Column("CPU time avg", lambda e: time(e.cpu_time))
    device, device_total = options["device"], options["device_total"]
    if device and any(e.self_device_time_total > 0 for e in events):
        yield _Column(f"Self {device}", lambda e: time(e.self_device_time_total))
        yield _Column(f"Self {device} %", lambda e: format_share(e.self_device_time_total, device_total))
        yield _Column(f"{device} total", lambda e: time(e.device_time_total))
        yield _Column(f"{device} time avg", lambda e: time(e.device_time))
    if options["profile_memory"]:
        yield _Column("CPU Mem", lambda e: format_memory(e.cpu_memory_usage))
        yield _Column("Self CPU Mem", lambda e: format_memory(e.self_cpu_memory_usage))
        if device and any(e.self_device_memory_usage for e in events):
            yield _Column(f"{device} Mem", lambda e: format_memory(e.device_memory_usage))
            yield _Column(f"Self {device} Mem", lambda e: format_memory(e.self_device_memory_usage))
    yield _Column("# of Calls", lambda e: str(e.count))
    if any(e.node_id != -1 for e in events):
        yield _Column("Node ID", lambda e: str(e.node_id))
    if any(e.input_shapes for e in events):
        yield _Column(
            "Input Shapes", lambda e: str(e.input_shapes if e.input_shapes is not None else "")[:shapes_width], shapes_width
        )
    unit = flops_unit(events) if options["with_flops"] else None
    if unit:
        yield _Column(f"Total {unit[0]}", lambda e: f"{e.flops / unit[1]:.3f}" if e.flops else "--")
    if any(e.stack for e in events):
        width = options["max_src_column_width"]
        yield _Column("Source Location", lambda e: _source(e, 0, width), width, left=True)


def _source(event, k, width):
    if not event.stack or k >= len(event.stack):
        return ""
    line = event.stack[k]
    return line if width is None or len(line) <= width else "..." + line[len(line) - max(width - 3, 0) :]


def _sorted(events, sort_by):
    """The greatest values of an attribute first."""
    rows = list(events)
    if sort_by is not None:
        sort_by = sort_by.replace("cuda", "device").replace("xpu", "device").replace("privateuse1", "device")
        if not hasattr(rows[0], sort_by):
            raise AttributeError(f"table(): {type(rows[0]).__name__!r} object has no attribute {sort_by!r} to sort by")
        rows.sort(key=lambda e: getattr(e, sort_by) or 0, reverse=True)
    return rows


def _lines_of(e, columns, widths, max_src_column_width):
    """The line of an event, and those of its stack."""
    yield "".join(c.put(c.text(e), w) + "  " for c, w in zip(columns, widths))
    if columns[-1].heading == "Source Location":
        indent = " " * sum(w + 2 for w in widths[:-1])
        for k in range(1, len(e.stack or ())):
            yield indent + _source(e, k, max_src_column_width).ljust(widths[-1]) + "  "
        yield indent + " " * widths[-1] + "  "


def build_table(
    events,
    sort_by=None,
    header=None,
    row_limit=100,
    max_src_column_width=75,
    max_name_column_width=55,
    max_shapes_column_width=80,
    with_flops=False,
    use_device=None,
    profile_memory=False,
    top_level_events_only=False,
    time_unit=None,
):
    """The table of `events`, an EventList; see EventList.table."""
    if time_unit not in (None, *SCALE):
        raise ValueError(f'table(): time_unit must be "s", "ms" or "us", got {time_unit!r}')
    if len(events) == 0:
        return ""
    total = sum(e.self_cpu_time_total for e in events)
    # What ran on the device. Calls on the CPU, and ranges that a program named, have these times once more.
    on_device = (e for e in events if e.device_type is not DeviceType.CPU and not e.is_user_annotation)
    device_total = sum(e.self_device_time_total for e in on_device)
    rows = _sorted(events, sort_by)

    def time(x):
        return format_time(x) if time_unit is None else f"{x / SCALE[time_unit]:.3f}{time_unit}"

    columns = list(
        _columns(
            rows,
            total,
            time,
            {
                "max_name_column_width": max_name_column_width,
                "max_shapes_column_width": max_shapes_column_width,
                "max_src_column_width": max_src_column_width,
                "with_flops": with_flops,
                "profile_memory": profile_memory,
                "device": use_device.upper() if use_device else None,
                "device_total": device_total,
                "averages": not hasattr(rows[0], "time_range"),
            },
        )
    )
    widths = [c.heading_width(rows) for c in columns]
    rule = "".join("-" * width + "  " for width in widths)
    lines = []
    if header or top_level_events_only:
        lines.append("=" * len(rule.rstrip()))
    if header:
        lines.append(header)
    if top_level_events_only:
        lines.append("This report shows top-level operators only")
    lines += [rule, "".join(c.put(c.heading, w) + "  " for c, w in zip(columns, widths)), rule]
    shown = [e for e in rows if not top_level_events_only or e.cpu_parent is None]
    for e in shown if row_limit < 0 else shown[:row_limit]:
        lines += _lines_of(e, columns, widths, max_src_column_width)
    lines += [rule, f"Self CPU time total: {time(total)}"]
    if device_total:
        lines.append(f"Self {(use_device or 'device').upper()} time total: {time(device_total)}")
    lines.append("")
    return "\n".join(lines)
