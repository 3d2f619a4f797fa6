"""The structure of a tree without its leaves."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterable
from typing import Any

from torch._C import _pytree as _C
from torch.utils._pytree._registry import STANDARD_DICT_TYPES, SUPPORTED_NODES, node_kind


class TreeSpec:
    """A container's type, its context, and the specs of its children; that of a leaf has the type None.

    Args:
        type (type or None): of the container
        context (Any): what the container is rebuilt from beside its children
        children_specs (Iterable[TreeSpec]): of the children
    """

    __slots__ = ("type", "_context", "_children", "num_nodes", "num_leaves", "num_children")

    def __init__(self, type: Any, context: Any, children_specs: Iterable[TreeSpec] = ()) -> None:
        self.type, self._context, self._children = type, context, list(children_specs)
        self.num_children = len(self._children)
        self.num_nodes = 1 + sum(child.num_nodes for child in self._children)
        self.num_leaves = sum(child.num_leaves for child in self._children) if type is not None else 1

    @property
    def context(self) -> Any:
        """What the container is rebuilt from, beside its children."""
        return self._context

    @property
    def children_specs(self) -> list[TreeSpec]:
        """The specs of the children."""
        return self._children

    def is_leaf(self) -> bool:
        """Whether this is the spec of a leaf."""
        return self.type is None

    def children(self) -> list[TreeSpec]:
        """The specs of the children, in a new list."""
        return self._children.copy()

    def child(self, index: int) -> TreeSpec:
        """The spec of one child."""
        return self._children[index]

    def unflatten(self, leaves: Iterable[Any]) -> Any:
        """The tree of this structure with the given leaves."""
        leaves = leaves if isinstance(leaves, (list, tuple)) else list(leaves)
        if len(leaves) != self.num_leaves:
            raise ValueError(f"tree_unflatten: got {len(leaves)} leaves, and the structure has {self.num_leaves}: {self}")
        return _C.build(self, leaves)

    def flatten_up_to(self, tree: Any) -> list[Any]:
        """The subtrees of `tree` at the places of this structure's leaves."""
        found: list[Any] = []
        self._collect(tree, found)
        return found

    def _collect(self, tree, found):
        if self.type is None:
            found.append(tree)
            return
        for child, subtree in zip(self._children, self._matching_children(tree)):
            child._collect(subtree, found)

    def _matching_children(self, tree):
        """The children of `tree`, in the order of this spec, if its root is like this one."""
        kind = node_kind(tree)
        both_dicts = self.type in STANDARD_DICT_TYPES and kind in STANDARD_DICT_TYPES
        if kind is not self.type and not both_dicts:
            raise ValueError(f"Node type mismatch: the structure has {self.type} where the tree has {type(tree)}.")
        if both_dicts:
            return self._values_in_order(tree)
        children, context = SUPPORTED_NODES[kind].flatten_fn(tree)
        children = list(children)
        if len(children) != self.num_children:
            raise ValueError(f"Node arity mismatch: the structure has {self.num_children} children, the tree {len(children)}.")
        if kind is namedtuple and context is not self._context or kind is not namedtuple and context != self._context:
            raise ValueError(f"Node context mismatch for {self.type}: the structure has {self._context!r}, the tree {context!r}.")
        return children

    def _values_in_order(self, tree):
        from collections import defaultdict

        keys = self._context[1] if self.type is defaultdict else self._context
        missing, extra = set(keys) - set(tree), set(tree) - set(keys)
        if missing or extra:
            raise ValueError(f"Node keys mismatch: missing {missing or 'none'}, unexpected {extra or 'none'}.")
        return [tree[key] for key in keys]

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, TreeSpec):
            return NotImplemented
        return (
            self.type is other.type
            and self.num_children == other.num_children
            and self._context == other._context
            and self._children == other._children
        )

    def __hash__(self) -> int:
        kind = self.type
        context = tuple(map(str, self._context)) if isinstance(self._context, list) else self._context
        try:
            return hash((kind, context, tuple(self._children)))
        except TypeError:
            return hash((kind, tuple(self._children)))

    def __repr__(self, indent: int = 0) -> str:
        if self.type is None:
            return "*"
        inside = indent + 2
        children = (",\n" + " " * inside).join(child.__repr__(inside) for child in self._children)
        return f"TreeSpec({self.type.__name__}, {self._context}, [{children}])"

    def __getstate__(self):
        return self.type, self._context, self._children

    def __setstate__(self, state):
        self.__init__(*state)


PyTreeSpec = TreeSpec


class _LeafMeta(type):
    """Makes `isinstance(spec, LeafSpec)` true for the spec of any leaf."""

    def __instancecheck__(cls, instance):
        return isinstance(instance, TreeSpec) and instance.is_leaf()


class LeafSpec(TreeSpec, metaclass=_LeafMeta):
    """The spec of a leaf."""

    __slots__ = ()

    def __new__(cls):
        return treespec_leaf()


_LEAF_SPEC = TreeSpec(None, None)


def treespec_leaf() -> TreeSpec:
    """The spec of a leaf."""
    return _LEAF_SPEC


def treespec_tuple(iterable: Iterable[TreeSpec] = (), /) -> TreeSpec:
    """The spec of a tuple, from those of its elements."""
    return TreeSpec(tuple, None, iterable)


def treespec_dict(mapping: Any = (), /, **kwargs: TreeSpec) -> TreeSpec:
    """The spec of a dictionary, from those of its values."""
    entries = dict(mapping, **kwargs)
    return TreeSpec(dict, list(entries), entries.values())
