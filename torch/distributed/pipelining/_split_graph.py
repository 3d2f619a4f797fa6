"""A graph cut into stages at its calls of `pipe_split`, and which stage gets which values from which."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from torch import nn
from torch.fx import Graph, GraphModule, Node

PREFIX = "submod_pp_"


def split_graph(root: nn.Module, graph: Graph, marker: Callable[..., Any]) -> tuple[GraphModule, int]:
    """The graph as a module of stages, `submod_pp_0` and so on, and their number.

    It is cut at the calls of `marker`. A value that stages need is computed in one of them. Parameters and buffers are in each
    stage that uses them.
    """
    part: dict[Node, int] = {}
    current = 0
    for node in graph.nodes:
        if node.op == "call_function" and node.target is marker:
            current += 1
        elif _is_item(node) and node.args[0] in part:
            part[node] = part[node.args[0]]  # what is sent is an item, not all of them
        elif node.op != "get_attr":
            part[node] = current
    count = current + 1
    given: list[dict[Node, None]] = [{} for _ in range(count)]  # to each part, in order
    kept: list[dict[Node, None]] = [{} for _ in range(count)]  # what it gives others
    for node, k in part.items():
        for value in node.all_input_nodes:
            if value in part and part[value] != k:
                given[k][value] = kept[part[value]][value] = None
    stages = {f"{PREFIX}{k}": _stage(root, k, part, list(given[k]), list(kept[k]), k == current) for k in range(count)}
    return GraphModule(stages, _whole(graph, given, kept)), count


def _is_item(node: Node) -> bool:
    return node.op == "call_function" and node.target is operator.getitem and not isinstance(node.args[1], Node)


def _stage(root: nn.Module, k: int, part: dict[Node, int], given: list[Node], kept: list[Node], is_last: bool) -> GraphModule:
    graph = Graph()
    made: dict[Node, Node] = {}
    for value in given:
        made[value] = graph.placeholder(value.name)

    def new(value: Node) -> Node:
        if value not in made and value.op == "get_attr":
            made[value] = graph.get_attr(value.target)
        return made[value]

    for node in [n for n, p in part.items() if p == k]:
        if node.op != "output":
            made[node] = graph.node_copy(node, new)
        else:
            graph.output(_mapped(node.args[0], new))
    if not is_last:
        graph.output(made[kept[0]] if len(kept) == 1 else tuple(made[value] for value in kept))
    return GraphModule(root, graph)


def _mapped(value: Any, new: Callable[[Node], Node]) -> Any:
    from torch.fx.node import map_arg

    return map_arg(value, new)


def _whole(graph: Graph, given: list[dict[Node, None]], kept: list[dict[Node, None]]) -> Graph:
    """The graph that calls the stages one after the other."""
    whole, call = Graph(), None
    made: dict[Node, Node] = {}
    inputs = [whole.node_copy(node) for node in graph.nodes if node.op == "placeholder"]
    for k, values in enumerate(given):
        call = whole.call_module(f"{PREFIX}{k}", tuple(inputs if k == 0 else [made[v] for v in values]))
        for place, value in enumerate(kept[k]):
            made[value] = call if len(kept[k]) == 1 else whole.call_function(operator.getitem, (call, place))
    whole.output(call)
    return whole


def routes(graph: Graph, stage: int) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
    """By stage: which arguments of `stage` it sends, and which results of `stage` it gets."""
    sources: dict[int, list[int]] = {}
    targets: dict[int, list[int]] = {}
    for node in graph.nodes:
        if node.op != "call_module":
            continue
        own = int(str(node.target).removeprefix(PREFIX))
        for place, value in enumerate(node.args):
            if value.op == "placeholder":
                continue
            producer, index = (value.args[0], value.args[1]) if _is_item(value) else (value, 0)
            other = int(str(producer.target).removeprefix(PREFIX))
            if own == stage:
                sources.setdefault(other, []).append(place)
            elif other == stage:
                targets.setdefault(own, []).append(index)
    return sources, targets
