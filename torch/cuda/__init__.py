"""GPUs. A build without CUDA answers every question with no."""

import torch
from torch import _C, _lazy

_BUILT = hasattr(_C, "_cuda_getDeviceCount")


def is_available():
    """True if there is a GPU that this build can use."""
    return _BUILT and _C._cuda_getDeviceCount() > 0


def device_count():
    return _C._cuda_getDeviceCount() if _BUILT else 0


def is_initialized():
    return False


def _refuse(*args, **kwargs):
    raise AssertionError("Torch not compiled with CUDA enabled")


init = current_device = set_device = synchronize = get_device_name = get_device_properties = get_rng_state = (
    _refuse
)
set_rng_state = current_stream = mem_get_info = _refuse


def manual_seed(seed):
    """Seed the current GPU; nothing to do without one."""


def manual_seed_all(seed):
    """Seed all GPUs; nothing to do without one."""


def empty_cache():
    """Give unused GPU memory back; there is none."""


def memory_allocated(device=None):
    return 0


def max_memory_allocated(device=None):
    return 0


def reset_peak_memory_stats(device=None):
    """Nothing to reset."""


def is_bf16_supported(including_emulation=True):
    return False


def get_device_capability(device=None):
    _refuse()


OutOfMemoryError = getattr(_C, "OutOfMemoryError", RuntimeError)
_ = torch

_lazy.names_what_is_absent(__name__)
