"""ProcessGroupGloo with the functions of its class."""

from __future__ import annotations

from typing import Any

from torch._C import _distributed_c10d as _c10d
from torch._C._distributed_c10d import ProcessGroupGloo


def create_device(hostname: str = "", interface: str = "", lazy_init: bool | None = None) -> Any:
    """Where Gloo listens, for `ProcessGroupGloo._Options`.

    Args:
        hostname (str, optional): a name of this machine
        interface (str, optional): a network interface
        lazy_init (bool, optional): of no effect

    Returns:
        a device
    """
    return _c10d._gloo_device(interface, hostname)


def create_default_device(lazy_init: bool | None = None) -> Any:
    """The loopback device.

    Args:
        lazy_init (bool, optional): of no effect

    Returns:
        a device
    """
    return _c10d._gloo_device("", "127.0.0.1")


ProcessGroupGloo.create_device = staticmethod(create_device)
ProcessGroupGloo.create_default_device = staticmethod(create_default_device)
