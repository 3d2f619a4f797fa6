"""FunctionEvent: one call of an operator, one range, one Python function, one node of a backward pass."""

from __future__ import annotations

from typing import NamedTuple

from torch.profiler._config import DeviceType
from torch.profiler._format import FormattedTimesMixin

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

MEMORY_EVENT_NAME = "[memory]"
OUT_OF_MEMORY_EVENT_NAME = "[OutOfMemory]"


class Interval:
    """A time range in microseconds since the profile began."""

    def __init__(self, start: float, end: float) -> None:
        self.start, self.end = start, end

    def elapsed_us(self) -> float:
        """How long it is."""
        return self.end - self.start

    def __repr__(self):
        return f"Interval({self.start:.3f}, {self.end:.3f})"


class Kernel(NamedTuple):
    """A piece of an event's work that ran on a device."""

    name: str
    device: int
    duration: int


class FunctionEvent(FormattedTimesMixin):
    """A call, with its time range, its place in the tree of calls, and what else the profile was asked to keep.

    An attribute beside those that are arguments: module_hierarchy, the modules that called, the outermost first, with
    with_modules or with_stack.

    Args:
        id (int): number of the event
        name (str): the operator or the range
        thread (int): number of the thread that it ran on
        start_us (float): when it began, in microseconds since the profile began
        end_us (float): when it ended
        overload_name (str, optional): of the operator
        fwd_thread (int, optional): for a node of a backward pass, the thread that made it
        input_shapes (list, optional): sizes of the arguments
        stack (list of str, optional): the frames that called, the innermost first
        scope (int, default 0): 0 an operator, 1 a node of a backward pass, 7 a range of record_function
        use_device (str, optional): the kind of device that was profiled beside the CPU; None without one
        cpu_memory_usage (int, default 0): bytes that it and its calls allocated, less those that they freed
        device_memory_usage (int, default 0): the same on a device
        is_async (bool, default False): it ended on another thread than it began on
        is_remote (bool, default False): it ran in another process
        sequence_nr (int, default -1): the number that an operator which autograd records shares with its backward; -1 without
        node_id (int, default -1): of a process among several
        device_type (DeviceType): what it ran on
        device_index (int, default 0): which one of them
        device_resource_id (int, optional): the thread, if nothing else is said
        is_legacy (bool, default False): never so here
        flops (int, optional): floating point operations, with with_flops
        trace_name (str, optional): the name in a trace, where it is another
        concrete_inputs (list, optional): values of the arguments that are no tensors
        kwinputs (dict, optional): keyword arguments
        is_user_annotation (bool, default False): a range that the program named
        is_python_function (bool, default False): a Python function
        activity_type (str, optional): kind of the event in a trace
        metadata_json (str, optional): what else the trace says of it
        flow_id (int, optional): of the arrow to or from it
        flow_type (int, optional): kind of that arrow
        flow_start (bool, optional): whether the arrow begins here
        external_id (int, default 0): a number that others know it by
        linked_correlation_id (int, default 0): of the event on the other side of a launch
        extra_meta (dict, optional): kept as event_metadata
        structured_input_shapes (list, optional): sizes, those of lists of tensors as lists
        structured_input_strides (list, optional): strides likewise
        input_dtypes (list, optional): dtypes of the arguments
        python_id (int, default -1): of a Python function
        python_parent_id (int, default -1): of the one that called it
        python_module_id (int, default -1): of the nn.Module whose forward it is

    Example:
        >>> with torch.autograd.profiler.profile() as profile:
        ...     x = torch.ones(2) + 1
        >>> event = profile.function_events[-1]
        >>> event.name, event.cpu_time_total >= event.self_cpu_time_total
        ('aten::add', True)
    """

    count = 1
    event_metadata = None
    module_hierarchy = ()
    self_cpu_percent = total_cpu_percent = total_device_percent = -1

    def __init__(
        self,
        id: int,
        name: str,
        thread: int,
        start_us: float,
        end_us: float,
        overload_name: str | None = None,
        fwd_thread: int | None = None,
        input_shapes: Any = None,
        stack: Sequence[str] | None = None,
        scope: int = 0,
        use_device: str | None = None,
        cpu_memory_usage: int = 0,
        device_memory_usage: int = 0,
        is_async: bool = False,
        is_remote: bool = False,
        sequence_nr: int = -1,
        node_id: int = -1,
        device_type: DeviceType = DeviceType.CPU,
        device_index: int = 0,
        device_resource_id: int | None = None,
        is_legacy: bool = False,
        flops: int | None = None,
        trace_name: str | None = None,
        concrete_inputs: Any = None,
        kwinputs: Any = None,
        is_user_annotation: bool = False,
        is_python_function: bool = False,
        activity_type: Any = None,
        metadata_json: str | None = None,
        flow_id: int | None = None,
        flow_type: int | None = None,
        flow_start: bool | None = None,
        external_id: int = 0,
        linked_correlation_id: int = 0,
        extra_meta: dict[str, Any] | None = None,
        structured_input_shapes: Any = None,
        structured_input_strides: Any = None,
        input_dtypes: Any = None,
        python_id: int = -1,
        python_parent_id: int = -1,
        python_module_id: int = -1,
    ) -> None:
        self.id, self.node_id, self.name = id, node_id, name
        self.overload_name = overload_name
        self.trace_name = name if trace_name is None else trace_name
        self.time_range = Interval(start_us, end_us)
        self.thread, self.fwd_thread = thread, fwd_thread
        self.cpu_children, self.cpu_parent, self.kernels = [], None, []
        self.input_shapes, self.concrete_inputs, self.kwinputs = input_shapes, concrete_inputs, kwinputs
        self.structured_input_shapes, self.structured_input_strides = structured_input_shapes, structured_input_strides
        self.input_dtypes = input_dtypes
        self.stack, self.scope, self.use_device = stack, scope, use_device
        self.cpu_memory_usage, self.device_memory_usage = cpu_memory_usage, device_memory_usage
        self.is_async, self.is_remote, self.is_legacy = is_async, is_remote, is_legacy
        self.sequence_nr = sequence_nr
        self.device_type, self.device_index = device_type, device_index
        self.device_resource_id = thread if device_resource_id is None else device_resource_id
        self.flops = flops
        self.is_user_annotation, self.is_python_function = is_user_annotation, is_python_function
        self.activity_type, self.metadata_json = activity_type, metadata_json
        self.flow_id, self.flow_type, self.flow_start = flow_id, flow_type, flow_start
        self.external_id, self.linked_correlation_id = external_id, linked_correlation_id
        self.python_id, self.python_parent_id, self.python_module_id = python_id, python_parent_id, python_module_id
        if extra_meta:
            self.event_metadata = dict(extra_meta)

    # --- the tree --------------------------------------------------------------------------------------------

    def append_kernel(self, name: str, device: int, duration: int) -> None:
        """Adds a piece of the work that ran on a device.

        Args:
            name (str): of the kernel
            device (int): which device
            duration (int): microseconds
        """
        self.kernels.append(Kernel(name, device, duration))

    def append_cpu_child(self, child: FunctionEvent) -> None:
        """Adds a call made by this one.

        Args:
            child (FunctionEvent): the call
        """
        self.cpu_children.append(child)

    def set_cpu_parent(self, parent: FunctionEvent) -> None:
        """Says which call made this one.

        Args:
            parent (FunctionEvent): that call
        """
        self.cpu_parent = parent

    # --- times and memory ------------------------------------------------------------------------------------

    @property
    def key(self) -> str:
        """What averages are made by: the name."""
        return self.name

    @property
    def cpu_time_total(self) -> float:
        """Microseconds from the begin to the end; 0 on a device."""
        return self.time_range.elapsed_us() if self.device_type is DeviceType.CPU else 0

    @property
    def self_cpu_time_total(self) -> float:
        """The same, without the calls that it made."""
        if self.is_async or self.device_type is not DeviceType.CPU:
            return 0
        return self.cpu_time_total - sum(child.cpu_time_total for child in self.cpu_children)

    @property
    def self_cpu_memory_usage(self) -> int:
        """Bytes allocated less bytes freed, without the calls that it made."""
        if self.is_async or self.device_type is not DeviceType.CPU:
            return 0
        return self.cpu_memory_usage - sum(child.cpu_memory_usage for child in self.cpu_children)

    @property
    def device_time_total(self) -> float:
        """Microseconds of its kernels and of those of the calls that it made; of work on a device, how long that took."""
        if self.device_type is not DeviceType.CPU:
            return self.time_range.elapsed_us()
        return sum(kernel.duration for kernel in self.kernels) + sum(c.device_time_total for c in self.cpu_children)

    @property
    def self_device_time_total(self) -> float:
        """Microseconds of its own kernels."""
        if self.device_type is not DeviceType.CPU:
            return self.device_time_total
        return sum(kernel.duration for kernel in self.kernels)

    @property
    def self_device_memory_usage(self) -> int:
        """Bytes on the device, without the calls that it made."""
        return self.device_memory_usage - sum(child.device_memory_usage for child in self.cpu_children)

    @property
    def self_cuda_memory_usage(self) -> int:
        """The older name of self_device_memory_usage."""
        return self.self_device_memory_usage

    def __repr__(self):
        children = [child.id for child in self.cpu_children]
        device = self.use_device
        time = f"{device}_time={self.device_time_str} name={self.name} " if device else ""
        memory = f"{device}_memory_usage={self.device_memory_usage} " if device else ""
        return (
            f"<FunctionEvent id={self.id} name={self.name} overload_name={self.overload_name} device_type={self.device_type} "
            f"node_id={self.node_id} cpu_time={self.cpu_time_str} start_us={self.time_range.start} "
            f"end_us={self.time_range.end} cpu_children={children} {time}thread={self.thread} "
            f"input_shapes={self.input_shapes} cpu_memory_usage={self.cpu_memory_usage} {memory}"
            f"is_async={self.is_async} is_remote={self.is_remote} "
            f"seq_nr={self.sequence_nr} is_legacy={self.is_legacy}>"
        )


