"""Which devices the functions of this package accept."""

from __future__ import annotations

import torch

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


def checked(name: str, devices: Sequence[Any]) -> list[torch.device]:
    """The devices, with their numbers, if every one of them is there. A number means a GPU."""
    found = [torch.device("cuda", device) if isinstance(device, int) else torch.device(device) for device in devices]
    if not found:
        raise ValueError(f"{name}: expected one device or more, but got none")
    return [_available(name, device) for device in found]


def _available(name: str, device: torch.device) -> torch.device:
    if device.type not in ("cuda", "xpu", "mps"):
        return device
    count = torch.cuda.device_count() if device.type == "cuda" else 0
    if device.index is None and count:
        return torch.device("cuda", torch.cuda.current_device())
    if (device.index or 0) >= count:
        raise RuntimeError(f"{name}: the device '{device}' is not available; there are {count} GPUs")
    return device
