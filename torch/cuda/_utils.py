"""What other packages import from PyTorch's module of this name."""

from __future__ import annotations

from typing import Any

import torch
from torch import _utils


def _get_device_index(device: Any, optional: bool = False, allow_cpu: bool = False) -> int:
    """The number of a GPU, given as a device, its name, number or block; that of the current one for others, if `optional`.

    Args:
        device (device, str, int or torch.cuda.device): the GPU
        optional (bool, default False): whether it may be without a number
        allow_cpu (bool, default False): whether the CPU is taken, as -1

    Raises:
        ValueError: it is no GPU, or has no number
    """
    if isinstance(device, int):
        return device
    if isinstance(device, torch.cuda.device):
        return device.idx
    if isinstance(device, (str, torch.device)):
        device = torch.device(device)
        if device.type not in (("cuda", "cpu") if allow_cpu else ("cuda",)):
            raise ValueError(f"Expected a cuda device, but got: {device}")
    return _utils._get_device_index(device, optional, allow_cpu)
