"""What torchrun is made of: workers of one machine, and machines that meet."""

from torch import _lazy

__getattr__, __dir__ = _lazy.lazy(__name__, ["multiprocessing"])
