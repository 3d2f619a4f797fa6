"""Which devices the functions of this package accept."""

from __future__ import annotations

import torch

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


def checked(name: str, devices: Sequence[Any]) -> list[torch.device]:
    """The devices, if every one of them is there. A number means a GPU."""
    found = [torch.device("cuda", device) if isinstance(device, int) else torch.device(device) for device in devices]
    if not found:
        raise ValueError(f"{name}: expected one device or more, but got none")
    for device in found:
        if device.type in ("cuda", "xpu", "mps"):
            raise RuntimeError(f"{name}: the device '{device}' is not available; this library has the CPU only")
    return found
