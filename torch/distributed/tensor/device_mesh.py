"""The mesh, under another name."""

from torch.distributed.device_mesh import DeviceMesh, init_device_mesh  # noqa: F401
