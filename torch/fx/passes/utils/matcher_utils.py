"""Finds the places of a graph that look like a pattern graph."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.fx._attributes import _get_attr
from torch.fx.graph import Graph
from torch.fx.node import Node

__all__ = ["SubgraphMatcher", "InternalMatch"]


@dataclass
class InternalMatch:
    """One place: what each node of the pattern is there."""

    anchors: list[Node]
    nodes_map: dict[Node, Node] = field(default_factory=dict)
    placeholder_nodes: list[Node] = field(default_factory=list)
    returning_nodes: list[Node] = field(default_factory=list)
    name_node_map: dict[str, Node] = field(default_factory=dict)

    def __copy__(self) -> InternalMatch:
        return InternalMatch(self.anchors, dict(self.nodes_map), list(self.placeholder_nodes), list(self.returning_nodes))


class SubgraphMatcher:
    """Finds the places of a graph that look like a pattern.

    Args:
        pattern (Graph): the pattern
        match_output (bool, default False): the output of the pattern must be that of the graph
        match_placeholder (bool, default False): inputs of the pattern must be inputs of the graph
        remove_overlapping_matches (bool, default True): of places that share nodes, report the first only
        ignore_literals (bool, default False): constants of the pattern match any constants

    Raises:
        ValueError: the pattern has no nodes, or one of its inputs is not used
    """

    def __init__(self, pattern: Graph, match_output: bool = False, match_placeholder: bool = False,
                 remove_overlapping_matches: bool = True, ignore_literals: bool = False) -> None:  # fmt: skip
        self.pattern = pattern
        self.match_output, self.match_placeholder = match_output, match_placeholder
        self.remove_overlapping_matches, self.ignore_literals = remove_overlapping_matches, ignore_literals
        if len(pattern.nodes) == 0:
            raise ValueError("SubgraphMatcher: the pattern has no nodes")
        for node in pattern.nodes:
            if node.op != "output" and not node.is_impure() and not node.users:
                raise ValueError(f"SubgraphMatcher: the pattern does not use {node}")
        self.pattern_placeholder_nodes = [node for node in pattern.nodes if node.op == "placeholder"]
        output = pattern.output_node()
        self.pattern_returning_nodes: list[Node] = output.all_input_nodes
        if match_output:
            self.pattern_anchors = [output]
        else:  # where matching begins: what only the output of the pattern uses
            self.pattern_anchors = [node for node in output.all_input_nodes if len(node.users) == 1]

    def _match_attributes(self, pn: Node, gn: Node) -> bool:
        """Two reads of attributes match if the values do."""
        if pn.graph.owning_module is None or gn.graph.owning_module is None:
            return False
        mine = _get_attr(pn.graph.owning_module, str(pn.target))
        other = _get_attr(gn.graph.owning_module, str(gn.target))
        if type(mine) is not type(other):
            return False
        return isinstance(mine, torch.Tensor) or isinstance(mine, torch.fx.GraphModule)

    def _nodes_are_equal(self, pn: Node, gn: Node, node_name_match: str = "") -> bool:
        """Two nodes match, their arguments aside."""
        if not self.match_placeholder and pn.op == "placeholder":
            return True
        if node_name_match and node_name_match in gn.name:
            return True
        if pn.op != gn.op:
            return False
        if pn.op in ("placeholder", "output"):
            return True
        if pn.op == "get_attr":
            return self._match_attributes(pn, gn)
        if pn.op == "call_module" and pn.graph.owning_module is not None and gn.graph.owning_module is not None:
            modules = dict(pn.graph.owning_module.named_modules()), dict(gn.graph.owning_module.named_modules())
            return type(modules[0].get(str(pn.target))) is type(modules[1].get(str(gn.target)))
        return pn.target == gn.target

    def _is_contained(self, nodes_map: dict[Node, Node]) -> bool:
        """Whether nobody else uses what is computed inside, so that it may be replaced."""
        inside = {gn for pn, gn in nodes_map.items() if pn.op != "placeholder"}
        for pn, gn in nodes_map.items():
            if pn.op == "placeholder" or pn in self.pattern_returning_nodes:
                continue
            if any(user not in inside for user in gn.users):
                return False
        return True

    def _remove_overlapping_matches(self, matches: list[InternalMatch]) -> list[InternalMatch]:
        kept, taken = [], set()
        for match in matches:
            nodes = {gn for pn, gn in match.nodes_map.items() if pn.op not in ("placeholder", "output")}
            if not nodes & taken:
                kept.append(match)
                taken |= nodes
        return kept

    def _match_literals(self, pn: Any, gn: Any, match: InternalMatch) -> bool:
        if isinstance(pn, Node) and isinstance(gn, Node):
            raise AssertionError("_match_literals: one of the two must be a constant")
        if isinstance(pn, Node):
            if pn.op != "placeholder":
                return False
            if pn in match.nodes_map:
                return match.nodes_map[pn] is gn or match.nodes_map[pn] == gn
            match.nodes_map[pn] = gn
            return True
        if isinstance(gn, Node):
            return False
        return self.ignore_literals or type(gn) is type(pn) and gn == pn

    def _match_args(self, pattern: Any, given: Any, match: InternalMatch) -> bool:
        """Two arguments match, containers item by item."""
        if isinstance(pattern, Node) and isinstance(given, Node):
            return self._match_nodes(pattern, given, match)
        if isinstance(pattern, slice) and isinstance(given, slice):
            parts = ("start", "stop", "step")
            return all(self._match_args(getattr(pattern, part), getattr(given, part), match) for part in parts)
        if isinstance(pattern, (list, tuple)) and isinstance(given, (list, tuple)):
            return len(pattern) == len(given) and all(self._match_args(p, g, match) for p, g in zip(pattern, given))
        if isinstance(pattern, dict) and isinstance(given, dict):
            return pattern.keys() == given.keys() and all(self._match_args(pattern[k], given[k], match) for k in pattern)
        return self._match_literals(pattern, given, match)

    def _match_nodes(self, pn: Node, gn: Node, match: InternalMatch, node_name_match: str = "") -> bool:
        """Two nodes match, with all that they depend on; notes down what is what."""
        if pn in match.nodes_map:
            return match.nodes_map[pn] is gn
        if gn in match.nodes_map.values() and pn.op != "placeholder":
            return False
        if not self._nodes_are_equal(pn, gn, node_name_match):
            return False
        saved = copy.copy(match)
        match.nodes_map[pn] = gn
        if pn.op == "placeholder":
            return True
        pattern, given = _normalized(pn, gn)
        if self._match_args(pattern[0], given[0], match) and self._match_args(pattern[1], given[1], match):
            return True
        match.nodes_map = saved.nodes_map
        return False

    def match(self, graph: Graph, node_name_match: str = "") -> list[InternalMatch]:
        """The places of a graph that look like the pattern.

        Args:
            graph (Graph): the graph
            node_name_match (str, default ""): nodes whose names contain it match any node

        Returns:
            the places
        """
        found: list[InternalMatch] = [InternalMatch(anchors=self.pattern_anchors)]
        for anchor in self.pattern_anchors:
            extended = []
            for start in found:
                for node in graph.nodes:
                    attempt = copy.copy(start)
                    if self._nodes_are_equal(anchor, node, node_name_match) and self._match_nodes(
                        anchor, node, attempt, node_name_match
                    ):
                        extended.append(attempt)
            found = extended
        complete = []
        for match in found if self.pattern_anchors else ():
            if self._is_contained(match.nodes_map) and all(pn in match.nodes_map for pn in self.pattern_returning_nodes):
                match.placeholder_nodes = [match.nodes_map[pn] for pn in self.pattern_placeholder_nodes if pn in match.nodes_map]
                match.returning_nodes = [match.nodes_map[pn] for pn in self.pattern_returning_nodes]
                complete.append(match)
        for match in complete:  # the output is no node of the place
            match.nodes_map = {pn: gn for pn, gn in match.nodes_map.items() if pn.op != "output"}
        return self._remove_overlapping_matches(complete) if self.remove_overlapping_matches else complete


def _normalized(pn: Node, gn: Node) -> Any:
    """The arguments of two nodes, with those of operators of torch.ops completed by defaults."""
    schema = getattr(pn.target, "_schema", None)
    if pn.op != "call_function" or schema is None:
        return (list(pn.args), dict(pn.kwargs)), (list(gn.args), dict(gn.kwargs))
    both = []
    for node in (pn, gn):
        values = []
        for k, argument in enumerate(schema.arguments):
            if k < len(node.args) and not argument.kwarg_only:
                values.append(node.args[k])
            else:
                values.append(node.kwargs.get(argument.name, argument.default_value))
        both.append((values, {}))
    return both
