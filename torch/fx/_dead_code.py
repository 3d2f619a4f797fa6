"""Checks a graph, and removes what does nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.fx.node import Node, map_arg


def _lint(graph: Any) -> None:
    """Raise RuntimeError if a graph is not well-formed."""
    seen: set[Node] = set()
    names: set[str] = set()

    def check(used: Node, user: Node) -> None:
        if used.graph is not graph:
            raise RuntimeError(f"{user} uses {used}, which belongs to another graph; node_copy takes arg_transform to replace it")
        if used not in seen:
            raise RuntimeError(f"{user} uses {used} before it is computed; move the one behind the other\n{graph}")

    for node in graph.nodes:
        if node.graph is not graph:
            raise RuntimeError(f"{node} is listed in a graph that it does not belong to")
        map_arg((node.args, node.kwargs), lambda used: check(used, node))
        if node.name in names:
            raise RuntimeError(f"two nodes have the name {node.name}")
        seen.add(node)
        names.add(node.name)
        if node.op in ("call_module", "get_attr") and graph.owning_module is not None:
            _check_target(graph.owning_module, node)


def _check_target(module: Any, node: Node) -> None:
    value, path = module, []
    for part in str(node.target).split("."):
        path.append(part)
        if not hasattr(value, part):
            raise RuntimeError(f"{node} names {node.target!r}, but the owning module has no {'.'.join(path)!r}")
        value = getattr(value, part)
    if node.op == "call_module" and not isinstance(value, torch.nn.Module):
        raise RuntimeError(f"{node} calls {node.target!r}, which is no module but of type {type(value).__name__}")


def _eliminate_dead_code(graph: Any, is_impure_node: Callable[[Node], bool] | None) -> bool:
    """Remove unused nodes, the last first, so that what only they used goes too."""
    graph.lint()
    impure = is_impure_node or _default_impurity
    changed = False
    for node in reversed(graph.nodes):
        if not node.users and not impure(node):
            graph.erase_node(node)
            changed = True
    for node in graph.nodes:
        if node.op == "get_attr" and graph.owning_module is not None:
            inner = getattr(graph.owning_module, str(node.target), None) if "." not in str(node.target) else None
            if type(inner).__name__ == "GraphModule" and hasattr(inner, "graph"):
                changed |= inner.graph.eliminate_dead_code(is_impure_node)
    return changed


def _default_impurity(node: Node) -> bool:
    if node.op == "call_module" and node.graph.owning_module is None:
        return False
    return node.is_impure()
