"""Times, sizes and shares as text."""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any


def format_time(microseconds: float) -> str:
    if microseconds >= 1e6:
        return f"{microseconds / 1e6:.3f}s"
    return f"{microseconds / 1e3:.3f}ms" if microseconds >= 1e3 else f"{microseconds:.3f}us"


def format_memory(nbytes: int) -> str:
    for unit, size in (("GB", 2**30), ("MB", 2**20), ("KB", 2**10)):
        if abs(nbytes) >= size:
            return f"{nbytes / size:.2f} {unit}"
    return f"{nbytes} B"


def format_share(part: float, whole: float) -> str:
    return f"{100 * part / whole:.2f}%" if whole else "NaN"


class FormattedTimesMixin:
    """The times of an event, or their average over calls, as text.

    Needs cpu_time_total, self_cpu_time_total, device_time_total, self_device_time_total (microseconds) and count."""

    if TYPE_CHECKING:
        count: int
        cpu_time_total: Any
        self_cpu_time_total: Any
        device_time_total: Any
        self_device_time_total: Any

    @property
    def cpu_time(self) -> float:
        """Mean microseconds of one call."""
        return 0.0 if self.count == 0 else 1.0 * self.cpu_time_total / self.count

    @property
    def device_time(self) -> float:
        """Mean microseconds of one call's work on a device."""
        return 0.0 if self.count == 0 else 1.0 * self.device_time_total / self.count

    @property
    def cuda_time(self) -> float:
        """The older name of device_time."""
        return self.device_time

    @property
    def cuda_time_total(self) -> float:
        """The older name of device_time_total."""
        return self.device_time_total

    @property
    def self_cuda_time_total(self) -> float:
        """The older name of self_device_time_total."""
        return self.self_device_time_total


def _text_of(name: str) -> property:
    def text(self: FormattedTimesMixin) -> str:
        return format_time(getattr(self, name))

    return property(text, doc=f"The text of {name}, with its unit.")


for _name in (
    "cpu_time",
    "device_time",
    "cpu_time_total",
    "device_time_total",
    "self_cpu_time_total",
    "self_device_time_total",
):
    setattr(FormattedTimesMixin, _name + "_str", _text_of(_name))
