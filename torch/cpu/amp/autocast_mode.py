"""A module that programs import from; its name is defined in torch.cpu.amp."""

from torch.cpu.amp import autocast  # noqa: F401
