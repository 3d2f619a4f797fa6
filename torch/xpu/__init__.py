"""Intel's GPUs, which this build cannot use: queries say so, and what needs one raises an error."""

from torch import _lazy
from torch._missing_device import MissingDevice as _MissingDevice
from torch._missing_device import nothing as _nothing

_device = _MissingDevice(__name__, globals(), AssertionError, "this build of torch has no XPU backend")
_device.answers(
    "is_available is_initialized is_bf16_supported is_tf32_supported _is_compiled",
    False,
    "Whether this build can use a GPU for it.",
)
_device.answers(
    "device_count memory_allocated memory_reserved max_memory_allocated max_memory_reserved", 0, "How many, or bytes."
)
_device.answers("get_arch_list get_rng_state_all", [], "One entry for each GPU.")
_device.answers("memory_stats memory_stats_as_nested_dict", {}, "Statistics of the GPU's memory.")
_device.answers(
    "empty_cache manual_seed manual_seed_all seed seed_all set_rng_state_all reset_peak_memory_stats "
    "reset_accumulated_memory_stats set_stream",
    None,
    "Nothing to do without a GPU.",
)
_device.refuses(
    "can_device_access_peer current_device current_stream get_device_capability get_device_name get_device_properties "
    "get_gencode_flags get_per_process_memory_fraction get_rng_state get_stream_from_external init initial_seed mem_get_info "
    "memory_snapshot set_device set_per_process_memory_fraction set_rng_state synchronize utilization temperature power_draw "
    "clock_rate device_memory_used memory_usage graph_pool_handle make_graphed_callables is_current_stream_capturing "
    "change_current_allocator"
)
_device.refused_classes("Event Stream XPUGraph XPUPluggableAllocator MemPool graph use_mem_pool")
default_generators = ()
device = device_of = stream = StreamContext = _nothing

__getattr__, _ = _lazy.lazy(__name__, ("graphs", "memory", "random", "streams"))
