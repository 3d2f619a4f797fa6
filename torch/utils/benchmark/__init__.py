"""Timings of small pieces of code that can be compared with each other, and instruction counts by callgrind."""

from torch.utils.benchmark.utils.common import *
from torch.utils.benchmark.utils.compare import *
from torch.utils.benchmark.utils.timer import *
from torch.utils.benchmark.utils.valgrind_wrapper.timer_interface import *

_FUZZER = ("Fuzzer", "FuzzedParameter", "FuzzedTensor", "ParameterAlias")


def __getattr__(name):
    if name in _FUZZER:  # on first touch, since it needs NumPy
        from torch.utils.benchmark.utils import fuzzer

        return getattr(fuzzer, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
