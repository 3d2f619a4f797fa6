"""Names of torch.distributed.fsdp under the name of the module that PyTorch has them in."""

from torch.distributed.fsdp import *  # noqa: F401,F403
