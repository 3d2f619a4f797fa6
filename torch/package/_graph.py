"""What an exporter knows: nodes (modules and pickles) and which of them needs which."""

from __future__ import annotations

from typing import Any


class Graph:
    """A directed graph whose nodes have attributes, in the order in which they were added."""

    def __init__(self) -> None:
        self.nodes: dict[str, dict[str, Any]] = {}
        self.successors: dict[str, dict[str, None]] = {}
        self.predecessors: dict[str, dict[str, None]] = {}

    def add_node(self, name: str, **attributes: Any) -> None:
        self.successors.setdefault(name, {})
        self.predecessors.setdefault(name, {})
        self.nodes.setdefault(name, {}).update(attributes)

    def add_edge(self, user: str, used: str) -> None:
        self.add_node(user)
        self.add_node(used)
        self.successors[user][used] = None
        self.predecessors[used][user] = None

    def __contains__(self, name: str) -> bool:
        return name in self.nodes

    def reachable(self, start: str, edges: dict[str, dict[str, None]]) -> set[str]:
        """All nodes on a way along `edges` from a node, and the node."""
        if start not in self.nodes:
            raise ValueError(f"the package has no node {start!r}")
        found, waiting = {start}, [start]
        while waiting:
            new = [name for name in edges[waiting.pop()] if name not in found]
            found.update(new)
            waiting.extend(new)
        return found

    def between(self, src: str, dst: str) -> Graph:
        """The part of the graph that is on some way from one node to another."""
        kept = self.reachable(src, self.successors) & self.reachable(dst, self.predecessors)
        part = Graph()
        for user in self.nodes:
            for used in self.successors[user]:
                if user in kept and used in kept:
                    part.add_edge(user, used)
        return part

    def first_path(self, dst: str) -> list[str]:
        """A shortest way to a node from one that nobody needs."""
        path_of: dict[str, list[str]] = {dst: [dst]}
        waiting = [dst]
        for name in waiting:
            if not self.predecessors[name]:
                return path_of[name]
            for user in self.predecessors[name]:
                if user not in path_of:
                    path_of[user] = [user, *path_of[name]]
                    waiting.append(user)
        return path_of[waiting[-1]]

    def to_dot(self) -> str:
        """The graph in the language of Graphviz."""
        lines = [f'"{user}" -> "{used}";' for user in self.nodes for used in self.successors[user]]
        return "\n".join(["digraph G {", "rankdir = LR;", "node [shape=box];", *lines, "}", ""])
