"""Functions that average the gradients of DistributedDataParallel."""

from torch import _lazy

__getattr__, __dir__ = _lazy.lazy(__name__, ["default_hooks", "powerSGD_hook", "post_localSGD_hook"])
