"""The device of tensors that are created without one: `with torch.device("meta"):` and `torch.set_default_device`.

Both use one mode. It is the outermost of a thread's modes, and exists only while a device is set."""

from __future__ import annotations

import functools
import threading

import torch
from torch import _C
from torch.overrides import TorchFunctionMode

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any

_FACTORIES = (
    "empty empty_permuted empty_strided empty_quantized ones arange bartlett_window blackman_window eye "
    "fft.fftfreq fft.rfftfreq full hamming_window hann_window kaiser_window linspace logspace nested.nested_tensor rand randn "
    "randint randperm sparse_coo_tensor sparse_compressed_tensor sparse_csr_tensor sparse_csc_tensor sparse_bsr_tensor "
    "sparse_bsc_tensor tril_indices triu_indices zeros asarray tensor as_tensor scalar_tensor"
)


@functools.cache
def _factories() -> set[Any]:
    found = set()
    for path in _FACTORIES.split():
        place, _, name = path.rpartition(".")
        place = getattr(torch, place, None) if place else torch
        if hasattr(place, name):
            found.add(getattr(place, name))
    return found


class _Local(threading.local):
    default = None  # of set_default_device
    blocks = ()  # of `with torch.device(...)`, the innermost last
    mode = None  # the DeviceContext on this thread's stack of modes


_local = _Local()


def get_default_device() -> torch.device:
    """The device of tensors that are created without one.

    Returns:
        that of the innermost `with torch.device(...)`, else of `set_default_device`, else the CPU

    Example:
        >>> with torch.device("meta"):
        ...     torch.get_default_device()
        device(type='meta')
    """
    device = _local.blocks[-1] if _local.blocks else _local.default
    return torch.device("cpu") if device is None else device


class DeviceContext(TorchFunctionMode):
    """Passes the default device to functions that create a tensor and were called without a device."""

    def __init__(self):
        self.factories = _factories()

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if func in self.factories and kwargs.get("device") is None:
            kwargs = {**kwargs, "device": get_default_device()}
        return func(*args, **kwargs)


def _set(default, blocks):
    """Change this thread's devices; the mode is pushed with the first and popped with the last."""
    _local.default, _local.blocks = default, blocks
    needed = default is not None or bool(blocks)
    if needed == (_local.mode is not None):
        return
    modes = [_C._pop_torch_function_stack() for _ in range(_C._len_torch_function_stack())]
    if needed:
        _local.mode = DeviceContext()
        modes.append(_local.mode)
    else:
        modes = [mode for mode in modes if mode is not _local.mode]
        _local.mode = None
    for mode in reversed(modes):
        _C._push_on_torch_function_stack(mode)


def set_default_device(device: Any) -> None:
    """Create tensors on a device from now on, in this thread.

    Args:
        device (torch.device, str or None): the device; None: the CPU, as at the start. Inside of `with torch.device(...)` it
            holds at once, and after the block

    Raises:
        RuntimeError: there is no device of that name

    Example:
        >>> torch.set_default_device("meta")
        >>> torch.empty(2).device
        device(type='meta')
        >>> torch.set_default_device(None)
    """
    device = None if device is None else torch.device(device)
    _set(device, _local.blocks and (*_local.blocks[:-1], device))


def _enter_device(device):
    """`with device:` begins."""
    _set(_local.default, (*_local.blocks, device))


def _exit_device(*problem):
    """`with device:` ends."""
    if not _local.blocks:
        raise RuntimeError("torch.device.__exit__: this device was not entered by a `with`")
    _set(_local.default, _local.blocks[:-1])
