"""Rules of operators: in which layouts an operator can compute on the parts of its arguments, and what its results are then.

A rule looks at one dimension of the mesh. It takes a Call and returns strategies: a placement of each result, and one of each
tensor among the arguments. The dispatcher takes the strategy that sends the fewest bytes; whole copies are always possible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.distributed.tensor.placement_types import Placement, Replicate

WHOLE = Replicate()


@dataclass
class Part:
    """A tensor among the arguments: its shape as a whole, and its placement in the dimension of the mesh at hand."""

    shape: torch.Size
    dtype: torch.dtype
    placement: Placement
    spec: Any = None  # of the DTensor

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def sharded(self) -> int | None:
        """The dimension that is cut."""
        return getattr(self.placement, "dim", None)


@dataclass
class Call:
    """A call of an operator. Tensors among the arguments are Parts."""

    func: Any
    args: Sequence[Any]
    kwargs: dict[str, Any]
    parts: list[Part]
    results: list[Any]  # shape and dtype of each result that is a tensor, else None
    size: int  # of the dimension of the mesh
    mesh_size: int  # of all of them

    def arg(self, index: int, name: str, default: Any = None) -> Any:
        """An argument by its place or its name."""
        return self.args[index] if index < len(self.args) else self.kwargs.get(name, default)

    def even(self, *sizes: int) -> bool:
        """Whether all processes get parts of one length."""
        return all(size % self.mesh_size == 0 for size in sizes)

    @property
    def ndim(self) -> int:
        """Dimensions of the first result."""
        return len(self.results[0].shape)


@dataclass(frozen=True)
class Strategy:
    """One way to compute: placements of the results and of the tensors. `run` replaces the operator on the parts."""

    results: tuple[Placement | None, ...]
    parts: tuple[Placement, ...]
    run: Callable[..., Any] | None = field(default=None, compare=False)


Rule = Callable[[Call], "Iterator[Strategy] | list[Strategy]"]


@dataclass(frozen=True)
class Entry:
    """A rule, and how the operator is called on parts."""

    rule: Rule
    size_arg: int | None = None  # the argument that is the shape of the result
    call: Callable[..., Any] | None = None  # called instead of the operator
    whole_too: bool = True  # whole copies are possible


RULES: dict[str, Entry] = {}
USER_RULES: dict[tuple[str, str], Entry] = {}  # by the names of operator and overload; see register_sharding
_FAMILIES = (
    "pointwise",
    "matmul",
    "views",
    "joining",
    "reduce",
    "norm",
    "attention",
    "embedding",
    "loss",
    "indexing",
    "factories",
)
_loaded = False


def rule(names: str, size_arg: int | None = None, call: Callable[..., Any] | None = None) -> Callable[[Rule], Rule]:
    """Registers a rule for operators, such as "mm bmm"; forms in place have the rule of the operator."""

    def register(function: Rule) -> Rule:
        for name in names.split():
            RULES[f"aten::{name}"] = Entry(function, size_arg, call)
        return function

    return register


def find(name: str) -> Entry | None:
    """The rule of an operator, such as "aten::mm"."""
    global _loaded
    if not _loaded:
        _loaded = True
        for family in _FAMILIES:
            __import__(f"torch.distributed.tensor._ops.{family}")
    entry = RULES.get(name)
    return RULES.get(name[:-1]) if entry is None and name.endswith("_") and not name.endswith("__") else entry


def same(placement: Placement, call: Call) -> Strategy:
    """All results and arguments in one layout."""
    return Strategy((placement,) * len(call.results), (placement,) * len(call.parts))


def whole(call: Call) -> Strategy:
    """Whole copies."""
    return same(WHOLE, call)
