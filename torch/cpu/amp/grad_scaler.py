"""A module that programs import from; its name lives in torch.cpu.amp."""

from torch.cpu.amp import GradScaler  # noqa: F401
