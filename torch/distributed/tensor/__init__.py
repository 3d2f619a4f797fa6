"""Tensors that are spread over the processes of a mesh: DTensor, its placements, and factories."""

from __future__ import annotations

from torch import _lazy
from torch.distributed import is_available as _is_available
from torch.distributed.tensor.placement_types import Partial, Placement, Replicate, Shard  # noqa: F401

if _is_available():
    _places = {
        "DTensor": "torch.distributed.tensor._api",
        "distribute_tensor": "torch.distributed.tensor._api",
        "distribute_module": "torch.distributed.tensor._api",
        "DeviceMesh": "torch.distributed.device_mesh",
        "init_device_mesh": "torch.distributed.device_mesh",
        **{name: "torch.distributed.tensor._factories" for name in "empty full ones rand randn zeros".split()},
    }
else:
    from torch.distributed._not_there import not_there as _not_there

    _missing = _not_there(__name__, globals())
    _missing.refused_classes("DTensor DeviceMesh", "A tensor over several processes, or their mesh; there are none.")
    _missing.refuses("distribute_module distribute_tensor empty full ones rand randn zeros")
    _places = {}

__all__ = [
    "DTensor", "distribute_tensor", "distribute_module", "Shard", "Replicate", "Partial", "Placement", "ones", "empty", "full",
    "rand", "randn", "zeros",
]  # fmt: skip

__getattr__, __dir__ = _lazy.lazy(__name__, ("placement_types", "parallel", "experimental", "device_mesh", "debug"), _places)
