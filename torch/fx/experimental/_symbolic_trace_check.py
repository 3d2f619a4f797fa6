"""Compares a graph with symbols and the graph that was recorded for the program's own sizes."""

from __future__ import annotations

from typing import Any

from torch.fx.graph_module import GraphModule
from torch.fx.node import Node


def difference(symbolic: GraphModule, reference: GraphModule, sizes: Any) -> str:
    """What differs: another operator, or an argument that has another value for these sizes; "" for graphs that agree."""
    values = sizes.hints()
    places: dict[Node, Node] = {}  # node of the reference -> node of the graph with symbols
    mine = [node for node in symbolic.graph.nodes if not _is_of_sizes(node)]
    theirs = [node for node in reference.graph.nodes if not _is_of_sizes(node)]
    if len(mine) != len(theirs):
        return f"{len(mine)} operators, and {len(theirs)} for the program's sizes"
    for a, b in zip(mine, theirs):
        if a.op != b.op or (a.op == "call_function" and a.target is not b.target):
            return f"{a.target}, and {b.target} for the program's sizes"
        places[b] = a
        if a.op == "get_attr" and not _same_constant(_attribute(symbolic, a.target), _attribute(reference, b.target)):
            return f"the constant {a.target}"
        if _shape(a, values) != _shape(b, values):
            return f"{a.target}: shape {_shape(a, values)}, and {_shape(b, values)} for the program's sizes"
        if a.op not in ("placeholder", "get_attr") and not _same((a.args, a.kwargs), (b.args, b.kwargs), places, values):
            return f"arguments of {a.target}: {a.args}, and {b.args} for the program's sizes"
    return ""


def _is_of_sizes(node: Node) -> bool:
    """Whether a node computes with sizes alone."""
    import torch

    return node.op == "call_function" and isinstance(node.meta.get("val"), (torch.SymInt, torch.SymFloat, torch.SymBool)) and (
        str(node.target) != "aten._local_scalar_dense.default"
    )  # fmt: skip


def _attribute(module: GraphModule, path: Any) -> Any:
    for name in str(path).split("."):
        module = getattr(module, name)
    return module


def _same_constant(a: Any, b: Any) -> bool:
    """Whether two attributes have one value: a tensor of numbers may have been computed out of sizes."""
    import torch

    if a is b or not isinstance(a, torch.Tensor) or not isinstance(b, torch.Tensor):
        return a is b or type(a) is type(b)
    return a.shape == b.shape and a.dtype == b.dtype and (a.is_meta or bool(torch.allclose(a, b, 0, 0, equal_nan=True)))


def _shape(node: Node, values: dict[str, int]) -> Any:
    import torch

    val = node.meta.get("val")
    if not isinstance(val, torch.Tensor):
        return None
    return [size.node.evaluate(values) if isinstance(size, torch.SymInt) else size for size in val.shape]


def _value(item: Any, values: dict[str, int]) -> Any:
    node = getattr(item.meta.get("val"), "node", None) if isinstance(item, Node) else None
    return item if node is None else node.evaluate(values)


def _same(a: Any, b: Any, places: dict[Node, Node], values: dict[str, int]) -> bool:
    if isinstance(a, (tuple, list)):
        return isinstance(b, (tuple, list)) and len(a) == len(b) and all(_same(x, y, places, values) for x, y in zip(a, b))
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(_same(a[k], b[k], places, values) for k in a)
    if isinstance(b, Node) and places.get(b) is a:
        return True
    left, right = _value(a, values), _value(b, values)
    if isinstance(left, Node) or isinstance(right, Node):
        return False
    return bool(left == right) or (left != left and right != right)
