"""Optimizers over several processes."""

from __future__ import annotations

from torch import _lazy
from torch.distributed import is_available as _is_available
from torch.distributed._not_there import not_there as _not_there

_missing = _not_there(__name__, globals())
_missing.refused_classes("DistributedOptimizer", "An optimizer of parameters on other processes, which needs RPC.")
_missing.refuses("as_functional_optim", "An optimizer as a function for TorchScript.")
_places: dict[str, str] = {}
if _is_available():
    _places["ZeroRedundancyOptimizer"] = f"{__name__}.zero_redundancy_optimizer"
    _places["PostLocalSGDOptimizer"] = f"{__name__}.post_localSGD_optimizer"
else:
    _missing.refused_classes("ZeroRedundancyOptimizer PostLocalSGDOptimizer")

__all__ = ["as_functional_optim", "DistributedOptimizer", "PostLocalSGDOptimizer", "ZeroRedundancyOptimizer"]

__getattr__, __dir__ = _lazy.lazy(
    __name__, ("zero_redundancy_optimizer", "post_localSGD_optimizer") if _is_available() else (), _places
)
