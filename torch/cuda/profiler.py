"""CUDA's profiler, which this build has not."""

from torch._missing_device import MissingDevice

_device = MissingDevice(__name__, globals(), AssertionError, "Torch not compiled with CUDA enabled")
_device.refuses("init profile start stop")
