"""Replaces every place of a graph that looks like one graph by another one."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import torch
from torch.fx._attributes import _assign_attr, _get_attr, _has_attr
from torch.fx._symbolic_trace import symbolic_trace
from torch.fx.graph import Graph
from torch.fx.graph_module import GraphModule
from torch.fx.node import Node
from torch.fx.passes.utils.matcher_utils import InternalMatch, SubgraphMatcher

__all__ = ["Match", "replace_pattern", "replace_pattern_with_filters", "ReplacedPatterns"]


class Match(NamedTuple):
    """A place that was replaced: its last node, and what each node of the pattern was there."""

    anchor: Node
    nodes_map: dict[Node, Node]


@dataclass
class ReplacedPatterns:
    """The same, with the nodes that took its place."""

    anchor: Node
    nodes_map: dict[Node, Node]
    replacements: list[Node] = field(default_factory=list)


def replace_pattern(gm: GraphModule, pattern: Any, replacement: Any) -> list[Match]:
    """Replace every place of a graph that looks like the graph of one function by the graph of another.

    Args:
        gm (GraphModule): whose graph is changed
        pattern (Callable or GraphModule): what to look for; its parameters match any values
        replacement (Callable or GraphModule): what takes its place, with the same parameters

    Returns:
        the places

    Example:
        >>> module = torch.fx.symbolic_trace(lambda x: (x + 1).relu())
        >>> places = torch.fx.replace_pattern(module, lambda a: a.relu(), lambda a: torch.tanh(a))
        >>> print(module.code.strip())
        def forward(self, x):
            add = x + 1;  x = None
            tanh = torch.tanh(add);  add = None
            return tanh
    """
    return [Match(anchor=place.anchor, nodes_map=place.nodes_map) for place in _replace_pattern(gm, pattern, replacement)]


def replace_pattern_with_filters(gm: GraphModule, pattern: Any, replacement: Any = None,
                                 match_filters: list[Callable[[InternalMatch, Graph, Graph], bool]] | None = None,
                                 ignore_literals: bool = False,
                                 replacement_callback: Callable[[InternalMatch, Graph, Graph], Graph] | None = None,
                                 node_name_match: str = "") -> list[ReplacedPatterns]:  # fmt: skip
    """Replace only the places that functions accept.

    Args:
        gm (GraphModule): whose graph is changed
        pattern (Callable, Graph or GraphModule): what to look for
        replacement (Callable, Graph or GraphModule, optional): what takes its place
        match_filters (list, optional): functions of the place, the graph and the pattern; all must return True
        ignore_literals (bool, default False): constants of the pattern match any constants
        replacement_callback (Callable, optional): gets the same, and returns the graph that takes the place
        node_name_match (str, default ""): nodes whose names contain it match any node

    Returns:
        the places
    """
    return _replace_pattern(gm, pattern, replacement, match_filters, ignore_literals, replacement_callback, node_name_match)


def _graph_of(source: Any) -> Graph:
    if isinstance(source, GraphModule):
        return source.graph
    return source if isinstance(source, Graph) else symbolic_trace(source).graph


def _replace_pattern(gm: GraphModule, pattern: Any, replacement: Any = None, match_filters: Any = None,
                     ignore_literals: bool = False, replacement_callback: Any = None,
                     node_name_match: str = "") -> list[ReplacedPatterns]:  # fmt: skip
    graph, pattern_graph = gm.graph, _graph_of(pattern)
    matcher = SubgraphMatcher(pattern_graph, remove_overlapping_matches=True, ignore_literals=ignore_literals)
    places = [
        place for place in matcher.match(graph, node_name_match)
        if all(accepts(place, graph, pattern_graph) for accepts in match_filters or ())
    ]  # fmt: skip
    common = _graph_of(replacement) if replacement is not None else None
    if common is None and replacement_callback is None:
        raise AssertionError("replace_pattern_with_filters: either replacement or replacement_callback must be given")
    new_node_of: dict[Node, Node] = {}
    done = []
    for place in places:
        made = common if common is not None else replacement_callback(place, graph, pattern_graph)
        done.append(_replace(graph, place, made, new_node_of))
    gm.recompile()
    if isinstance(replacement, torch.nn.Module):
        _replace_attributes(gm, replacement)
    return done


def _replace(graph: Graph, place: InternalMatch, replacement: Graph, new_node_of: dict[Node, Node]) -> ReplacedPatterns:
    """Put a graph in one place."""
    inputs = [node for node in replacement.nodes if node.op == "placeholder"]
    if len(inputs) != len(place.placeholder_nodes):
        raise AssertionError(
            f"replace_pattern: the pattern has {len(place.placeholder_nodes)} parameters, but the replacement has {len(inputs)}"
        )
    given = [_current(value, new_node_of) for value in place.placeholder_nodes]
    mapping: dict[Node, Any] = dict(zip(inputs, given))
    users = {user for node in place.returning_nodes for user in node.users}
    inside = {gn for pn, gn in place.nodes_map.items() if pn.op != "placeholder"}
    outside = users - inside or users
    position = min(outside) if outside else max(place.returning_nodes).next
    before = set(graph.nodes)
    with graph.inserting_before(position):
        result = graph.graph_copy(replacement, mapping)
    outputs = tuple(_nodes(result))
    replacements = [node for node in graph.nodes if node not in before]
    if len(outputs) != len(place.returning_nodes):
        raise AssertionError(
            f"replace_pattern: the pattern returns {len(place.returning_nodes)} values, but the replacement {len(outputs)}"
        )
    for old, new in zip(place.returning_nodes, outputs):
        old.replace_all_uses_with(new)
        new_node_of[old] = new
    for node in sorted(inside, reverse=True):
        graph.erase_node(node)
    return ReplacedPatterns(place.anchors[0], place.nodes_map, replacements)


def _current(value: Any, new_node_of: dict[Node, Node]) -> Any:
    """What stands for an input of a place after the places before it were replaced."""
    while isinstance(value, Node) and value in new_node_of:
        value = new_node_of[value]
    return value


def _nodes(result: Any) -> list[Node]:
    if isinstance(result, Node):
        return [result]
    if isinstance(result, (list, tuple)):
        return [node for item in result for node in _nodes(item)]
    if isinstance(result, dict):
        return _nodes(list(result.values()))
    return []


def _replace_attributes(gm: GraphModule, replacement: torch.nn.Module) -> None:
    """Give the module what the replacement names and it lacks, and drop what is no longer used."""
    gm.delete_all_unused_submodules()
    if isinstance(replacement, GraphModule):
        replacement.graph.lint()
    for node in gm.graph.nodes:
        if node.op in ("call_module", "get_attr") and not _has_attr(gm, node.target) and _has_attr(replacement, node.target):
            _assign_attr(copy.deepcopy(_get_attr(replacement, node.target)), gm, node.target)
    gm.graph.lint()
