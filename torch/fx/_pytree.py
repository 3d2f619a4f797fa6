"""Takes nested containers apart by a given structure, which generated code does with its inputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch.utils import _pytree as pytree

FlattenFuncSpec = Callable[[Any, Any], list[Any]]
SUPPORTED_NODES: dict[type, FlattenFuncSpec] = {}


def register_pytree_flatten_spec(cls: type, flatten_fn_spec: FlattenFuncSpec, flatten_fn_exact_match_spec: Any = None) -> None:
    """Say how `tree_flatten_spec` takes a container apart: the function gets the container and its structure."""
    SUPPORTED_NODES[cls] = flatten_fn_spec


def tree_flatten_spec(pytree_: Any, spec: Any) -> list[Any]:
    """The leaves of a value, walked as `spec` says: entries that `spec` does not name are left out."""
    if spec.is_leaf():
        return [pytree_]
    kind = spec.type
    if kind not in SUPPORTED_NODES:
        raise RuntimeError(f"{kind} has no function for tree_flatten_spec: register one by register_pytree_flatten_spec")
    children = SUPPORTED_NODES[kind](pytree_, spec)
    return [leaf for child, part in zip(children, spec.children_specs) for leaf in tree_flatten_spec(child, part)]


def _first(items: Any, spec: Any) -> list[Any]:
    return [items[k] for k in range(spec.num_children)]


register_pytree_flatten_spec(dict, lambda items, spec: [items[key] for key in spec.context])
for _kind in (list, tuple, *(() if not hasattr(pytree, "namedtuple") else (pytree.namedtuple,))):
    register_pytree_flatten_spec(_kind, _first)
