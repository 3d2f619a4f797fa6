"""split_module: groups the nodes of a graph into modules of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.fx._attributes import _get_attr
from torch.fx.graph import Graph
from torch.fx.graph_module import GraphModule
from torch.fx.node import Node, map_arg

__all__ = ["Partition", "split_module", "split_module_simple"]

_STAYS = ("placeholder", "get_attr", "output")


class Partition:
    """The nodes that become one module.

    Args:
        name (str): by which the callback called it
    """

    def __init__(self, name: str) -> None:
        self.name, self.submod_name = name, f"submod_{name}"
        self.node_names: list[str] = []
        self.inputs: dict[str, Node] = {}
        self.outputs: dict[str, Node] = {}
        self.dependencies: dict[str, None] = {}
        self.dependents: dict[str, None] = {}
        self.graph = Graph()
        self.environment: dict[Node, Node] = {}
        self.targets: dict[str, Any] = {}

    def __repr__(self) -> str:
        return f"Partition({self.name}: nodes {self.node_names}, inputs {list(self.inputs)}, outputs {list(self.outputs)})"


def split_module(m: GraphModule, root_m: torch.nn.Module | None, split_callback: Callable[[Node], Any],
                 qualname_map: dict[str, str] | None = None, keep_original_order: bool | None = False,
                 keep_original_node_name: bool | None = False, keep_original_input_name: bool = True, *,
                 partition_affix: str | None = None) -> GraphModule:  # fmt: skip
    """Group the nodes of a graph into modules.

    Args:
        m (GraphModule): whose graph it is
        root_m (Module, optional): of no effect
        split_callback (Callable): gets a node, and returns the number or the name of its group
        qualname_map (dict, optional): gets the old paths of attributes by their new ones
        keep_original_order (bool, default False): groups stay in the order in which they first occur
        keep_original_node_name (bool, default False): nodes keep their names
        keep_original_input_name (bool, default True): inputs of groups are called like the values they get
        partition_affix (str, optional): part of the names of the new modules

    Returns:
        a module that calls `submod_GROUP`, which are GraphModules

    Raises:
        RuntimeError: groups depend on each other in a circle

    Example:
        >>> from torch.fx.passes.split_module import split_module
        >>> module = torch.fx.symbolic_trace(lambda x: (x + 1) * 2)
        >>> split = split_module(module, None, lambda node: 0 if node.name == "add" else 1)
        >>> [name for name, _ in split.named_children()], split(3)
        (['submod_0', 'submod_1'], 8)
    """
    partitions: dict[str, Partition] = {}
    group: dict[Node, str] = {}
    for node in m.graph.nodes:
        if node.op in _STAYS:
            continue
        name = str(split_callback(node))
        group[node] = name
        if name not in partitions:
            partitions[name] = made = Partition(name)
            if partition_affix is not None:
                made.submod_name = "_".join(["submod", partition_affix, name])
        partitions[name].node_names.append(node.name)
    _connect(m.graph, group, partitions)
    order = list(partitions) if keep_original_order and _is_in_order(partitions) else _sorted(partitions)
    for partition in partitions.values():
        for name, node in partition.inputs.items():
            made_node = partition.graph.placeholder(name if keep_original_input_name else f"arg_{len(partition.environment)}",
                                                    type_expr=node.type)  # fmt: skip
            made_node.meta = node.meta.copy()
            partition.environment[node] = made_node
    for node in m.graph.nodes:
        if node in group:
            _copy_node(m, partitions[group[node]], node, qualname_map, bool(keep_original_node_name))
    return _stitch(m, partitions, order, group)


def _connect(graph: Graph, group: dict[Node, str], partitions: dict[str, Partition]) -> None:
    """Find what each group takes from outside, and what others take from it."""

    def use(used: Node, user: Node) -> Node:
        source, target = group.get(used), group.get(user)
        if source == target:
            return used
        if source is not None:
            partitions[source].outputs.setdefault(used.name, used)
            if target is not None:
                partitions[source].dependents.setdefault(target)
                partitions[target].dependencies.setdefault(source)
        if target is not None:
            partitions[target].inputs.setdefault(used.name, used)
        return used

    for node in graph.nodes:
        map_arg((node.args, node.kwargs), lambda used, node=node: use(used, node))


def _is_in_order(partitions: dict[str, Partition]) -> bool:
    seen: set[str] = set()
    for name, partition in partitions.items():
        if not partition.dependencies.keys() <= seen:
            return False
        seen.add(name)
    return True


def _sorted(partitions: dict[str, Partition]) -> list[str]:
    """The groups, each behind those that it depends on."""
    waiting = {name: set(partition.dependencies) for name, partition in partitions.items()}
    order: list[str] = []
    ready = [name for name, needs in waiting.items() if not needs]
    while ready:
        name = ready.pop(0)
        order.append(name)
        for dependent in partitions[name].dependents:
            waiting[dependent].discard(name)
            if not waiting[dependent]:
                ready.append(dependent)
    if len(order) != len(partitions):
        circle = sorted(set(partitions) - set(order))
        raise RuntimeError(f"split_module: there is a cycle between the groups {', '.join(circle)}")
    return order


def _copy_node(m: GraphModule, partition: Partition, node: Node, qualname_map: dict[str, str] | None, keep_name: bool) -> None:
    def inner(used: Node) -> Node:
        return partition.environment[used]

    target = node.target
    if node.op == "call_module":
        parts = str(target).split(".")
        target = parts[0] if len(parts) == 1 else "_".join(parts)
        partition.targets[target] = _get_attr(m, str(node.target))
        if qualname_map is not None:
            qualname_map[f"{partition.submod_name}.{target}"] = str(node.target)
    made = partition.graph.create_node(
        node.op, target, map_arg(node.args, inner), dict(map_arg(node.kwargs, inner)), node.name if keep_name else None, node.type
    )
    made.meta = node.meta.copy()
    partition.environment[node] = made


def _stitch(m: GraphModule, partitions: dict[str, Partition], order: list[str], group: dict[Node, str]) -> GraphModule:
    """The graph that calls the groups."""
    graph, environment = Graph(), {}
    base: dict[str, Any] = {}
    for node in m.graph.nodes:
        if node.op in ("placeholder", "get_attr"):
            if node.op == "placeholder":
                default = {"default_value": node.args[0]} if node.args else {}
                made = graph.placeholder(str(node.target), type_expr=node.type, **default)
            else:
                made = graph.get_attr(str(node.target))
                base[str(node.target)] = _get_attr(m, str(node.target))
            made.meta = node.meta.copy()
            environment[node] = made
    for name in order:
        partition = partitions[name]
        outputs = [partition.environment[node] for node in partition.outputs.values()]
        partition.graph.output(outputs[0] if len(outputs) == 1 else tuple(outputs))
        base[partition.submod_name] = GraphModule(partition.targets, partition.graph)
        called = graph.call_module(partition.submod_name, tuple(environment[node] for node in partition.inputs.values()))
        if len(outputs) == 1:
            environment[next(iter(partition.outputs.values()))] = called
        elif outputs:
            import operator

            for k, node in enumerate(partition.outputs.values()):
                environment[node] = graph.call_function(operator.getitem, (called, k))
                environment[node].meta = node.meta.copy()
    output = next((node for node in m.graph.nodes if node.op == "output"), None)
    if output is not None:
        made = graph.output(map_arg(output.args[0], lambda node: environment[node]), type_expr=output.type)
        made.meta = output.meta.copy()
    result = GraphModule(base, graph)
    result.meta.update(m.meta)
    return result


def split_module_simple(m: GraphModule, node_to_partition: dict[Node, int], *, partition_affix: str | None = None) -> GraphModule:
    """The same by a table in place of a function.

    Args:
        m (GraphModule): whose graph it is
        node_to_partition (dict): the group of each node
        partition_affix (str, optional): part of the names of the new modules

    Returns:
        the module
    """
    return split_module(m, None, lambda node: node_to_partition[node], partition_affix=partition_affix)
