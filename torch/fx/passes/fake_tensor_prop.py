"""FakeTensorProp: runs a graph on tensors without data, and keeps the value of each node."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx.interpreter import Interpreter
from torch.fx.node import Node, map_aggregate

__all__ = ["FakeTensorProp"]


class FakeTensorProp(Interpreter):
    """Runs a graph under FakeTensorMode, and sets `meta["val"]` of its nodes to the fake values.

    Args:
        module (GraphModule): whose graph it is
        mode (FakeTensorMode, optional): by default a new one
    """

    def __init__(self, module: Any, mode: Any = None) -> None:
        super().__init__(module)
        if mode is None:
            from torch._subclasses.fake_tensor import FakeTensorMode

            mode = FakeTensorMode(allow_non_fake_inputs=True)
        self._mode = mode

    def run_node(self, n: Node) -> Any:
        """Run a node, and keep its value."""
        result = super().run_node(n)
        n.meta["val"] = map_aggregate(result, lambda value: value)
        return result

    def propagate(self, *args: Any) -> Any:
        """Run the graph on fake copies of real inputs."""
        fake = [self._mode.from_tensor(a) if isinstance(a, torch.Tensor) else a for a in args]
        return self.propagate_dont_convert_inputs(*fake)

    def propagate_dont_convert_inputs(self, *args: Any) -> Any:
        """Run the graph on inputs that are fake already."""
        with self._mode:
            return super().run(*args)
