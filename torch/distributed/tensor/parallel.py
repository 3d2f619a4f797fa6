"""Modules whose tensors are spread over processes, which need the distributed package."""

from torch.distributed._not_there import not_there as _not_there

_missing = _not_there(__name__, globals())
_missing.refuses("loss_parallel parallelize_module")
_missing.refused_classes(
    "ColwiseParallel ParallelStyle PrepareModuleInput PrepareModuleInputOutput PrepareModuleOutput RowwiseParallel "
    "SequenceParallel"
)
