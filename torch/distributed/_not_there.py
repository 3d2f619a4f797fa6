"""Functions and classes of the distributed package that say that they are not there."""

from __future__ import annotations

from typing import Any

from torch._missing_device import MissingDevice


def not_there(module: str, space: dict[str, Any]) -> MissingDevice:
    """What makes those of one module."""
    from torch.distributed import is_available

    reason = "this version of torch does not have it yet; docs/distributed.md lists what torch.distributed has"
    if not is_available():
        reason = "this build of torch works in one process; torch.distributed.is_available() is False"
    return MissingDevice(module, space, RuntimeError, reason)
