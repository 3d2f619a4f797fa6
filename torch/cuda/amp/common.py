"""A module that programs import from; its names are defined in torch.cuda.amp."""

from torch.cuda.amp import amp_definitely_not_available  # noqa: F401
