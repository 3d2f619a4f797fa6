"""Compatibility name: the version class lives in `torch.version`."""

from torch.version import TorchVersion, __version__  # noqa: F401
