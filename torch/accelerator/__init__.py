"""The accelerator of this machine, by names that are the same for every kind.

It is CUDA in a build that has it, or a device that a program brings. The CPU does not count as one: without another device,
questions are answered, and what needs an accelerator raises RuntimeError.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import torch
from torch import _C
from torch._lazy import lazy

__all__ = [
    "Graph", "current_accelerator", "current_device_idx", "current_device_index", "current_stream", "device_count",
    "device_index", "empty_cache", "empty_host_cache", "get_device_capability", "get_memory_info", "is_available",
    "max_memory_allocated", "max_memory_reserved", "memory_allocated", "memory_reserved", "memory_stats",
    "reset_accumulated_memory_stats", "reset_peak_memory_stats", "set_device_idx", "set_device_index", "set_stream",
    "synchronize",
]  # fmt: skip


def current_accelerator(check_available: bool = False) -> torch.device | None:
    """The kind of accelerator that this build has, as a device without a number.

    Args:
        check_available (bool, default False): only if there is one on this machine too

    Returns:
        the device, or None

    Example:
        >>> torch.accelerator.current_accelerator() is None
        True
    """
    brought = _C._get_privateuse1_backend_name()
    if _C._accelerator_device_count(brought):
        return torch.device(brought)
    if _C._cuda_extension() and (not check_available or torch.cuda.is_available()):
        return torch.device("cuda")
    return None


def is_available() -> bool:
    """Whether there is an accelerator on this machine that this build can use.

    Returns:
        whether there is

    Example:
        >>> torch.accelerator.is_available()
        False
    """
    return current_accelerator(check_available=True) is not None


def device_count() -> int:
    """The number of accelerators.

    Returns:
        the number; 0 if there are none

    Example:
        >>> torch.accelerator.device_count()
        0
    """
    found = current_accelerator(check_available=True)
    return 0 if found is None else _C._accelerator_device_count(found)


def _kind(device: object = None) -> str:
    """The accelerator's type; an error where there is none."""
    if device is not None and not isinstance(device, int) and torch.device(device).type in ("cpu", "meta"):
        raise RuntimeError(f"Accelerator expected, got the device {str(torch.device(device))!r}")
    found = current_accelerator(check_available=True)
    if found is None:
        raise RuntimeError("Cannot access accelerator device when none is available.")
    return found.type


def _device(given: object = None) -> torch.device:
    """The device that an argument means, with its number: the current one without an argument."""
    kind = _kind(given)
    if isinstance(given, int):
        return torch.device(kind, given)
    made = torch.device(kind if given is None else given)
    if made.type != kind:
        raise ValueError(f"{made.type} doesn't match the current accelerator {kind}.")
    return torch.device(kind, _C._accelerator_current_device(made)) if made.index is None else made


def _of_module(name: str, *arguments: Any) -> Any:
    """What the accelerator's own module answers."""
    kind = _kind()
    function = getattr(get_device_module(kind), name, None)
    if function is None:
        raise RuntimeError(f"torch.accelerator.{name}(): torch.{kind} has no such function")
    return function(*arguments)


def _needs_one(name: str, does: str, answer: Callable[[torch.device], Any], returns: str = "") -> Callable[..., Any]:
    def function(device: torch.device | str | int | None = None, /) -> Any:
        return answer(_device(device))

    function.__name__ = function.__qualname__ = name
    answered = f"Returns:\n    {returns}\n\n" if returns else ""
    function.__doc__ = f"""{does}

Args:
    device (torch.device, str or int, optional): the device; the current one by default

{answered}Raises:
    RuntimeError: there is no accelerator
    ValueError: the device is of another kind

Example:
    >>> torch.accelerator.{name}()
    Traceback (most recent call last):
    RuntimeError: there is no accelerator
"""
    return function


def _memory(name: str, does: str, returns: str = "", called: str = "") -> Callable[..., Any]:
    return _needs_one(name, does, lambda device: _of_module(called or name, device), returns)


def _capability(device: torch.device) -> dict[str, Any]:
    kinds = {value for value in vars(torch).values() if isinstance(value, torch.dtype)}
    return {"supported_dtypes": {kind for kind in kinds if not str(kind).startswith("torch.q")}}


