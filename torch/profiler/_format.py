"""Times, sizes and shares as text."""

from __future__ import annotations


def format_time(microseconds):
    if microseconds >= 1e6:
        return f"{microseconds / 1e6:.3f}s"
    return f"{microseconds / 1e3:.3f}ms" if microseconds >= 1e3 else f"{microseconds:.3f}us"


def format_memory(nbytes):
    for unit, size in (("GB", 2**30), ("MB", 2**20), ("KB", 2**10)):
        if abs(nbytes) >= size:
            return f"{nbytes / size:.2f} {unit}"
    return f"{nbytes} B"


def format_share(part, whole):
    return f"{100 * part / whole:.2f}%" if whole else "NaN"


class FormattedTimesMixin:
    """The times of an event, or their average over calls, as text.

    Needs cpu_time_total, self_cpu_time_total, device_time_total, self_device_time_total (microseconds) and count."""

    @property
    def cpu_time(self):
        """Mean microseconds of one call."""
        return 0.0 if self.count == 0 else 1.0 * self.cpu_time_total / self.count

    @property
    def device_time(self):
        return 0.0 if self.count == 0 else 1.0 * self.device_time_total / self.count

    @property
    def cuda_time(self):
        return self.device_time

    @property
    def cuda_time_total(self):
        return self.device_time_total

    @property
    def self_cuda_time_total(self):
        return self.self_device_time_total


def _text_of(name):
    return property(lambda self: format_time(getattr(self, name)))


for _name in (
    "cpu_time",
    "device_time",
    "cpu_time_total",
    "device_time_total",
    "self_cpu_time_total",
    "self_device_time_total",
):
    setattr(FormattedTimesMixin, _name + "_str", _text_of(_name))
