"""Optimizers that step while backward goes on."""

from torch import _lazy

_names = ("OverlappedOptimizer", "_as_overlapped_optim", "register_overlapped")

__getattr__, __dir__ = _lazy.lazy(__name__, ["optimizer_overlap"], dict.fromkeys(_names, f"{__name__}.optimizer_overlap"))
