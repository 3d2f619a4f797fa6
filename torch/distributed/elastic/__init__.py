"""What torchrun is made of: agents that watch the workers of one machine, and machines that meet."""

from torch import _lazy

_MODULES = "agent events metrics multiprocessing rendezvous timer utils"

__getattr__, __dir__ = _lazy.lazy(__name__, _MODULES.split())
