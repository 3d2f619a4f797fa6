"""Meta's accelerators, which this build cannot use: queries say so, and what needs one raises an error."""

from torch import _lazy
from torch._missing_device import MissingDevice as _MissingDevice
from torch._missing_device import nothing as _nothing

_device = _MissingDevice(__name__, globals(), RuntimeError, "this build of torch has no MTIA backend")
_device.answers(
    "is_available is_initialized is_bf16_supported _is_compiled", False, "Whether this build can use a device for it."
)
_device.answers("device_count memory_allocated max_memory_allocated", 0, "How many, or bytes.")
_device.answers("memory_stats", {}, "Statistics of the device's memory.")
_device.answers("manual_seed manual_seed_all seed seed_all reset_peak_memory_stats", None, "Nothing to do without a device.")
_device.refuses(
    "attach_out_of_memory_observer current_device current_stream default_stream empty_cache get_device_capability "
    "get_device_properties get_rng_state get_rng_state_all graph_pool_handle init initial_seed record_memory_history set_device "
    "set_rng_state set_rng_state_all set_stream snapshot synchronize"
)
_device.refused_classes("Event Stream MTIAGraph graph")
device = stream = StreamContext = _nothing

__getattr__, _ = _lazy.lazy(__name__, ("memory",))
