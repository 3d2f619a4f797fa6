"""Traces of Apple's GPUs, which this build cannot use."""

from torch._missing_device import MissingDevice as _MissingDevice

_device = _MissingDevice(__name__, globals(), RuntimeError, "this build of torch has no MPS backend")
_device.answers("is_capturing_metal is_metal_capture_enabled", False, "Whether a trace is, or can be, recorded.")
_device.refuses("metal_capture profile start stop")