synchronize = _needs_one("synchronize", "Wait until a device has finished its work.", lambda d: _C._accelerator_synchronize(d))
current_stream = _needs_one(
    "current_stream", "The stream that work goes to.", lambda d: _C._accelerator_current_stream(d), "the stream"
)
get_device_capability = _needs_one(
    "get_device_capability",
    "What a device can do.",
    _capability,
    "a dict: `supported_dtypes`, the set of types that tensors have",
)
get_memory_info = _memory("get_memory_info", "Free and total bytes of a device.", "both", "mem_get_info")
memory_allocated = _memory("memory_allocated", "Bytes of tensors.", "the number")
max_memory_allocated = _memory("max_memory_allocated", "The most bytes that tensors ever had.", "the number")
memory_reserved = _memory("memory_reserved", "Bytes that the allocator holds.", "the number")
max_memory_reserved = _memory("max_memory_reserved", "The most bytes that the allocator ever held.", "the number")
memory_stats = _memory("memory_stats", "Counters of the allocator.", "a dict of numbers by name")
reset_accumulated_memory_stats = _memory("reset_accumulated_memory_stats", "Set sums of the allocator to 0.")
reset_peak_memory_stats = _memory("reset_peak_memory_stats", "Forget the highest figures of the allocator.")


def current_device_index() -> int:
    """The number of the current device.

    Returns:
        the number

    Raises:
        RuntimeError: there is no accelerator

    Example:
        >>> torch.accelerator.current_device_index()
        Traceback (most recent call last):
        RuntimeError: there is no accelerator
    """
    return _device().index


def set_device_index(device: torch.device | str | int | None, /) -> None:
    """Make a device the current one. A negative number changes nothing.

    Args:
        device (torch.device, str or int): the device, with a number

    Raises:
        RuntimeError: there is no accelerator, or no such device
        ValueError: the device is of another kind, or has no number

    Example:
        >>> torch.accelerator.set_device_index(0)
        Traceback (most recent call last):
        RuntimeError: there is no accelerator
    """
    if isinstance(device, int) and device < 0:
        _kind()
        return
    made = _device(device)
    if not isinstance(device, int) and (device is None or torch.device(device).index is None):
        raise ValueError(f"set_device_index(): expected a number, or a device with one, got {device!r}")
    _C._accelerator_set_device(made)


def set_stream(stream: torch.Stream) -> None:
    """Send work to a stream, and to its device, from now on.

    Args:
        stream (Stream): the stream

    Raises:
        RuntimeError: there is no accelerator

    Example:
        >>> torch.accelerator.set_stream(None)
        Traceback (most recent call last):
        RuntimeError: there is no accelerator
    """
    _kind()
    _C._accelerator_set_stream(stream)


def empty_cache() -> None:
    """Give unused memory of devices back.

    Raises:
        RuntimeError: there is no accelerator

    Example:
        >>> torch.accelerator.empty_cache()
        Traceback (most recent call last):
        RuntimeError: there is no accelerator
    """
    _of_module("empty_cache")


def empty_host_cache() -> None:
    """Give unused pinned memory back.

    Raises:
        RuntimeError: there is no accelerator

    Example:
        >>> torch.accelerator.empty_host_cache()
        Traceback (most recent call last):
        RuntimeError: there is no accelerator
    """
    if _kind() == "cuda":
        from torch.cuda._runtime import initialize

        initialize().empty_host_cache()


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
        self.before: list[torch.device] = []

    def __enter__(self) -> None:
        if self.device is not None:
            self.before.append(_device())
            set_device_index(self.device)

    def __exit__(self, *problem: object) -> None:
        if self.device is not None:
            _C._accelerator_set_device(self.before.pop())


def get_device_module(device: torch.device | str | None = None) -> ModuleType:
    """The module of a kind of device, such as `torch.cpu`.

    Args:
        device (torch.device or str, optional): a device, or its name; None: the accelerator, or the CPU without one

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
    kind = torch.device(device if device is not None else current_accelerator() or "cpu").type
    module = getattr(torch, kind, None)
    if module is None:
        raise RuntimeError(f"Device '{kind}' does not have a corresponding module registered as 'torch.{kind}'.")
    return module


get_device_module.__module__ = "torch"
__getattr__, _ = lazy(__name__, ("graphs", "memory"), {"Graph": "torch.accelerator.graphs"})
