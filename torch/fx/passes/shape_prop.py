"""ShapeProp: runs a graph, and notes down the shape, dtype and layout of each value."""

from __future__ import annotations

import traceback
from typing import Any, NamedTuple

import torch
from torch.fx.graph_module import GraphModule
from torch.fx.interpreter import Interpreter
from torch.fx.node import Node, map_aggregate

__all__ = ["TensorMetadata", "ShapeProp"]


class TensorMetadata(NamedTuple):
    """What there is to know of a tensor besides its elements."""

    shape: torch.Size
    dtype: torch.dtype
    requires_grad: bool
    stride: tuple[int, ...]
    memory_format: torch.memory_format | None
    is_quantized: bool
    qparams: dict[str, Any]


_FORMATS = (torch.contiguous_format, torch.channels_last, torch.channels_last_3d)


def _extract_tensor_metadata(result: torch.Tensor, include_contiguity: bool = True) -> TensorMetadata:
    """The metadata of a tensor."""
    found = None
    if include_contiguity:
        ranks = {torch.channels_last: 4, torch.channels_last_3d: 5}
        found = next(
            (f for f in _FORMATS if ranks.get(f, result.dim()) == result.dim() and result.is_contiguous(memory_format=f)), None
        )
    stride = result.stride() if result.layout == torch.strided else ()
    return TensorMetadata(result.shape, result.dtype, result.requires_grad, stride, found, False, {})


class ShapeProp(Interpreter):
    """Runs a graph with given inputs, and sets `meta["tensor_meta"]` and `meta["type"]` of its nodes.

    Args:
        gm (GraphModule): whose graph it is
        fake_mode (FakeTensorMode, optional): in which it runs, without touching memory

    Example:
        >>> from torch.fx.passes.shape_prop import ShapeProp
        >>> module = torch.fx.symbolic_trace(nn.Linear(3, 2))
        >>> result = ShapeProp(module).propagate(torch.ones(4, 3))
        >>> module.graph.output_node().args[0].meta["tensor_meta"].shape
        torch.Size([4, 2])
    """

    def __init__(self, gm: GraphModule, fake_mode: Any = None) -> None:
        super().__init__(gm)
        self.fake_mode = fake_mode
        self.real_module = self.module
        if fake_mode is None:
            from torch._subclasses import fake_tensor

            detect = getattr(fake_tensor, "detect_fake_mode", None)
            self.fake_mode = detect() if detect is not None else None

    def run_node(self, n: Node) -> Any:
        """Run a node, and note down what its value is like.

        Args:
            n (Node): the node

        Returns:
            its value
        """
        try:
            if self.fake_mode is not None:
                with self.fake_mode:
                    result = super().run_node(n)
            else:
                result = super().run_node(n)
        except Exception as error:
            traceback.print_exc()
            raise RuntimeError(f"ShapeProp: {n.format_node()} failed with the metadata {n.meta}") from error
        seen = False

        def describe(value: Any) -> Any:
            nonlocal seen
            if not isinstance(value, torch.Tensor):
                return value
            seen = True
            return _extract_tensor_metadata(value)

        meta = map_aggregate(result, describe)
        if seen:
            n.meta["tensor_meta"] = meta
        n.meta["type"] = type(result)
        return result

    def propagate(self, *args: Any) -> Any:
        """Run the graph.

        Args:
            *args (Any): its inputs

        Returns:
            its result
        """
        if self.fake_mode is not None:
            args = tuple(self.fake_mode.from_tensor(a) if isinstance(a, torch.Tensor) else a for a in args)
        return super().run(*args)
