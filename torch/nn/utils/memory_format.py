"""Conversion of the weights of convolutions to another order of their elements in memory."""

from __future__ import annotations

import torch

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import TypeVar

    _M = TypeVar("_M", bound=torch.nn.Module)

__all__ = ["convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format"]


def _convert(module: _M, kinds: tuple[type, ...], memory_format: torch.memory_format) -> _M:
    for child in module.modules():
        if isinstance(child, kinds):
            weight = child.weight
            weight.data = weight.detach().clone(memory_format=memory_format)
    return module


def convert_conv2d_weight_memory_format(module: _M, memory_format: torch.memory_format) -> _M:
    """Converts the weights of all Conv2d and ConvTranspose2d of a module, in place.

    With weights in `torch.channels_last`, convolutions also return channels_last tensors.

    Args:
        module (_M): the module
        memory_format (torch.memory_format): `torch.channels_last` or `torch.contiguous_format`

    Returns:
        the module

    Example:
        >>> m = nn.utils.convert_conv2d_weight_memory_format(nn.Conv2d(8, 4, 3), torch.channels_last)
        >>> m.weight.is_contiguous(memory_format=torch.channels_last)
        True
    """
    return _convert(module, (torch.nn.Conv2d, torch.nn.ConvTranspose2d), memory_format)


def convert_conv3d_weight_memory_format(module: _M, memory_format: torch.memory_format) -> _M:
    """Converts the weights of all Conv3d and ConvTranspose3d of a module, in place.

    With weights in `torch.channels_last_3d`, convolutions also return channels_last_3d tensors.

    Args:
        module (_M): the module
        memory_format (torch.memory_format): `torch.channels_last_3d` or `torch.contiguous_format`

    Returns:
        the module

    Example:
        >>> m = nn.utils.convert_conv3d_weight_memory_format(nn.Conv3d(8, 4, 3), torch.channels_last_3d)
        >>> m.weight.is_contiguous(memory_format=torch.channels_last_3d)
        True
    """
    return _convert(module, (torch.nn.Conv3d, torch.nn.ConvTranspose3d), memory_format)
