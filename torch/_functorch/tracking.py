"""What the differentiating transforms share: inputs that record below all levels of vmap, and gradients of them.

Note [Transforms below vmap]
The value below all levels of a batched tensor takes part in differentiation. A transform makes the batches of the levels
that are running into ordinary dimensions of its inputs, records from there, and lets the function see batched tensors again. A
gradient of the sum over a batch is then one gradient for each example, because no example depends on another.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch._C import _functorch as _C
from torch.utils._pytree import tree_flatten, tree_map, tree_unflatten

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def dual_level_is_active() -> bool:
    import torch.autograd.forward_ad as forward_ad

    return forward_ad._current_level >= 0


def requires_grad(t: Tensor) -> bool:
    """Whether the value below all levels does."""
    return _C._levels_to_dims(t, _C._current_level()).requires_grad


def without_history(t: Any) -> Any:
    """The same tensor as a constant; it keeps a tangent that it has."""
    if not isinstance(t, Tensor):
        return t
    if not dual_level_is_active():
        return t.detach()
    with torch.no_grad():
        return torch.ops.aten.alias(t)


class Recorded:
    """Inputs of a function that is differentiated by them.

    Args:
        name (str): of the transform, for messages
        inputs (Any): a tree of tensors
    """

    def __init__(self, name: str, inputs: Any) -> None:
        self.levels = _C._current_level()
        self.outer_grad = torch.is_grad_enabled()
        flat, self.spec = tree_flatten(inputs)
        self.raw: list[Tensor] = []
        self.part_of_graph = False
        with torch.enable_grad():
            for x in flat:
                if not isinstance(x, Tensor):
                    raise ValueError(f"{name}: expected tensors to differentiate by, got {type(x).__name__}")
                if not (x.is_floating_point() or x.is_complex()):
                    raise RuntimeError(f"{name}: only floating point and complex tensors have gradients, got {x.dtype}")
                self.raw.append(self._input(_C._levels_to_dims(x, self.levels)))
        self.seen = tree_unflatten([_C._dims_to_levels(x, self.levels) for x in self.raw], self.spec)

    def _input(self, value: Tensor) -> Tensor:
        if self.outer_grad and value.requires_grad:
            self.part_of_graph = True
            return value.view_as(value)
        if torch._C._is_functional_tensor(value):  # what an outer derivative follows is the value that it holds
            held = torch._C._from_functional_tensor(value)
            self.part_of_graph |= self.outer_grad and held.requires_grad
            return torch._C._to_functional_tensor(held).requires_grad_()
        with torch.no_grad():
            leaf = torch.ops.aten.alias(value) if dual_level_is_active() else value.detach()
        return leaf.requires_grad_()

    def value(self, output: Tensor) -> Tensor:
        """An output with the batches as ordinary dimensions."""
        return _C._levels_to_dims(output, self.levels)

    def extends_graph(self, outputs: list[Tensor]) -> bool:
        """Whether gradients belong to a graph outside, which may be differentiated further."""
        if not self.outer_grad:
            return False
        leaves = tuple(self.raw)
        return self.part_of_graph or any(_C._reaches_other_leaves(y, leaves) for y in outputs)

    def gradients(self, outputs: list[Tensor], weights: list[Tensor], create_graph: bool, retain_graph: bool) -> list[Tensor]:
        """Of the inputs, from outputs that are values and their weights."""
        pairs = [(y, w) for y, w in zip(outputs, weights) if y.requires_grad]
        found: Any = [None] * len(self.raw)
        if pairs and self.raw:
            found = torch.autograd.grad(
                [y for y, _ in pairs], self.raw, [w for _, w in pairs], create_graph=create_graph,
                retain_graph=retain_graph or create_graph, allow_unused=True,
            )  # fmt: skip
        return [torch.zeros_like(x) if g is None else g for g, x in zip(found, self.raw)]

    def tree(self, gradients: list[Tensor]) -> Any:
        """Gradients in the inputs' structure, batched as the inputs are."""
        return tree_unflatten([_C._dims_to_levels(g, self.levels) for g in gradients], self.spec)


def call_recording(func: Callable[..., Any], args: Any, kwargs: Any = None) -> Any:
    """Calls the function with gradients on."""
    with torch.enable_grad():
        return func(*args, **(kwargs or {}))


def finished(outputs: Any, keep: bool) -> Any:
    """What the caller gets of the function's outputs: constants, unless they belong to a graph outside."""
    return outputs if keep else tree_map(without_history, outputs)
