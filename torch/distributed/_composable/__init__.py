"""Functions that change a module in place, such as `replicate` and `checkpoint`, and `contract`, which makes such functions."""

from torch import _lazy

_places = {
    "contract": f"{__name__}.contract",
    "_get_registry": f"{__name__}.contract",
    "checkpoint": f"{__name__}.checkpoint_activation",
    "replicate": f"{__name__}.replicate",
}

__all__ = ["checkpoint", "contract", "replicate"]

__getattr__, __dir__ = _lazy.lazy(__name__, ["checkpoint_activation", "fsdp"], _places)
