"""Devices in a grid, which need the distributed package."""

from torch.distributed import DeviceMesh, init_device_mesh  # noqa: F401
