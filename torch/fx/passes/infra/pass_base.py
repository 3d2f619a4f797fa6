"""PassBase: a pass with checks before and after."""

from __future__ import annotations

import abc
from typing import Any, NamedTuple

__all__ = ["PassResult", "PassBase"]


class PassResult(NamedTuple):
    """What a pass gives: the module, and whether the pass changed it."""

    graph_module: Any
    modified: bool


class PassBase(abc.ABC):
    """A pass. Calling it runs `requires`, `call` and `ensures`."""

    def __call__(self, graph_module: Any) -> PassResult | None:
        self.requires(graph_module)
        result = self.call(graph_module)
        self.ensures(graph_module)
        return result

    @abc.abstractmethod
    def call(self, graph_module: Any) -> PassResult | None:
        """Do the work."""

    def requires(self, graph_module: Any) -> None:  # noqa: B027
        """Check what the pass expects; raises an error where it is not so."""

    def ensures(self, graph_module: Any) -> None:  # noqa: B027
        """Check what the pass promises; raises an error where it is not so."""
