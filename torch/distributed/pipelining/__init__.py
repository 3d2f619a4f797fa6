"""Modules cut into stages, which run one after another on several processes, each with its part of a batch."""

from __future__ import annotations

from torch import _lazy
from torch.distributed import is_available as _is_available

_SCHEDULES = (
    "ScheduleGPipe Schedule1F1B ScheduleInterleaved1F1B ScheduleLoopedBFS ScheduleInterleavedZeroBubble ScheduleZBVZeroBubble "
    "ScheduleDualPipeV"
)
_FUNCTIONS = "pipe_split pipeline"
_places: dict[str, str] = {}
if _is_available():
    _places.update(dict.fromkeys(_SCHEDULES.split(), f"{__name__}.schedules"))
    _places.update(dict.fromkeys(["PipelineStage", "build_stage"], f"{__name__}.stage"))
    _places.update(dict.fromkeys(["Pipe", "SplitPoint", *_FUNCTIONS.split()], f"{__name__}._pipe"))
else:
    from torch.distributed._not_there import not_there as _not_there

    _missing = _not_there(__name__, globals())
    _missing.refuses(f"{_FUNCTIONS} build_stage")
    _missing.refused_classes(f"PipelineStage Pipe SplitPoint {_SCHEDULES}")

__all__ = ["Pipe", "pipe_split", "SplitPoint", "pipeline", "PipelineStage", "build_stage", *_SCHEDULES.split()]

__getattr__, __dir__ = _lazy.lazy(__name__, ("microbatch", "schedules", "stage") if _is_available() else (), _places)
