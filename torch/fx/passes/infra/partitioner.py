"""CapabilityBasedPartitioner: groups the nodes that a backend supports."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from torch.fx.graph_module import GraphModule
from torch.fx.node import Node, _get_qualified_name
from torch.fx.passes.utils.fuser_utils import fuse_by_partitions, validate_partition


class Partition:
    """A group of nodes.

    Args:
        id (int, optional): its number
        nodes (Iterable[Node], optional): the nodes
        node_orders (Iterable[int], optional): their places in the graph
    """

    def __init__(self, id: int | None = None, nodes: Iterable[Node] | None = None,
                 node_orders: Iterable[int] | None = None) -> None:  # fmt: skip
        self.id = id
        orders = list(node_orders) if node_orders is not None else None
        self.nodes: dict[Node, int | None] = {node: orders[k] if orders else None for k, node in enumerate(nodes or ())}

    def __repr__(self) -> str:
        return str(self.nodes)

    def add_node(self, node: Node, node_order: int | None = None) -> None:
        """Add a node."""
        self.nodes[node] = node_order

    def remove_node(self, node: Node) -> None:
        """Remove a node."""
        del self.nodes[node]

    def size(self) -> int:
        """The number of nodes."""
        return len(self.nodes)


class CapabilityBasedPartitioner:
    """Groups the nodes that are supported, as large as possible, without making circles.

    Args:
        graph_module (GraphModule): whose graph it is
        operator_support (OperatorSupportBase): which says what is supported
        allows_single_node_partition (bool, default False): keep groups of one node
        non_compute_ops (Sequence[str], optional): functions that are no work by themselves
        allowed_single_node_partition_ops (Sequence[str], optional): of which one is a group nevertheless
    """

    def __init__(self, graph_module: GraphModule, operator_support: Any, allows_single_node_partition: bool = False,
                 non_compute_ops: Sequence[str] | None = None, allowed_single_node_partition_ops: Sequence[str] | None = None,
                 **options: Any) -> None:  # fmt: skip
        self.graph_module, self.operator_support = graph_module, operator_support
        self.allows_single_node_partition = allows_single_node_partition
        self.non_compute_ops = list(non_compute_ops or ())
        self.allowed_single_node_partition_ops = list(allowed_single_node_partition_ops or ())

    def _is_node_supported(self, node: Node) -> bool:
        return self.operator_support.is_node_supported(dict(self.graph_module.named_modules()), node)

    def propose_partitions(self) -> list[Partition]:
        """The groups.

        Returns:
            the groups, in the order of the graph
        """
        groups: list[list[Node]] = []
        for node in self.graph_module.graph.nodes:
            if node.op not in ("call_function", "call_method", "call_module") or not self._is_node_supported(node):
                continue
            groups.append([node])
            k = 0
            while k < len(groups) - 1:  # join with each group where that makes no circle
                joined = sorted(groups[k] + groups[-1])
                if validate_partition(joined):
                    groups[-1] = joined
                    del groups[k]
                else:
                    k += 1
        kept = [group for group in groups if self._is_worth_it(group)]
        return [Partition(k, group, [node._order() for node in group]) for k, group in enumerate(sorted(kept, key=min))]

    def _is_worth_it(self, group: list[Node]) -> bool:
        if self.allows_single_node_partition:
            return True
        names = [_get_qualified_name(node.target) if node.op == "call_function" else "" for node in group]
        work = [name for name in names if name not in self.non_compute_ops]
        return len(work) > 1 or any(name in self.allowed_single_node_partition_ops for name in work)

    def fuse_partitions(self, partitions: list[Partition], prefix: str = "fused_") -> GraphModule:
        """Replace each group by a call of a module.

        Args:
            partitions (list[Partition]): the groups
            prefix (str, default "fused_"): of the names of the modules

        Returns:
            the module
        """
        return fuse_by_partitions(self.graph_module, [dict(partition.nodes) for partition in partitions], prefix=prefix)

    def partition_and_fuse(self, prefix: str = "fused_") -> GraphModule:
        """Find the groups and replace them.

        Args:
            prefix (str, default "fused_"): of the names of the modules

        Returns:
            the module
        """
        return self.fuse_partitions(self.propose_partitions(), prefix=prefix)
