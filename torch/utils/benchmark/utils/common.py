"""What was measured (TaskSpec) and how long it took (Measurement)."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import math
import textwrap

import torch

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

__all__ = ["TaskSpec", "Measurement", "select_unit", "unit_to_english", "trim_sigfig", "ordered_unique", "set_torch_threads"]

# Above these ratios of interquartile range to median, a measurement is reported as uncertain or unusable.
_IQR_WARN, _IQR_GROSS_WARN = 0.1, 0.25
# The smallest difference that clocks can measure, in seconds.
_SMALLEST_INTERVAL = 25e-9
_UNITS = {"ns": (1e-9, "nanosecond"), "us": (1e-6, "microsecond"), "ms": (1e-3, "millisecond"), "s": (1, "second")}


@dataclasses.dataclass(init=True, repr=False, eq=True, frozen=True)
class TaskSpec:
    """The statement that is timed, and what tells it from others.

    Args:
        stmt (str): the statement
        setup (str): what runs before
        global_setup (str, default ""): of C++
        label (str, optional): what is compared: a table's title
        sub_label (str, optional): a row of the table
        description (str, optional): a column of the table
        env (str, optional): which build or machine
        num_threads (int, default 1): of operators

    Example:
        >>> torch.utils.benchmark.TaskSpec("x + 1", "pass", label="adding").title
        'adding'
    """

    stmt: str
    setup: str
    global_setup: str = ""
    label: str | None = None  # what is compared: a table's title
    sub_label: str | None = None  # a row of the table
    description: str | None = None  # a column of the table
    env: str | None = None  # which build or machine
    num_threads: int = 1

    @property
    def title(self) -> str:
        """The label and sub-label, or the statement where there is no label."""
        if self.label is not None:
            return self.label + (f": {self.sub_label}" if self.sub_label else "")
        if "\n" not in self.stmt:
            return self.stmt + (f": {self.sub_label}" if self.sub_label else "")
        return "stmt:" + (f" ({self.sub_label})" if self.sub_label else "") + "\n" + textwrap.indent(self.stmt, "  ")

    def setup_str(self) -> str:
        """The setup as it is shown, "" where it does nothing."""
        if self.setup == "pass" or not self.setup:
            return ""
        if "\n" in self.setup:
            return "setup:\n" + textwrap.indent(self.setup, "  ")
        return f"setup: {self.setup}"

    def summarize(self) -> str:
        """Title, description and setup."""
        parts = [self.title, self.description or "", self.setup_str()]
        return "\n".join(part + "\n" if "\n" in part else part for part in parts if part)


def _percentile(ordered, fraction):
    """Between the two nearest values of a sorted list, in proportion."""
    place = fraction * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


@dataclasses.dataclass(init=True, repr=False)
class Measurement:
    """Times of one statement; attributes of its TaskSpec are its own too.

    Args:
        number_per_run (int): how many runs each time is for
        raw_times (list of float): seconds
        task_spec (TaskSpec): the statement
        metadata (dict, optional): anything

    Example:
        >>> task = torch.utils.benchmark.TaskSpec("x + 1", "pass")
        >>> torch.utils.benchmark.Measurement(10, [1.0, 2.0, 3.0], task).median
        0.2
    """

    number_per_run: int
    raw_times: list
    task_spec: TaskSpec
    metadata: dict | None = None

    def __post_init__(self):
        self._sorted = None

    def __getattr__(self, name):
        if name != "task_spec" and not name.startswith("__") and hasattr(self.task_spec, name):
            return getattr(self.task_spec, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def times(self) -> list[float]:
        """Seconds for one run, in the order they were taken."""
        return [t / self.number_per_run for t in self.raw_times]

    def _ordered(self):
        if not self.raw_times:
            raise ValueError("a Measurement without times has no statistics")
        if self._sorted is None or len(self._sorted) != len(self.raw_times):
            self._sorted = sorted(self.times)
        return self._sorted

    @property
    def mean(self) -> float:
        """Average time of a run."""
        ordered = self._ordered()
        return math.fsum(ordered) / len(ordered)

    @property
    def median(self) -> float:
        """Median time of a run."""
        return _percentile(self._ordered(), 0.5)

    @property
    def iqr(self) -> float:
        """Distance of the first and third quartile."""
        return _percentile(self._ordered(), 0.75) - _percentile(self._ordered(), 0.25)

    @property
    def significant_figures(self) -> int:
        """The number of significant digits of the median, 1 to 4, judged by the spread of the middle half."""
        ordered = self._ordered()
        middle = ordered[len(ordered) // 4 : math.ceil(3 * len(ordered) / 4)]
        mean = math.fsum(middle) / len(middle)
        deviation = math.sqrt(math.fsum((t - mean) ** 2 for t in middle) / len(middle))
        interval = max(1.645 * deviation / math.sqrt(len(middle)), _SMALLEST_INTERVAL)
        if self.median <= 0:
            return 1
        return min(max(math.floor(math.log10(self.median / interval)), 1), 4)

    @property
    def has_warnings(self) -> bool:
        """Whether the times are too far apart to be trusted."""
        return not self.meets_confidence()

    def meets_confidence(self, threshold: float = _IQR_WARN) -> bool:
        """Whether the interquartile range is below a part of the median.

        Args:
            threshold (float, default 0.1): the part
        """
        return self.iqr < threshold * self.median or self.iqr == 0

    @property
    def title(self) -> str:
        """That of the task."""
        return self.task_spec.title

    @property
    def env(self) -> str | None:
        """The caller's name for the environment: a branch, a machine, a build."""
        return self.task_spec.env

    @property
    def as_row_name(self) -> str:
        """The name of its row in a table."""
        return self.sub_label or self.stmt or "[Unknown]"

    def __repr__(self):
        count = len(self.raw_times)
        unit, scale = select_unit(self.median)
        lines = [object.__repr__(self), self.task_spec.summarize()]
        lines.append(f"  {'Median: ' if count > 1 else ''}{self.median / scale:.2f} {unit}")
        if count > 3:
            low, high = (_percentile(self._ordered(), f) / scale for f in (0.25, 0.75))
            lines.append(f"  IQR:    {self.iqr / scale:.2f} {unit} ({low:.2f} to {high:.2f})")
        threads = f"{self.num_threads} thread{'s' if self.num_threads > 1 else ''}"
        each = "per measurement" if count > 1 else ""
        lines.append(f"  {count} measurement{'s' if count > 1 else ''}, {self.number_per_run} runs {each}, {threads}")
        if self.has_warnings:
            ratio = self.iqr / self.median
            advice = (
                "This suggests significant environmental influence."
                if ratio >= _IQR_GROSS_WARN
                else ("This could indicate system fluctuation.")
            )
            lines.append(f"  WARNING: Interquartile range is {ratio * 100:.1f}% of the median measurement.")
            lines.append(f"           {advice}")
        return "\n".join(lines)

    @staticmethod
    def merge(measurements: Iterable[Measurement]) -> list[Measurement]:
        """One Measurement for each task, with all its times, as of single runs.

        Args:
            measurements (Iterable[Measurement]): of one or more tasks
        """
        groups = collections.defaultdict(list)
        for m in measurements:
            groups[m.task_spec].append(m)
        return [Measurement(1, [t for m in group for t in m.times], task, metadata=None) for task, group in groups.items()]


