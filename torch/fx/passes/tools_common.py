"""Small helpers of passes: names of targets, and sorting of nodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Union

import torch
from torch.fx.graph_module import GraphModule
from torch.fx.node import Node, _get_qualified_name

__all__ = [
    "get_acc_ops_name", "get_node_target", "is_node_output_tensor", "FxNetAccFusionsFinder", "legalize_graph",
    "stable_topological_sort",
]  # fmt: skip

Tensors = Union[tuple[torch.Tensor], list[torch.Tensor]]  # noqa: UP007
TensorOrTensors = Union[torch.Tensor, Tensors]  # noqa: UP007
NodeList = list[Node]
NodeSet = set[Node]
Names = list[str]
CALLABLE_NODE_OPS = {"call_module", "call_function", "call_method"}


def get_acc_ops_name(k: Any) -> str:
    """The dotted name of a function, with its module shortened to the last part for the acc operators."""
    if isinstance(k, str):
        return k
    if k.__module__ and "acc_ops" in k.__module__:
        return f"acc_ops.{k.__name__}"
    module = k.__module__.replace("torch._ops", "torch.ops")
    return f"{module if module else ''}.{k.__name__}"


def get_node_target(submodules: Mapping[str, torch.nn.Module], node: Node) -> str:
    """The name of what a node calls: the class of a module, the dotted name of a function, the name of a method.

    Args:
        submodules (dict): the modules by path
        node (Node): which calls something

    Returns:
        the name

    Raises:
        AssertionError: the node calls nothing
    """
    if node.op not in CALLABLE_NODE_OPS:
        raise AssertionError(f"get_node_target: expected a node that calls something, got {node.op}")
    if node.op == "call_module":
        module = submodules[str(node.target)]
        return _class_name(module)
    if node.op == "call_function":
        target: Any = node.target
        return f"acc_ops.{target.__name__}" if "acc_ops" in (target.__module__ or "") else _get_qualified_name(target)
    return str(node.target)


def _class_name(module: torch.nn.Module) -> str:
    kind = getattr(module, "_base_class_origin", type(module))
    return get_acc_ops_name(kind)


def is_node_output_tensor(node: Node) -> bool:
    """Whether the value of a node is a tensor, as ShapeProp found; False before it ran."""
    kind = node.meta.get("type", None)
    return kind is not None and issubclass(kind, torch.Tensor)


def stable_topological_sort(gm: GraphModule) -> GraphModule:
    """Bring the nodes of a graph into an order in which each stands behind those that it uses, changing as little as possible.

    Args:
        gm (GraphModule): whose graph is sorted in place

    Returns:
        the module

    Raises:
        AssertionError: nodes depend on each other in a circle
    """
    done: set[Node] = set()
    waiting: dict[Node, list[Node]] = {}
    pending = list(reversed(list(gm.graph.nodes)))
    cursor: Node | None = None
    while pending:
        node = pending.pop()
        if node in done:
            continue
        missing = [used for used in node.all_input_nodes if used not in done]
        if missing:
            waiting.setdefault(missing[-1], []).append(node)
            continue
        done.add(node)
        if cursor is not None and cursor.next is not node:
            cursor.append(node)
        cursor = node
        pending.extend(reversed(waiting.pop(node, ())))
    if waiting:
        raise AssertionError(f"stable_topological_sort: the graph has a circle through {', '.join(map(str, waiting))}")
    return gm


def legalize_graph(gm: GraphModule) -> GraphModule:
    """Bring the nodes of a graph into an order in which each stands behind those that it uses.

    Args:
        gm (GraphModule): whose graph is sorted in place

    Returns:
        the module

    Raises:
        RuntimeError: nodes depend on each other in a circle
    """
    try:
        return stable_topological_sort(gm)
    except AssertionError as error:
        raise RuntimeError(str(error)) from None


class FxNetAccFusionsFinder:
    """Groups the nodes that must stay together because a value between them is no tensor.

    Args:
        module (GraphModule): whose graph it is
        acc_nodes (set): the nodes in question
    """

    def __init__(self, module: GraphModule, acc_nodes: NodeSet) -> None:
        self.module, self.acc_nodes = module, acc_nodes
        self.nodes = list(module.graph.nodes)

    def __call__(self) -> dict[Node, NodeSet]:
        """{node: its group}, for the nodes in groups."""
        groups: dict[Node, NodeSet] = {}
        for node in self.nodes:
            if node.op == "placeholder" or node not in self.acc_nodes or "tensor_meta" in node.meta:
                continue
            together = {node, *(other for other in [*node.users, *node.all_input_nodes] if other in self.acc_nodes)}
            for other in list(together):
                together |= groups.get(other, set())
            for other in together:
                groups[other] = together
        return groups
