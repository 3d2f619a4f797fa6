"""Layouts of tensors that are spread over processes."""

from torch.distributed._not_there import not_there as _not_there
from torch.distributed.tensor import Partial, Placement, Replicate, Shard  # noqa: F401

_missing = _not_there(__name__, globals())
_missing.refused_classes("_StridedShard")
