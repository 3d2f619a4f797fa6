"""EventList: events, or averages of them, and what can be asked of them."""

from __future__ import annotations

from collections import defaultdict

from torch.profiler._config import DeviceType
from torch.profiler._events import FunctionEventAvg
from torch.profiler._table import build_table


class EventList(list):
    """Events, or averages of them."""

    def __init__(self, *args, use_device=None, profile_memory=False, with_flops=False):
        super().__init__(*args)
        self._use_device, self._profile_memory, self._with_flops = use_device, profile_memory, with_flops
        self._tree_built = False

    def __str__(self):
        return self.table()

    def _like(self, events):
        return EventList(
            events, use_device=self._use_device, profile_memory=self._profile_memory, with_flops=self._with_flops
        )

    def _build_tree(self):
        """Fills in cpu_parent and cpu_children of events that know only their times, and merges repetitions."""
        self._populate_cpu_children()
        self._remove_dup_nodes()
        self._tree_built = True

    def _populate_cpu_children(self):
        threads = defaultdict(list)
        for event in self:
            if not event.is_async and event.device_type is DeviceType.CPU:
                threads[event.thread, event.node_id].append(event)
        for events in threads.values():
            events.sort(key=lambda e: (e.time_range.start, -e.time_range.end))
            open_events = []
            for event in events:
                while open_events and event.time_range.end > open_events[-1].time_range.end:
                    open_events.pop()
                if open_events:
                    open_events[-1].append_cpu_child(event)
                    event.set_cpu_parent(open_events[-1])
                open_events.append(event)

    def _remove_dup_nodes(self):
        """A call whose only child has the same name (an overload that calls another) is one event."""
        gone = set()
        for event in self:
            parent = event.cpu_parent
            if parent is None or parent.name != event.name or len(parent.cpu_children) != 1 or event.is_python_function:
                continue
            parent.cpu_children = event.cpu_children
            for child in event.cpu_children:
                child.cpu_parent = parent
            gone.add(id(event))
        if gone:
            self[:] = [event for event in self if id(event) not in gone]

    @property
    def self_cpu_time_total(self):
        return sum(event.self_cpu_time_total for event in self)

    def key_averages(self, group_by_input_shapes=False, group_by_stack_n=0, group_by_overload_name=False):
        """An EventList of FunctionEventAvg: one for each name (and shapes, and upmost frames, and overload, as asked for)."""
        found = {}
        for event in self:
            key = (
                event.key,
                event.node_id,
                event.is_user_annotation,
                str(event.input_shapes) if group_by_input_shapes else "",
                tuple((event.stack or ())[:group_by_stack_n]) if group_by_stack_n else (),
                event.overload_name if group_by_overload_name else "",
            )
            average = found.get(key)
            if average is None:
                average = found[key] = FunctionEventAvg()
            average.add(event)
        for average in found.values():
            if not group_by_input_shapes:
                average.input_shapes = ""
            average.stack = list(average.stack or ())[:group_by_stack_n] if group_by_stack_n else []
            if not group_by_overload_name:
                average.overload_name = ""
        return self._like(found.values())

    def total_average(self):
        """One FunctionEventAvg of all, under the name "Total"."""
        total = FunctionEventAvg()
        for event in self:
            total.key = event.key if total.count else None
            total.add(event)
        total.key = "Total"
        total.cpu_time_total = total.self_cpu_time_total
        return total

    def table(
        self, sort_by=None, row_limit=100, max_src_column_width=75, max_name_column_width=55,
        max_shapes_column_width=80, header=None, top_level_events_only=False, time_unit=None,
    ):
        """The events as text, one a line.

        sort_by: an attribute such as "cpu_time_total", "self_cpu_time_total", "count", "cpu_memory_usage", "flops", largest
        first. time_unit: "s", "ms" or "us" for all times; chosen for each without it. row_limit: -1 for all. The widths: None
        for as wide as needed. header: a line above. Raises AttributeError for an unknown sort_by."""
        return build_table(
            self, sort_by=sort_by, header=header, row_limit=row_limit, max_src_column_width=max_src_column_width,
            max_name_column_width=max_name_column_width, max_shapes_column_width=max_shapes_column_width,
            with_flops=self._with_flops, profile_memory=self._profile_memory,
            top_level_events_only=top_level_events_only, time_unit=time_unit,
        )

    def supported_export_stacks_metrics(self):
        return ["self_cpu_time_total", "self_cuda_time_total", "self_xpu_time_total", "self_privateuse1_time_total"]

    def export_stacks(self, path, metric):
        """Writes `frame;frame;frame value` lines, as flame graph tools read them; needs with_stack."""
        known = self.supported_export_stacks_metrics()
        if metric not in known:
            raise ValueError(f"metric should be one of: {known}, got {metric!r}")
        attribute = metric.replace("cuda", "device").replace("xpu", "device").replace("privateuse1", "device")
        as_one_word = str.maketrans(" ;\t\n", "____")
        sums = defaultdict(float)  # most events take less than a microsecond
        for event in self:
            if event.stack:
                frames = ";".join(f.translate(as_one_word) for f in reversed(event.stack))
                sums[frames] += getattr(event, attribute)
        with open(path, "w") as f:
            f.writelines(f"{stack} {int(value)}\n" for stack, value in sums.items() if value >= 1)

    def export_chrome_trace(self, path):
        """Writes the events as a list that Perfetto and chrome://tracing read."""
        from torch.profiler._chrome import write_events

        write_events(path, self)
