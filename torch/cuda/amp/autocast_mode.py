"""A module that programs import from; its names are defined in torch.cuda.amp."""

from torch.cuda.amp import autocast, custom_bwd, custom_fwd  # noqa: F401
