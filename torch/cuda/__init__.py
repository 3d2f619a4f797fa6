"""GPUs. In a build without CUDA, every query answers no."""

from __future__ import annotations

import torch
from torch import _C, _lazy

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any, NoReturn

_BUILT = hasattr(_C, "_cuda_getDeviceCount")


def is_available() -> bool:
    """True if there is a GPU that this build can use.

    Returns:
        whether there is

    Example:
        >>> torch.cuda.is_available()
        False
    """
    return _BUILT and _C._cuda_getDeviceCount() > 0


def device_count() -> int:
    """The number of GPUs that this build can use.

    Returns:
        the number

    Example:
        >>> torch.cuda.device_count()
        0
    """
    return _C._cuda_getDeviceCount() if _BUILT else 0


def is_initialized() -> bool:
    """Whether CUDA was used yet.

    Returns:
        False

    Example:
        >>> torch.cuda.is_initialized()
        False
    """
    return False


def _refuse(*args: Any, **kwargs: Any) -> NoReturn:
    """What needs a GPU: there is none.

    Args:
        *args (Any): any
        **kwargs (Any): any

    Raises:
        AssertionError: always

    Example:
        >>> torch.cuda.current_device()
        Traceback (most recent call last):
        AssertionError: Torch not compiled with CUDA enabled
    """
    raise AssertionError("Torch not compiled with CUDA enabled")


init = current_device = set_device = synchronize = get_device_name = get_device_properties = get_rng_state = _refuse
set_rng_state = current_stream = mem_get_info = _refuse


def manual_seed(seed: int) -> None:
    """Seed the current GPU; nothing to do without one.

    Args:
        seed (int): the seed

    Example:
        >>> torch.cuda.manual_seed(0)
    """


def manual_seed_all(seed: int) -> None:
    """Seed all GPUs; nothing to do without one.

    Args:
        seed (int): the seed

    Example:
        >>> torch.cuda.manual_seed_all(0)
    """


def empty_cache() -> None:
    """Give unused GPU memory back; there is none.

    Example:
        >>> torch.cuda.empty_cache()
    """


def memory_allocated(device: Any = None) -> int:
    """Bytes of tensors on a GPU.

    Args:
        device (device, optional): the GPU

    Returns:
        0

    Example:
        >>> torch.cuda.memory_allocated()
        0
    """
    return 0


def max_memory_allocated(device: Any = None) -> int:
    """The most bytes that tensors ever had on a GPU.

    Args:
        device (device, optional): the GPU

    Returns:
        0

    Example:
        >>> torch.cuda.max_memory_allocated()
        0
    """
    return 0


def reset_peak_memory_stats(device: Any = None) -> None:
    """Forget that figure; nothing to do without a GPU.

    Args:
        device (device, optional): the GPU

    Example:
        >>> torch.cuda.reset_peak_memory_stats()
    """


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Whether a GPU computes in bfloat16.

    Args:
        including_emulation (bool, default True): also slowly

    Returns:
        False

    Example:
        >>> torch.cuda.is_bf16_supported()
        False
    """
    return False


def get_device_capability(device: Any = None) -> NoReturn:
    """The version of a GPU's instructions.

    Args:
        device (device, optional): the GPU

    Raises:
        AssertionError: there is no GPU

    Example:
        >>> torch.cuda.get_device_capability()
        Traceback (most recent call last):
        AssertionError: Torch not compiled with CUDA enabled
    """
    _refuse()


OutOfMemoryError = getattr(_C, "OutOfMemoryError", RuntimeError)
_ = torch

_lazy.names_what_is_absent(__name__)
