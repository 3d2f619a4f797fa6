"""EventList: events, or averages of them, and queries on them."""

from __future__ import annotations

from collections import defaultdict

from torch.profiler._config import DeviceType
from torch.profiler._events import FunctionEventAvg
from torch.profiler._table import build_table

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    import os
    from collections.abc import Iterable
    from typing import Any


class EventList(list):
    """Events, or averages of them: a list that can be summed up, printed and written to files.

    Args:
        *args (iterable): the events
        use_device (str or None): the kind of device whose times have columns in tables
        profile_memory (bool, default False): tables have columns of memory
        with_flops (bool, default False): tables have a column of floating point operations

    Example:
        >>> with torch.autograd.profiler.profile() as profile:
        ...     x = torch.ones(2) + 1
        >>> events = profile.function_events
        >>> [event.name for event in events if event.cpu_parent is None]
        ['aten::ones', 'aten::add']
    """

    def __init__(
        self, *args: Iterable[Any], use_device: str | None = None, profile_memory: bool = False, with_flops: bool = False
    ) -> None:
        super().__init__(*args)
        self._use_device, self._profile_memory, self._with_flops = use_device, profile_memory, with_flops
        self._tree_built = False

    def __str__(self):
        return self.table()

    def _like(self, events):
        return EventList(events, use_device=self._use_device, profile_memory=self._profile_memory, with_flops=self._with_flops)

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
        """Merges a call with its only child if both have the same name (an overload that calls another)."""
        gone = set()
        for event in self:
            parent = event.cpu_parent
            if parent is None or parent.name != event.name or len(parent.cpu_children) != 1 or event.is_python_function:
                continue
            parent.cpu_children = event.cpu_children
            parent.kernels += event.kernels
            for child in event.cpu_children:
                child.cpu_parent = parent
            gone.add(id(event))
        if gone:
            self[:] = [event for event in self if id(event) not in gone]

    @property
    def self_cpu_time_total(self) -> float:
        """Microseconds that all events took, each without those that it called."""
        return sum(event.self_cpu_time_total for event in self)

    def key_averages(
        self, group_by_input_shapes: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False
    ) -> EventList:
        """An EventList of FunctionEventAvg: one for each name.

        Args:
            group_by_input_shapes (bool, default False): calls with other shapes count apart
            group_by_stack_n (int, default 0): calls with other innermost frames count apart; how many frames are looked at
            group_by_overload_name (bool, default False): overloads of an operator count apart
        """
        found = {}
        for event in self:
            key = (
                event.key,
                event.node_id,
                event.device_type,
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

    def total_average(self) -> FunctionEventAvg:
        """One FunctionEventAvg of all, under the name "Total"."""
        total = FunctionEventAvg()
        for event in self:
            total.key = event.key if total.count else None
            total.add(event)
        total.key = "Total"
        total.cpu_time_total = total.self_cpu_time_total
        return total

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_src_column_width: int | None = 75,
        max_name_column_width: int | None = 55,
        max_shapes_column_width: int | None = 80,
        header: str | None = None,
        top_level_events_only: bool = False,
        time_unit: str | None = None,
    ) -> str:
        """The events as text, one a line.

        Args:
            sort_by (str or None): an attribute such as "cpu_time_total", "self_cpu_time_total", "count", "cpu_memory_usage"
                or "flops", largest first; None: in the order of the list
            row_limit (int, default 100): how many lines; -1 for all
            max_src_column_width (int or None): of the source's column; None for as wide as needed
            max_name_column_width (int or None): of the names' column
            max_shapes_column_width (int or None): of the shapes' column
            header (str or None): a line above
            top_level_events_only (bool, default False): leave out the calls that others made
            time_unit (str or None): "s", "ms" or "us" for all times; None chooses one for each

        Raises:
            AttributeError: events have no `sort_by`
        """
        return build_table(
            self,
            sort_by=sort_by,
            header=header,
            row_limit=row_limit,
            max_src_column_width=max_src_column_width,
            max_name_column_width=max_name_column_width,
            max_shapes_column_width=max_shapes_column_width,
            with_flops=self._with_flops,
            use_device=self._use_device,
            profile_memory=self._profile_memory,
            top_level_events_only=top_level_events_only,
            time_unit=time_unit,
        )

    def supported_export_stacks_metrics(self) -> list[str]:
        """What `export_stacks` takes for its `metric`."""
        return ["self_cpu_time_total", "self_cuda_time_total", "self_xpu_time_total", "self_privateuse1_time_total"]

    def export_stacks(self, path: str | os.PathLike[str], metric: str) -> None:
        """Writes `frame;frame;frame value` lines, as flame graph tools read them; needs with_stack.

        Args:
            path (str or os.PathLike): the file
            metric (str): the time to sum up, one of `supported_export_stacks_metrics()`

        Raises:
            ValueError: it is none of them
        """
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

    def export_chrome_trace(self, path: str | os.PathLike[str]) -> None:
        """Writes the events as a list that Perfetto and chrome://tracing read.

        Args:
            path (str or os.PathLike): the file
        """
        from torch.profiler._chrome import write_events

        write_events(path, self)
