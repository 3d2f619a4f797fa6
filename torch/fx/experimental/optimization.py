"""Changes a model for inference: batch norms folded into convolutions, dropout removed."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any

from torch import nn
from torch.fx._symbolic_trace import Tracer, symbolic_trace
from torch.fx.graph import Graph
from torch.fx.graph_module import GraphModule
from torch.fx.node import Node
from torch.fx.passes.shape_prop import ShapeProp  # noqa: F401
from torch.nn.utils.fusion import fuse_conv_bn_eval

__all__ = [
    "matches_module_pattern", "replace_node_module", "fuse", "remove_dropout", "extract_subgraph", "reset_modules", "UnionFind",
    "optimize_for_inference",
]  # fmt: skip


def _parent_name(target: str) -> tuple[str, str]:
    """The path of the parent, and the name in it."""
    parent, _, name = target.rpartition(".")
    return parent, name


def matches_module_pattern(pattern: Iterable[type], node: Node, modules: dict[str, Any]) -> bool:
    """Whether a node calls a module of the last of two classes with the result of one of the first.

    Args:
        pattern (Iterable[type]): the classes
        node (Node): the node
        modules (dict): the modules by path

    Returns:
        whether it does
    """
    if not node.args:
        return False
    for expected, current in zip(pattern, (node.args[0], node)):
        if not isinstance(current, Node) or current.op != "call_module" or not isinstance(current.target, str):
            return False
        if type(modules.get(current.target)) is not expected:
            return False
    return True


def replace_node_module(node: Node, modules: dict[str, Any], new_module: nn.Module) -> None:
    """Put another module in place of the one that a node calls.

    Args:
        node (Node): the node
        modules (dict): the modules by path, of which one is replaced
        new_module (Module): the other module
    """
    parent, name = _parent_name(str(node.target))
    modules[str(node.target)] = new_module
    setattr(modules[parent], name, new_module)


def fuse(model: nn.Module, inplace: bool = False, no_trace: bool = False) -> nn.Module:
    """Fold batch norms into the convolutions before them, which computes the same in evaluation mode.

    Args:
        model (Module): the model, in evaluation mode
        inplace (bool, default False): change it instead of a copy
        no_trace (bool, default False): it is a GraphModule already

    Returns:
        the GraphModule

    Example:
        >>> from torch.fx.experimental.optimization import fuse
        >>> model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2)).eval()
        >>> [name for name, _ in fuse(model).named_children()]
        ['0']
    """
    patterns = [(nn.Conv1d, nn.BatchNorm1d), (nn.Conv2d, nn.BatchNorm2d), (nn.Conv3d, nn.BatchNorm3d)]
    if not inplace:
        model = copy.deepcopy(model)
    traced: Any = model if no_trace and isinstance(model, GraphModule) else symbolic_trace(model)
    modules = dict(traced.named_modules())
    graph = copy.deepcopy(traced.graph)
    for pattern in patterns:
        for node in list(graph.nodes):
            if not matches_module_pattern(pattern, node, modules) or len(node.args[0].users) > 1:
                continue
            convolution, norm = modules[node.args[0].target], modules[node.target]
            if not norm.track_running_stats:
                continue
            replace_node_module(node.args[0], modules, fuse_conv_bn_eval(convolution, norm))
            node.replace_all_uses_with(node.args[0])
            graph.erase_node(node)
    return GraphModule(traced, graph, type(model).__name__ if isinstance(model, GraphModule) else "GraphModule")


def remove_dropout(model: nn.Module) -> nn.Module:
    """The model without its dropout modules.

    Args:
        model (Module): the model

    Returns:
        the GraphModule
    """
    from torch.fx.interpreter import Transformer

    class WithoutDropout(Transformer):
        def call_module(self, target: Any, args: Any, kwargs: Any) -> Any:
            if isinstance(self.submodules[target], nn.Dropout):
                return args[0]
            return super().call_module(target, args, kwargs)

    return WithoutDropout(symbolic_trace(model)).transform()


def extract_subgraph(orig_module: nn.Module, nodes: list[Node], inputs: list[Node], outputs: list[Node]) -> GraphModule:
    """A module of some nodes of a graph.

    Args:
        orig_module (Module): which has what they name
        nodes (list[Node]): the nodes
        inputs (list[Node]): what becomes the inputs
        outputs (list[Node]): what is returned

    Returns:
        the module
    """
    graph, made = Graph(), {}
    for node in inputs:
        made[node] = graph.placeholder(node.name)
    for node in nodes:
        made[node] = graph.node_copy(node, lambda used: made[used])
    graph.output([made[node] for node in outputs])
    graph.lint()
    return GraphModule(orig_module, graph)


def reset_modules(nodes: Iterable[Node], modules: dict[str, Any], old_modules: dict[Any, Any]) -> None:
    """Put back the modules that were replaced.

    Args:
        nodes (Iterable[Node]): which call them
        modules (dict): the modules by path
        old_modules (dict): {new: old}
    """
    for node in nodes:
        if node.op == "call_module":
            current = modules[str(node.target)]
            if current in old_modules:
                replace_node_module(node, modules, old_modules[current])


class UnionFind:
    """Sets that are joined, of the numbers below n.

    Args:
        n (int): how many
    """

    def __init__(self, n: int) -> None:
        self.parent: list[int | None] = [None] * n
        self.size = [0] * n

    def make_set(self, v: int) -> None:
        """Make a set of one number."""
        self.parent[v], self.size[v] = v, 1

    def find(self, v: int) -> int:
        """The number that stands for the set of one."""
        path = []
        while self.parent[v] != v:
            path.append(v)
            above = self.parent[v]
            if above is None:
                raise AssertionError(f"UnionFind.find: {v} is in no set")
            v = above
        for each in path:
            self.parent[each] = v
        return v

    def join(self, a: int, b: int) -> int | None:
        """Join the sets of two numbers; returns the number that stands for both."""
        a, b = self.find(a), self.find(b)
        if a == b:
            return a
        if self.size[a] < self.size[b]:
            a, b = b, a
        self.parent[b] = a
        self.size[a] += self.size[b]
        return a


def optimize_for_inference(model: nn.Module, pass_config: dict[str, Any] | None = None,
                           tracer: type[Tracer] = Tracer) -> nn.Module:  # fmt: skip
    """The model with batch norms folded and dropout removed.

    Args:
        model (Module): the model, in evaluation mode
        pass_config (dict, optional): {"conv_bn_fuse": bool, "remove_dropout": bool}
        tracer (type): that records it

    Returns:
        the GraphModule
    """
    config = {"conv_bn_fuse": True, "remove_dropout": True, **(pass_config or {})}
    if tracer is not Tracer:
        recorder = tracer()
        model = GraphModule(model, recorder.trace(model), type(model).__name__)
    if config["conv_bn_fuse"]:
        model = fuse(model)
    if config["remove_dropout"]:
        model = remove_dropout(model)
    return model
