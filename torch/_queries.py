"""What a tensor or this build is: questions that programs seldom ask."""

from __future__ import annotations

import torch
from torch import _C
from torch.storage import FloatStorage as Storage  # noqa: F401

has_mkl = False
has_spectral = True


def get_device(input: torch.Tensor) -> int:
    """The index of a tensor's device; -1 on the CPU.

    Args:
        input (Tensor): the tensor

    Returns:
        the index

    Example:
        >>> torch.get_device(torch.ones(1))
        -1
    """
    return input.get_device()


def is_distributed(input: torch.Tensor) -> bool:
    """Whether a tensor is spread over devices.

    Args:
        input (Tensor): the tensor

    Returns:
        False

    Example:
        >>> torch.is_distributed(torch.ones(1))
        False
    """
    if not isinstance(input, torch.Tensor):
        raise TypeError(f"is_distributed(): expected input to be a Tensor, got {type(input).__name__}")
    return False


def is_same_size(input: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether two tensors have the same shape.

    Args:
        input (Tensor): one
        other (Tensor): the other

    Returns:
        whether they have

    Example:
        >>> torch.is_same_size(torch.ones(2, 3), torch.ones(3, 2))
        False
    """
    return input.shape == other.shape


def is_vulkan_available() -> bool:
    """Whether this build runs on Vulkan.

    Returns:
        False

    Example:
        >>> torch.is_vulkan_available()
        False
    """
    return False


def init_num_threads() -> None:
    """Set the number of threads to the one that this process began with.

    Example:
        >>> torch.init_num_threads()
    """
    _C.set_num_threads(_threads_at_start)


_threads_at_start = _C.get_num_threads()


for _value in list(globals().values()):
    if getattr(_value, "__module__", "") == __name__:
        _value.__module__ = "torch"
