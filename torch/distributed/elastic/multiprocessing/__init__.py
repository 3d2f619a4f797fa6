"""Workers of torchrun, and the errors that they end with."""

from torch import _lazy

__getattr__, __dir__ = _lazy.lazy(__name__, ["errors"])
