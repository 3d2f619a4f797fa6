"""The machinery to run passes in order."""

from torch import _lazy

__getattr__, __dir__ = _lazy.lazy(__name__, ("partitioner", "pass_base", "pass_manager"))
