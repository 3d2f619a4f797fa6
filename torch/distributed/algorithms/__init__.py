"""Algorithms of distributed training."""

from torch import _lazy

_places = dict.fromkeys(("Join", "JoinHook", "Joinable"), f"{__name__}.join")

__getattr__, __dir__ = _lazy.lazy(__name__, ["_optimizer_overlap", "ddp_comm_hooks", "join", "model_averaging"], _places)
