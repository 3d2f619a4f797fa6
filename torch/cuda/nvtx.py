"""Marks for Nvidia's profilers, which this build cannot make."""

from torch._missing_device import MissingDevice

_device = MissingDevice(__name__, globals(), RuntimeError, "this build of torch has no NVTX")
_device.refuses("mark range range_end range_pop range_push range_start")
