"""Devices in a grid."""

from torch.distributed import DeviceMesh, init_device_mesh  # noqa: F401
