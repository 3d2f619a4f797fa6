"""Timings of small pieces of code that can be compared with each other, and instruction counts by callgrind."""

from torch.utils.benchmark.utils.common import *
from torch.utils.benchmark.utils.compare import *
from torch.utils.benchmark.utils.timer import *
from torch.utils.benchmark.utils.valgrind_wrapper.timer_interface import *