class FunctionEventAvg(FormattedTimesMixin):
    """Sums over the events of one key: name, and shapes, frames, overload, as key_averages() was asked."""

    def __init__(self):
        self.key = None
        self.count = 0
        self.node_id = -1
        self.is_async = self.is_remote = self.is_legacy = self.is_user_annotation = False
        self.use_device = None
        self.cpu_time_total = self.device_time_total = self.self_cpu_time_total = self.self_device_time_total = 0
        self.input_shapes = self.overload_name = self.stack = self.scope = None
        self.cpu_memory_usage = self.device_memory_usage = 0
        self.self_cpu_memory_usage = self.self_device_memory_usage = 0
        self.cpu_children, self.cpu_parent = None, None
        self.device_type = DeviceType.CPU
        self.flops = 0

    @property
    def name(self):
        return self.key

    def add(self, other):
        """Take in an event, or another average, of the same key.

        A call inside a call of the same key is part of that one's total, and counts for the self time alone.
        """
        if self.key is None:
            self.key, self.node_id = other.key, other.node_id
            self.is_async, self.is_remote, self.is_legacy = other.is_async, other.is_remote, other.is_legacy
            self.is_user_annotation, self.use_device = other.is_user_annotation, other.use_device
            self.cpu_parent, self.cpu_children = other.cpu_parent, other.cpu_children
            self.overload_name, self.input_shapes, self.stack = other.overload_name, other.input_shapes, other.stack
            self.scope, self.device_type = other.scope, other.device_type
        if not isinstance(other, (FunctionEvent, FunctionEventAvg)) or other.key != self.key:
            raise AssertionError(f"FunctionEventAvg.add: expected an event of {self.key!r}, got {other!r}")
        self.count += other.count
        if isinstance(other, FunctionEventAvg) or not _is_inside_its_like(other):
            self.cpu_time_total += other.cpu_time_total
            self.device_time_total += other.device_time_total
            self.cpu_memory_usage += other.cpu_memory_usage
            self.device_memory_usage += other.device_memory_usage
        self.self_cpu_time_total += other.self_cpu_time_total
        self.self_device_time_total += other.self_device_time_total
        self.self_cpu_memory_usage += other.self_cpu_memory_usage
        self.self_device_memory_usage += other.self_device_memory_usage
        self.flops = (self.flops or 0) + (other.flops or 0)
        return self

    def __iadd__(self, other):
        return self.add(other)

    def __repr__(self):
        device = self.use_device
        time = f"self_{device}_time={self.self_device_time_total_str} {device}_time={self.device_time_str} " if device else ""
        memory = f" {device}_memory_usage={self.device_memory_usage}" if device else ""
        return (
            f"<FunctionEventAvg key={self.key} self_cpu_time={self.self_cpu_time_total_str} cpu_time={self.cpu_time_str} "
            f"{time}count={self.count} input_shapes={self.input_shapes} cpu_memory_usage={self.cpu_memory_usage}{memory}>"
        )


def _is_inside_its_like(event):
    parent = event.cpu_parent
    while parent is not None:
        if parent.name == event.name:
            return True
        parent = parent.cpu_parent
    return False
