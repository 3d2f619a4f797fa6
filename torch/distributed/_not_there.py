"""Fills the modules of the distributed package with names that say that it is not there."""

from __future__ import annotations

from typing import Any

from torch._missing_device import MissingDevice


def not_there(module: str, space: dict[str, Any]) -> MissingDevice:
    """What makes the functions and classes of one module."""
    reason = "this version of torch works in one process; torch.distributed.is_available() is False"
    return MissingDevice(module, space, RuntimeError, reason)
