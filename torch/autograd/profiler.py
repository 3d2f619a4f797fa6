"""torch.autograd.profiler: where a part of a program spends its time."""

from torch import _lazy
from torch.autograd.profiler_util import DeviceType as DeviceType
from torch.autograd.profiler_util import EventList, FunctionEvent, MemRecordsAcc
from torch.profiler._absent import EnforceUnique, emit_itt, load_nvprof, parse_nvprof_trace
from torch.profiler._collect import profile
from torch.profiler._config import ProfilerActivity as ProfilerActivity
from torch.profiler._nvtx import emit_nvtx
from torch.profiler._record import KinetoStepTracker, record_function

__all__ = [
    "EnforceUnique",
    "EventList",
    "FunctionEvent",
    "KinetoStepTracker",
    "MemRecordsAcc",
    "emit_itt",
    "emit_nvtx",
    "load_nvprof",
    "parse_nvprof_trace",
    "profile",
    "record_function",
]

for _name in __all__:
    if globals()[_name].__module__.startswith("torch.profiler._"):
        globals()[_name].__module__ = __name__

_lazy.names_what_is_absent(__name__)
