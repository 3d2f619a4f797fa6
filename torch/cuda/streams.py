"""Functions of torch.cuda, under the name of the module that PyTorch has them in."""

from torch.cuda import (  # noqa: F401
    Event,
    ExternalStream,
    Stream,
)
