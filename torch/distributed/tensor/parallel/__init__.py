"""Modules spread over processes: tensor and sequence parallelism."""

from __future__ import annotations

from torch import _lazy
from torch.distributed import is_available as _is_available
from torch.distributed.tensor.parallel.loss import loss_parallel

_STYLES = (
    "ColwiseParallel RowwiseParallel SequenceParallel PrepareModuleInput PrepareModuleInputOutput PrepareModuleOutput "
    "ParallelStyle"
)
if _is_available():
    _places = dict.fromkeys(_STYLES.split(), "torch.distributed.tensor.parallel.style")
    _places["parallelize_module"] = "torch.distributed.tensor.parallel.api"
    _modules = ("style", "api", "loss", "input_reshard")
else:
    from torch.distributed._not_there import not_there as _not_there

    _missing = _not_there(__name__, globals())
    _missing.refuses("parallelize_module")
    _missing.refused_classes(_STYLES)
    _places, _modules = {}, ("style", "api", "loss")  # type: ignore[assignment]

__all__ = [
    "ColwiseParallel", "ParallelStyle", "PrepareModuleInput", "PrepareModuleInputOutput", "PrepareModuleOutput",
    "RowwiseParallel", "SequenceParallel", "loss_parallel", "parallelize_module",
]  # fmt: skip

__getattr__, __dir__ = _lazy.lazy(__name__, _modules, _places)
