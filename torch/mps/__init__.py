"""Apple's GPUs, which this build cannot use: queries say so, and what needs one raises an error."""

from torch import _lazy
from torch._missing_device import MissingDevice as _MissingDevice

_device = _MissingDevice(__name__, globals(), RuntimeError, "this build of torch has no MPS backend")
_device.answers("is_available", False, "Whether there is a GPU that this build can use.")
_device.answers("device_count", 0, "The number of GPUs.")
_device.answers("manual_seed", None, "Seed the GPU; there is none.")
_device.refuses(
    "compile_shader current_allocated_memory driver_allocated_memory empty_cache get_core_count get_rng_state load_metallib "
    "recommended_max_memory seed set_per_process_memory_fraction set_rng_state synchronize"
)
_device.refused_classes("Event")

__getattr__, _ = _lazy.lazy(__name__, ("event", "profiler"))
