"""Modules cut into stages, which run one after another on several processes, each with its part of a batch."""

from __future__ import annotations

from torch import _lazy
from torch.distributed import is_available as _is_available
from torch.distributed._not_there import not_there as _not_there

_missing = _not_there(__name__, globals())
_missing.refuses("pipeline pipe_split build_stage", "Cuts a module by tracing it; give PipelineStage the parts instead.")
_missing.refused_classes(
    "Pipe SplitPoint ScheduleInterleavedZeroBubble ScheduleZBVZeroBubble ScheduleDualPipeV",
    "A part of pipelines that is not there.",
)
_SCHEDULES = "ScheduleGPipe Schedule1F1B ScheduleInterleaved1F1B ScheduleLoopedBFS"
_places: dict[str, str] = {}
if _is_available():
    _places.update(dict.fromkeys(_SCHEDULES.split(), f"{__name__}.schedules"))
    _places["PipelineStage"] = f"{__name__}.stage"
else:
    _missing.refused_classes(f"PipelineStage {_SCHEDULES}")

__getattr__, __dir__ = _lazy.lazy(__name__, ("stage", "schedules") if _is_available() else (), _places)
