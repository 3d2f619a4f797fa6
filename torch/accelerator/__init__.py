"""The accelerator of this machine, by names that are the same for every kind.

The CPU does not count as one: without another device, questions are answered, and what needs an accelerator raises
RuntimeError.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any, NoReturn

import torch
from torch._lazy import lazy

__all__ = [
    "Graph", "current_accelerator", "current_device_idx", "current_device_index", "current_stream", "device_count",
    "device_index", "empty_cache", "empty_host_cache", "get_device_capability", "get_memory_info", "is_available",
    "max_memory_allocated", "max_memory_reserved", "memory_allocated", "memory_reserved", "memory_stats",
    "reset_accumulated_memory_stats", "reset_peak_memory_stats", "set_device_idx", "set_device_index", "set_stream",
    "synchronize",
]  # fmt: skip


def is_available() -> bool:
    """False: there is no accelerator.

    Returns:
        False

    Example:
        >>> torch.accelerator.is_available()
        False
    """
    return False


def device_count() -> int:
    """The number of accelerators: there are none.

    Returns:
        0

    Example:
        >>> torch.accelerator.device_count()
        0
    """
    return 0


def current_accelerator(check_available: bool = False) -> torch.device | None:
    """None: there is no accelerator.

    Args:
        check_available (bool, default False): whether one that is not there counts

    Returns:
        None

    Example:
        >>> torch.accelerator.current_accelerator() is None
        True
    """
    return None


def _refuse(device: object = None) -> NoReturn:
    if device is not None and not isinstance(device, int) and torch.device(device).type in ("cpu", "meta"):
        raise RuntimeError(f"Accelerator expected, got the device {str(torch.device(device))!r}")
    raise RuntimeError("Cannot access accelerator device when none is available.")


def _needs_one(name: str, does: str) -> Callable[..., Any]:
    def function(device: object = None, /) -> NoReturn:
        _refuse(device)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""{does}

Args:
    device (torch.device, str or int, optional): the device

Raises:
    RuntimeError: there is no accelerator

Example:
    >>> torch.accelerator.{name}()
    Traceback (most recent call last):
    RuntimeError: there is no accelerator
"""
    return function


synchronize = _needs_one("synchronize", "Wait until a device has finished its work.")
current_stream = _needs_one("current_stream", "The stream that work goes to.")
get_device_capability = _needs_one("get_device_capability", "What a device can do.")
get_memory_info = _needs_one("get_memory_info", "Free and total bytes of a device.")
memory_allocated = _needs_one("memory_allocated", "Bytes of tensors.")
max_memory_allocated = _needs_one("max_memory_allocated", "The most bytes that tensors ever had.")
memory_reserved = _needs_one("memory_reserved", "Bytes that the allocator holds.")
max_memory_reserved = _needs_one("max_memory_reserved", "The most bytes that the allocator ever held.")
memory_stats = _needs_one("memory_stats", "Counters of the allocator.")
reset_accumulated_memory_stats = _needs_one("reset_accumulated_memory_stats", "Set sums of the allocator to 0.")
reset_peak_memory_stats = _needs_one("reset_peak_memory_stats", "Forget the highest figures of the allocator.")


def current_device_index() -> int:
    """The number of the current device.

    Raises:
        RuntimeError: there is no accelerator

    Example:
        >>> torch.accelerator.current_device_index()
        Traceback (most recent call last):
        RuntimeError: there is no accelerator
    """
    _refuse()


def set_device_index(device: torch.device | str | int | None, /) -> None:
    """Make a device the current one.

    Args:
        device (torch.device, str, int or None): the device

    Raises:
        RuntimeError: there is no accelerator

    Example:
        >>> torch.accelerator.set_device_index(0)
        Traceback (most recent call last):
        RuntimeError: there is no accelerator
    """
    _refuse(device)


def set_stream(stream: object) -> None:
    """Send work to a stream from now on.

    Args:
        stream (Stream): the stream

    Raises:
        RuntimeError: there is no accelerator

    Example:
        >>> torch.accelerator.set_stream(None)
        Traceback (most recent call last):
        RuntimeError: there is no accelerator
    """
    _refuse()


def empty_cache() -> None:
    """Give unused memory of devices back.

    Raises:
        RuntimeError: there is no accelerator

    Example:
        >>> torch.accelerator.empty_cache()
        Traceback (most recent call last):
        RuntimeError: there is no accelerator
    """
    _refuse()


def empty_host_cache() -> None:
    """Give unused pinned memory back.

    Raises:
        RuntimeError: there is no accelerator

    Example:
        >>> torch.accelerator.empty_host_cache()
        Traceback (most recent call last):
        RuntimeError: there is no accelerator
    """
    _refuse()


def _old_name(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def old(*args: Any) -> Any:
        import warnings

        warnings.warn(f"Use `{function.__name__}` instead.", FutureWarning, stacklevel=2)
        return function(*args)

    old.__name__ = old.__qualname__ = name
    old.__doc__ = f"""The old name of `{function.__name__}`.

Example:
    >>> torch.accelerator.{name}({0 if name[0] == "s" else ""})
    Traceback (most recent call last):
    RuntimeError: there is no accelerator
"""
    return old


current_device_idx = _old_name("current_device_idx", current_device_index)
set_device_idx = _old_name("set_device_idx", set_device_index)


class device_index:
    """Makes a device the current one inside a `with`.

    Args:
        device (int or None): the device; None changes nothing

    Raises:
        RuntimeError: there is no accelerator, and one is named

    Example:
        >>> with torch.accelerator.device_index(None):
        ...     pass
    """

    def __init__(self, device: int | None, /) -> None:
        self.device = device

    def __enter__(self) -> None:
        if self.device is not None:
            _refuse(self.device)

    def __exit__(self, *problem: object) -> None:
        pass


def get_device_module(device: torch.device | str | None = None) -> ModuleType:
    """The module of a kind of device, such as `torch.cpu`.

    Args:
        device (torch.device or str, optional): a device, or its name; None: the CPU

    Returns:
        the module

    Raises:
        RuntimeError: it is no device, or has no module

    Example:
        >>> torch.get_device_module("cpu").__name__
        'torch.cpu'
    """
    if not isinstance(device, (torch.device, str, type(None))):
        raise RuntimeError(f"Invalid value of device '{device}', expect torch.device, str, or None")
    kind = torch.device(device if device is not None else "cpu").type
    module = getattr(torch, kind, None)
    if module is None:
        raise RuntimeError(f"Device '{kind}' does not have a corresponding module registered as 'torch.{kind}'.")
    return module


get_device_module.__module__ = "torch"
__getattr__, _ = lazy(__name__, ("graphs", "memory"), {"Graph": "torch.accelerator.graphs"})
