"""Tensors that are spread over processes, which need the distributed package."""

from torch import _lazy
from torch.distributed._not_there import not_there as _not_there
from torch.distributed.tensor.placement_types import Partial, Placement, Replicate, Shard  # noqa: F401

_missing = _not_there(__name__, globals())
_missing.refused_classes("DTensor DeviceMesh", "A tensor over several processes, or their mesh; there are none.")
_missing.refuses("distribute_module distribute_tensor empty full ones rand randn zeros")

__getattr__, __dir__ = _lazy.lazy(__name__, ("placement_types", "parallel"))
