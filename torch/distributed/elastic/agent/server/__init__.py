"""Agents that run in a process of their own: what a job is made of, and the one that starts local processes."""

from torch import _lazy

_NAMES = "ElasticAgent RunResult SimpleElasticAgent Worker WorkerGroup WorkerSpec WorkerState"
_places = {
    **dict.fromkeys(_NAMES.split(), f"{__name__}.api"),
    "LocalElasticAgent": f"{__name__}.local_elastic_agent",
}

__all__ = [*_places]

__getattr__, __dir__ = _lazy.lazy(__name__, ["api", "local_elastic_agent"], _places)
