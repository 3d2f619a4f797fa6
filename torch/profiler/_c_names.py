"""The names of torch._C._profiler."""

from torch.profiler._config import ProfilerActivity, RecordScope, _ExperimentalConfig
from torch.profiler._record import record_function

__all__ = ["ProfilerActivity", "RecordScope", "_ExperimentalConfig", "_RecordFunctionFast"]


class _RecordFunctionFast(record_function):
    """record_function under the name that generated programs use. The values of arguments are not kept."""

    def __init__(self, name, input_values=None, keyword_values=None):
        super().__init__(name)
