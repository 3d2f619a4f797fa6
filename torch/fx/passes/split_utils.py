"""Makes modules out of parts of graphs."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx._attributes import _get_attr
from torch.fx.graph import Graph
from torch.fx.graph_module import GraphModule

__all__ = ["getattr_recursive", "setattr_recursive", "HolderModule", "lift_subgraph_as_module"]


def getattr_recursive(obj: Any, name: str) -> Any:
    """The attribute at a dotted path, or None."""
    for part in name.split("."):
        if not hasattr(obj, part):
            return None
        obj = getattr(obj, part)
    return obj


def setattr_recursive(obj: Any, attr: str, value: Any) -> None:
    """Set the attribute at a dotted path."""
    path, _, name = attr.rpartition(".")
    setattr(getattr_recursive(obj, path) if path else obj, name, value)


class HolderModule(torch.nn.Module):
    """A module that only has others.

    Args:
        d (dict): the others, by name
    """

    def __init__(self, d: dict[str, torch.nn.Module]) -> None:
        super().__init__()
        for name, module in d.items():
            self.add_module(name, module)


def lift_subgraph_as_module(gm: GraphModule, subgraph: Graph, comp_name: str = "",
                            class_name: str = "GraphModule") -> tuple[GraphModule, dict[str, str]]:  # fmt: skip
    """A module of a graph whose nodes name attributes of another module.

    Args:
        gm (GraphModule): the other module
        subgraph (Graph): the graph
        comp_name (str, default ""): path of the new module in the other
        class_name (str, default "GraphModule"): of the new one

    Returns:
        the module, and {path there: path in the other}
    """
    root = HolderModule({})
    paths: dict[str, str] = {}
    for node in subgraph.nodes:
        if node.op not in ("call_module", "get_attr"):
            continue
        target = str(node.target)
        current: torch.nn.Module = root
        *path, name = target.split(".")
        for part in path:
            if not hasattr(current, part):
                current.add_module(part, HolderModule({}))
            current = getattr(current, part)
        setattr(current, name, _get_attr(gm, target))
        paths[f"{comp_name}.{target}" if comp_name else target] = target
    return GraphModule(root, subgraph, class_name), paths
