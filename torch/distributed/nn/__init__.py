"""Collectives with gradients. Modules on other processes need RPC, which is not there."""

from __future__ import annotations

from torch import _lazy
from torch.distributed import is_available as _is_available
from torch.distributed._not_there import not_there as _not_there

_missing = _not_there(__name__, globals())
_missing.refused_classes("RemoteModule", "A module on another process, which needs RPC.")
_FUNCTIONS = "all_gather all_reduce all_to_all all_to_all_single broadcast gather reduce reduce_scatter scatter"
_places: dict[str, str] = {}
if _is_available():
    _places.update(dict.fromkeys(_FUNCTIONS.split(), f"{__name__}.functional"))
    _places.update(ReduceOp="torch.distributed", group="torch.distributed")
else:
    _missing.refuses(_FUNCTIONS)

__getattr__, __dir__ = _lazy.lazy(__name__, ("functional",) if _is_available() else (), _places)
