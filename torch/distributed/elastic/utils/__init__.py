"""Small things that agents and their programs share."""

from torch import _lazy

_places = dict.fromkeys(("get_env_variable_or_raise", "get_socket_with_port", "macros"), f"{__name__}.api")

__all__ = [*_places]

__getattr__, __dir__ = _lazy.lazy(__name__, ["api", "data", "distributed", "log_level", "logging", "store"], _places)
