"""Replaces the targets of nodes, and tells sizes of values."""

from __future__ import annotations

from typing import Any, NamedTuple

from torch.fx.graph_module import GraphModule
from torch.fx.node import Node
from torch.fx.passes.shape_prop import ShapeProp

__all__ = ["replace_target_nodes_with", "size_bytes", "get_size_of_all_nodes", "get_tensor_meta", "get_size_of_node"]


class size_bytes(NamedTuple):
    """Bytes of a value, and with those of the parameters that compute it."""

    output_size: int
    total_size: int


def replace_target_nodes_with(fx_module: GraphModule, old_op: str, old_target: Any, new_op: str, new_target: Any) -> None:
    """Replace the kind and target of nodes.

    Args:
        fx_module (GraphModule): whose graph is changed
        old_op (str): the kind
        old_target (Callable or str): the target
        new_op (str): the new kind
        new_target (Callable or str): the new target
    """
    for node in fx_module.graph.nodes:
        if node.op == old_op and node.target == old_target:
            with fx_module.graph.inserting_before(node):
                made = fx_module.graph.create_node(new_op, new_target, node.args, dict(node.kwargs), node.name, node.type)
            node.replace_all_uses_with(made)
            fx_module.graph.erase_node(node)
    fx_module.recompile()


def get_tensor_meta(node: Node) -> Any:
    """What ShapeProp noted down of a node.

    Raises:
        RuntimeError: it did not run
    """
    found = node.meta.get("tensor_meta")
    if not found:
        raise RuntimeError(f"get_tensor_meta: {node} has no tensor_meta; run ShapeProp first")
    return found


def get_size_of_node(fx_module: GraphModule, node: Node) -> size_bytes:
    """The sizes of a node's value.

    Args:
        fx_module (GraphModule): which has the node
        node (Node): the node, of one tensor

    Returns:
        the sizes
    """
    meta = get_tensor_meta(node)
    output = meta.shape.numel() * meta.dtype.itemsize
    total = output
    if node.op == "call_module":
        total += sum(p.numel() * p.element_size() for p in fx_module.get_submodule(str(node.target)).parameters())
    return size_bytes(output, total)


def get_size_of_all_nodes(fx_module: GraphModule, args: list[Any] | None = None) -> None:
    """Set `size_bytes` of all nodes.

    Args:
        fx_module (GraphModule): whose graph it is
        args (list, optional): inputs, to run ShapeProp with
    """
    if args is not None:
        ShapeProp(fx_module).propagate(*args)
    for node in fx_module.graph.nodes:
        if node.op == "output":
            break
        node.size_bytes = get_size_of_node(fx_module, node)
