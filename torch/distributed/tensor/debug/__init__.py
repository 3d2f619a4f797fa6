"""What DTensors send, and where their parts are."""

from torch import _lazy

__all__ = ["CommDebugMode", "visualize_sharding"]

_places = {"CommDebugMode": f"{__name__}._comm_mode", "visualize_sharding": f"{__name__}._visualize"}

__getattr__, __dir__ = _lazy.lazy(__name__, (), _places)
