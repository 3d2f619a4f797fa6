"""Workers of torchrun, where their output goes, and the errors that they end with."""

from torch import _lazy

_NAMES = "DefaultLogsSpecs LogsSpecs SignalException Std to_map"
_places = {
    **dict.fromkeys(_NAMES.split(), f"{__name__}.api"),
    **dict.fromkeys(("ProcessFailure",), f"{__name__}.errors"),
}

__all__ = [*_places]

__getattr__, __dir__ = _lazy.lazy(__name__, ["api", "errors"], _places)
