"""Backward in two parts: the gradients of the inputs first, which another stage waits for, and those of the parameters later.

The first part runs the nodes between the outputs and the inputs, and keeps what came to those that parameters hang on. The second
part runs each of these again, for its parameters only. See Qi et al., "Zero Bubble Pipeline Parallelism", 2023.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.autograd.graph import GradientEdge, get_gradient_edge

_Node = Any


class SplitBackward:
    """The two parts for `roots`, with their gradients, and `inputs`, which require gradients."""

    def __init__(
        self, roots: Sequence[torch.Tensor], grads: Sequence[torch.Tensor | None], inputs: Sequence[torch.Tensor]
    ) -> None:  # fmt: skip
        self.roots, self.grads, self.inputs = list(roots), list(grads), list(inputs)
        self.came: dict[_Node, tuple[torch.Tensor | None, ...]] = {}
        if self.inputs:
            self.own, self.shared = _parameters_by_node([r.grad_fn for r in self.roots], self.inputs)

    def input_gradients(self) -> list[torch.Tensor | None]:
        """The first part. An input that no root depends on has None."""
        if not self.inputs:
            return []
        handles = [node.register_prehook(lambda grads, node=node: self.came.__setitem__(node, grads)) for node in self.own]
        try:
            return list(torch.autograd.grad(self.roots, self.inputs, self.grads, retain_graph=True, allow_unused=True))
        finally:
            for handle in handles:
                handle.remove()

    def weight_gradients(self) -> None:
        """The second part. Adds to the gradients of the parameters."""
        if not self.inputs:
            torch.autograd.backward(self.roots, self.grads)
            return
        if self.shared:
            # Several nodes lead to them. Only backward as a whole adds up what comes from each once.
            torch.autograd.backward(self.roots, self.grads, retain_graph=True, inputs=self.shared)
        for node, params in self.own.items():
            edges = [(GradientEdge(node, k), g) for k, g in enumerate(self.came.get(node, ())) if g is not None]
            if edges:
                torch.autograd.backward([e for e, _ in edges], [g for _, g in edges], retain_graph=True, inputs=params)


def _parameters_by_node(
    roots: Sequence[_Node], inputs: Sequence[torch.Tensor]
) -> tuple[dict[_Node, list[torch.Tensor]], list[torch.Tensor]]:  # fmt: skip
    """The leaves that hang on one node between roots and inputs only, by this node, and the others."""
    order = _postorder(roots)
    between = {get_gradient_edge(t).node for t in inputs}
    for node in order:
        if any(child in between for child, _ in node.next_functions):
            between.add(node)
    owners: dict[_Node, list[_Node]] = {}
    for node in order:
        if node not in between:
            continue
        aside = [child for child, _ in node.next_functions if child is not None and child not in between]
        for leaf in _postorder(aside):
            if hasattr(leaf, "variable"):
                owners.setdefault(leaf, []).append(node)
    for leaf in _postorder([r for r in roots if r is not None and r not in between]):
        if hasattr(leaf, "variable"):
            owners.setdefault(leaf, []).append(None)
    own: dict[_Node, list[torch.Tensor]] = {}
    shared = []
    for leaf, nodes in owners.items():
        if len(nodes) == 1 and nodes[0] is not None:
            own.setdefault(nodes[0], []).append(leaf.variable)
        else:
            shared.append(leaf.variable)
    return own, shared


def _postorder(roots: Sequence[_Node]) -> list[_Node]:
    """All nodes that can be reached, each after those that it leads to."""
    seen: set[_Node] = set()
    order: list[_Node] = []
    stack = [(node, False) for node in roots if node is not None]
    while stack:
        node, is_done = stack.pop()
        if is_done:
            order.append(node)
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack += [(child, False) for child, _ in node.next_functions if child is not None and child not in seen]
    return order