def select_unit(t: float) -> tuple[str, float]:
    """The unit in which to show a time: the largest that leaves at least one before the dot.

    Args:
        t (float): seconds

    Returns:
        (unit, its length in seconds)

    Example:
        >>> torch.utils.benchmark.select_unit(0.005)
        ('ms', 0.001)
    """
    if t <= 0:
        return "s", 1
    for unit in ("s", "ms", "us"):
        if t >= _UNITS[unit][0]:
            return unit, _UNITS[unit][0]
    return "ns", 1e-9


def unit_to_english(u: str) -> str:
    """The name of a unit.

    Args:
        u (str): "ns", "us", "ms" or "s"

    Returns:
        the name

    Example:
        >>> torch.utils.benchmark.unit_to_english("us")
        'microsecond'
    """
    return _UNITS[u][1]


def trim_sigfig(x: float, n: int) -> float:
    """A number with all but the first digits set to zero, rounded.

    Args:
        x (float): the number
        n (int): how many digits stay

    Returns:
        the number

    Raises:
        ValueError: `n` is not whole

    Example:
        >>> torch.utils.benchmark.trim_sigfig(1234.0, 2)
        1200.0
    """
    if x == 0:
        return 0.0
    if n != int(n):
        raise ValueError(f"trim_sigfig: expected a whole number of digits, got {n}")
    scale = 10 ** (math.floor(math.log10(abs(x))) + 1 - int(n))
    return float(round(x / scale) * scale)


def ordered_unique(elements: Iterable[Any]) -> list[Any]:
    """The elements without repetitions, in the order of their first appearance.

    Args:
        elements (Iterable): hashable ones

    Returns:
        a list

    Example:
        >>> torch.utils.benchmark.ordered_unique([3, 1, 3])
        [3, 1]
    """
    return list(dict.fromkeys(elements))


@contextlib.contextmanager
def set_torch_threads(n: int) -> Iterator[None]:
    """A block in which operators run on some number of threads.

    Args:
        n (int): the number

    Example:
        >>> with torch.utils.benchmark.set_torch_threads(1):
        ...     torch.get_num_threads()
        1
    """
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(n)
        yield
    finally:
        torch.set_num_threads(before)
