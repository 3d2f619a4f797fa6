"""Tensors that are spread over processes, which need the distributed package."""

from torch import _lazy
from torch.distributed._not_there import not_there as _not_there

_missing = _not_there(__name__, globals())
_missing.refused_classes(
    "DTensor DeviceMesh Partial Placement Replicate Shard", "A tensor over several processes, or its layout; there are none."
)
_missing.refuses("distribute_module distribute_tensor empty full ones rand randn zeros")

__getattr__, __dir__ = _lazy.lazy(__name__, ("placement_types", "parallel"))
