"""Functions over the leaves of trees."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from torch._C import _pytree as _C
from torch.utils._pytree._registry import SUPPORTED_NODES, node_kind
from torch.utils._pytree._spec import _LEAF_SPEC, TreeSpec

_C._init(SUPPORTED_NODES, node_kind, TreeSpec, _LEAF_SPEC)


def _is_leaf(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> bool:
    return is_leaf is not None and is_leaf(tree) or node_kind(tree) not in SUPPORTED_NODES


tree_is_leaf = _is_leaf


def tree_flatten(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> tuple[list[Any], TreeSpec]:
    """The leaves of a tree, and its structure.

    Args:
        tree (Any): nested lists, tuples, dictionaries and registered containers; anything else is a leaf
        is_leaf (function, optional): whether a container counts as a leaf

    Returns:
        (leaves, spec)

    Example:
        >>> from torch.utils._pytree import tree_flatten
        >>> tree_flatten({"a": 1, "b": [2, 3]})[0]
        [1, 2, 3]
    """
    return _C.flatten(tree, is_leaf)


def tree_unflatten(leaves: Iterable[Any], treespec: TreeSpec) -> Any:
    """The inverse of `tree_flatten`."""
    if not isinstance(treespec, TreeSpec):
        what = type(treespec).__name__
        raise TypeError(f"tree_unflatten(leaves, treespec): expected treespec to be a TreeSpec, got {what}")
    return treespec.unflatten(leaves)


def tree_iter(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> Iterator[Any]:
    """The leaves, one after the other."""
    node = SUPPORTED_NODES.get(node_kind(tree))
    if node is None or is_leaf is not None and is_leaf(tree):
        yield tree
        return
    for child in node.flatten_fn(tree)[0]:
        yield from tree_iter(child, is_leaf)


def tree_leaves(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> list[Any]:
    """The leaves in a list."""
    return _C.leaves(tree, is_leaf)


def arg_tree_leaves(*args: Any, **kwargs: Any) -> list[Any]:
    """The leaves of the arguments of a call."""
    return tree_leaves((args, kwargs))


def tree_structure(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> TreeSpec:
    """The structure of a tree."""
    return tree_flatten(tree, is_leaf)[1]


def tree_map(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: Callable[[Any], bool] | None = None) -> Any:
    """The tree of the results of a function of the leaves.

    Args:
        func (function): gets a leaf of `tree`, and what each of `rests` has at its place
        tree (Any): the tree
        *rests (Any): other trees, with at least the structure of `tree`
        is_leaf (function, optional): whether a container counts as a leaf

    Example:
        >>> from torch.utils._pytree import tree_map
        >>> tree_map(lambda x, y: x + y, {"a": 1, "b": [2]}, {"a": 10, "b": [20]})
        {'a': 11, 'b': [22]}
    """
    leaves, spec = tree_flatten(tree, is_leaf)
    return spec.unflatten(list(map(func, leaves, *(spec.flatten_up_to(rest) for rest in rests))))


def tree_map_(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: Callable[[Any], bool] | None = None) -> Any:
    """Call a function for each leaf, and return the tree itself."""
    leaves, spec = tree_flatten(tree, is_leaf)
    for arguments in zip(leaves, *(spec.flatten_up_to(rest) for rest in rests)):
        func(*arguments)
    return tree


def _predicate(chosen):
    if isinstance(chosen, (type, tuple, types.UnionType)):
        return lambda leaf: isinstance(leaf, chosen)
    if callable(chosen):
        return chosen
    raise TypeError(f"expected a type, a tuple of types or a function, got {type(chosen).__name__}")


def map_only(type_or_types_or_pred: Any, /) -> Callable[[Callable[[Any], Any]], Callable[[Any], Any]]:
    """A decorator for functions of a leaf: other leaves come back as they are.

    Args:
        type_or_types_or_pred (type, tuple of type, or function): which leaves the function is called for
    """
    chosen = _predicate(type_or_types_or_pred)
    return lambda func: lambda leaf: func(leaf) if chosen(leaf) else leaf


def tree_map_only(
    type_or_types_or_pred: Any, /, func: Callable[[Any], Any], tree: Any, is_leaf: Callable[[Any], bool] | None = None
) -> Any:
    """`tree_map` over the leaves of a type; the others stay.

    Example:
        >>> from torch.utils._pytree import tree_map_only
        >>> tree_map_only(int, lambda x: -x, [1, "a"])
        [-1, 'a']
    """
    return tree_map(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_map_only_(
    type_or_types_or_pred: Any, /, func: Callable[[Any], Any], tree: Any, is_leaf: Callable[[Any], bool] | None = None
) -> Any:
    """`tree_map_` over the leaves of a type."""
    return tree_map_(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_all(pred: Callable[[Any], bool], tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> bool:
    """Whether a condition holds for every leaf."""
    return all(map(pred, tree_iter(tree, is_leaf)))


def tree_any(pred: Callable[[Any], bool], tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> bool:
    """Whether a condition holds for a leaf."""
    return any(map(pred, tree_iter(tree, is_leaf)))


def tree_all_only(
    type_or_types: Any, /, pred: Callable[[Any], bool], tree: Any, is_leaf: Callable[[Any], bool] | None = None
) -> bool:
    """Whether a condition holds for every leaf of a type."""
    return all(pred(leaf) for leaf in tree_iter(tree, is_leaf) if isinstance(leaf, type_or_types))


def tree_any_only(
    type_or_types: Any, /, pred: Callable[[Any], bool], tree: Any, is_leaf: Callable[[Any], bool] | None = None
) -> bool:
    """Whether a condition holds for a leaf of a type."""
    return any(pred(leaf) for leaf in tree_iter(tree, is_leaf) if isinstance(leaf, type_or_types))


def _broadcast_to_and_flatten(tree: Any, treespec: TreeSpec, is_leaf: Callable[[Any], bool] | None = None) -> list[Any] | None:
    """One leaf for each leaf of `treespec`: a leaf of `tree` stands for all below it. None if the structures differ."""
    if _is_leaf(tree, is_leaf):
        return [tree] * treespec.num_leaves
    kind = node_kind(tree)
    if treespec.is_leaf() or kind != treespec.type:
        return None
    children, context = SUPPORTED_NODES[kind].flatten_fn(tree)
    children = list(children)
    if len(children) != treespec.num_children or context != treespec._context:
        return None
    found: list[Any] = []
    for child, spec in zip(children, treespec._children):
        below = _broadcast_to_and_flatten(child, spec, is_leaf)
        if below is None:
            return None
        found += below
    return found


def _paths(tree, way, is_leaf):
    kind = node_kind(tree)
    node = SUPPORTED_NODES.get(kind)
    if node is None or is_leaf is not None and is_leaf(tree):
        yield way, tree
        return
    if node.flatten_with_keys_fn is None:
        raise ValueError(f"{kind} was registered without flatten_with_keys_fn, which the paths to its leaves need")
    for step, child in node.flatten_with_keys_fn(tree)[0]:
        yield from _paths(child, (*way, step), is_leaf)


def tree_leaves_with_path(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> list[tuple[Any, Any]]:
    """(path, leaf) of every leaf; a path is a tuple of SequenceKey, MappingKey and GetAttrKey."""
    return list(_paths(tree, (), is_leaf))


def tree_flatten_with_path(
    tree: Any, is_leaf: Callable[[Any], bool] | None = None
) -> tuple[list[tuple[Any, Any]], TreeSpec]:  # fmt: skip
    """`tree_leaves_with_path` and the structure."""
    return tree_leaves_with_path(tree, is_leaf), tree_structure(tree, is_leaf)


def tree_map_with_path(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: Callable[[Any], bool] | None = None) -> Any:
    """`tree_map` whose function also gets the path, first."""
    found, spec = tree_flatten_with_path(tree, is_leaf)
    others = (spec.flatten_up_to(rest) for rest in rests)
    return spec.unflatten([func(*way_and_leaf, *rest) for way_and_leaf, *rest in zip(found, *others)])
