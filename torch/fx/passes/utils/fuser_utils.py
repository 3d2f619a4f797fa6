"""Moves groups of nodes into modules of their own."""

from __future__ import annotations

import operator
from typing import Any

from torch.fx.graph import Graph
from torch.fx.graph_module import GraphModule
from torch.fx.node import Node
from torch.fx.passes.split_utils import lift_subgraph_as_module
from torch.fx.passes.tools_common import legalize_graph


def topo_sort(nodes: list[Node]) -> list[Node]:
    """The nodes, each behind those of them that it uses."""
    chosen, done, order = set(nodes), set(), []
    pending = list(reversed(nodes))
    while pending:
        node = pending[-1]
        missing = [used for used in node.all_input_nodes if used in chosen and used not in done]
        if missing and node not in done:
            if len(pending) > len(nodes) * len(nodes) + len(nodes):
                raise AssertionError("topo_sort: the nodes depend on each other in a circle")
            pending.extend(reversed(missing))
            continue
        pending.pop()
        if node not in done:
            done.add(node)
            order.append(node)
    return order


def validate_partition(partition: list[Node]) -> bool:
    """Whether a group can be one node: no way leads out of it and back into it."""
    inside = set(partition)
    pending = [user for node in partition for user in node.users if user not in inside]
    seen: set[Node] = set()
    while pending:
        node = pending.pop()
        if node in inside:
            return False
        if node not in seen:
            seen.add(node)
            pending.extend(node.users)
    return True


def fuse_as_graphmodule(gm: GraphModule, nodes: list[Node], module_name: str, partition_lookup_table: Any = None, *,
                        always_return_tuple: bool = False) -> tuple[GraphModule, tuple[Node, ...], tuple[Node, ...]]:  # fmt: skip
    """A module of a group of nodes.

    Args:
        gm (GraphModule): which has them
        nodes (list[Node]): the group, in order
        module_name (str): of the class of the new module
        partition_lookup_table (dict, optional): the group, for faster tests
        always_return_tuple (bool, default False): return a tuple even of one value

    Returns:
        the module, the values that it takes, and those that it gives
    """
    for node in nodes:
        if node.graph.owning_module is not gm or node._erased:
            raise AssertionError(f"fuse_as_graphmodule: {node} is no node of the module")
    if not validate_partition(nodes):
        raise AssertionError("fuse_as_graphmodule: the nodes and others depend on each other in a circle")
    inside = set(nodes)
    graph, mapping = Graph(), {}
    inputs: dict[Node, Node] = {}

    def inner(used: Node) -> Node:
        if used in inside:
            return mapping[used]
        if used.op == "get_attr":
            if used not in mapping:
                mapping[used] = graph.node_copy(used)
            return mapping[used]
        if used not in inputs:
            inputs[used] = graph.placeholder(used.name)
            inputs[used].meta = used.meta.copy()
        return inputs[used]

    for node in nodes:
        mapping[node] = graph.node_copy(node, inner)
    outputs = [node for node in nodes if any(user not in inside for user in node.users)]
    values = tuple(mapping[node] for node in outputs)
    graph.output(values if always_return_tuple or len(values) != 1 else values[0])
    graph.lint()
    made, _ = lift_subgraph_as_module(gm, graph, comp_name="", class_name=module_name)
    return made, tuple(inputs), tuple(outputs)


def insert_subgm(gm: GraphModule, sub_gm: GraphModule, orig_inputs: tuple[Node, ...], orig_outputs: tuple[Node, ...],
                 insertion_point: Node | None = None) -> GraphModule:  # fmt: skip
    """Call a module in a graph, in place of nodes whose values it gives."""
    name = type(sub_gm).__name__
    gm.add_submodule(name, sub_gm)
    position = insertion_point.next if insertion_point is not None else gm.graph.output_node()
    with gm.graph.inserting_before(position):
        called = gm.graph.call_module(name, orig_inputs)
    result = sub_gm.graph.output_node().args[0]
    if len(orig_outputs) == 1 and not isinstance(result, tuple):
        orig_outputs[0].replace_all_uses_with(called, propagate_meta=True)
        return gm
    with gm.graph.inserting_after(called):
        for k, old in reversed(list(enumerate(orig_outputs))):
            old.replace_all_uses_with(gm.graph.call_function(operator.getitem, (called, k)), propagate_meta=True)
    return gm


def erase_nodes(gm: GraphModule, nodes: list[Node]) -> None:
    """Remove nodes, the last first."""
    for node in reversed(nodes):
        gm.graph.erase_node(node)


def fuse_by_partitions(gm: GraphModule, partitions: list[dict[Node, int | None]], prefix: str = "fused_",
                       always_return_tuple: bool = False) -> GraphModule:  # fmt: skip
    """Replace each of several groups of nodes by a call of a module.

    Args:
        gm (GraphModule): whose graph is changed
        partitions (list): the groups
        prefix (str, default "fused_"): of the names of the modules
        always_return_tuple (bool, default False): the modules return tuples even of one value

    Returns:
        the module
    """
    for k, partition in enumerate(partitions):
        nodes = topo_sort(list(partition))
        made, inputs, outputs = fuse_as_graphmodule(gm, nodes, f"{prefix}{k}", always_return_tuple=always_return_tuple)
        insert_subgm(gm, made, inputs, outputs, max(nodes))
        erase_nodes(gm, nodes)
    legalize_graph(gm)
    gm.graph.lint()
    gm.recompile()
    return gm
