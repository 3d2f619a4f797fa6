"""What DTensors send."""

from torch import _lazy

__all__ = ["CommDebugMode"]

__getattr__, __dir__ = _lazy.lazy(__name__, (), {"CommDebugMode": f"{__name__}._comm_mode"})
