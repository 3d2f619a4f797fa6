"""Algorithms of distributed training."""

from torch import _lazy

__getattr__, __dir__ = _lazy.lazy(__name__, ["ddp_comm_hooks", "join", "model_averaging"])
