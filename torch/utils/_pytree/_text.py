"""Structures of trees as JSON."""

from __future__ import annotations

import json
from enum import Enum
from typing import Any

from torch.utils._pytree._registry import (
    NO_SERIALIZED_TYPE_NAME_FOUND,
    SERIALIZED_TYPE_TO_PYTHON_TYPE,
    SUPPORTED_SERIALIZED_TYPES,
)
from torch.utils._pytree._spec import _LEAF_SPEC, TreeSpec

DEFAULT_TREESPEC_SERIALIZATION_PROTOCOL = 1


class _Marks(json.JSONEncoder):
    """Writes members of enumerations by their place."""

    def default(self, o: Any) -> Any:
        if isinstance(o, Enum):
            return {"__enum__": True, "fqn": f"{type(o).__module__}:{type(o).__qualname__}", "name": o.name}
        return super().default(o)


EnumEncoder = _Marks


def enum_object_hook(obj: dict[str, Any]) -> Any:
    """Reads what EnumEncoder wrote."""
    if not obj.get("__enum__"):
        return obj
    import importlib

    module, _, name = obj["fqn"].partition(":")
    found: Any = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found[obj["name"]]


def _written(spec):
    if spec.is_leaf():
        return {"type": None, "context": None, "children_spec": []}
    entry = SUPPORTED_SERIALIZED_TYPES.get(spec.type)
    if entry is None or entry.serialized_type_name == NO_SERIALIZED_TYPE_NAME_FOUND:
        raise NotImplementedError(f"treespec_dumps: {spec.type} was registered without serialized_type_name")
    if entry.to_dumpable_context is None:
        try:
            context = json.dumps(spec._context, cls=_Marks)
        except TypeError as error:
            raise TypeError(f"treespec_dumps: the context of {spec.type} is not JSON; give it to_dumpable_context") from error
    else:
        context = entry.to_dumpable_context(spec._context)
    return {"type": entry.serialized_type_name, "context": context, "children_spec": [_written(c) for c in spec._children]}


def treespec_dumps(treespec: TreeSpec, protocol: int | None = None) -> str:
    """A structure as a string.

    Args:
        treespec (TreeSpec): the structure
        protocol (int, optional): the version of the format; there is only 1

    Example:
        >>> from torch.utils import _pytree
        >>> spec = _pytree.tree_structure([1, 2])
        >>> _pytree.treespec_loads(_pytree.treespec_dumps(spec)) == spec
        True
    """
    if not isinstance(treespec, TreeSpec):
        raise TypeError(f"treespec_dumps: expected a TreeSpec, got {type(treespec).__name__}")
    if protocol not in (None, DEFAULT_TREESPEC_SERIALIZATION_PROTOCOL):
        raise ValueError(f"treespec_dumps: unknown protocol {protocol}, expected {DEFAULT_TREESPEC_SERIALIZATION_PROTOCOL}")
    return json.dumps((DEFAULT_TREESPEC_SERIALIZATION_PROTOCOL, _written(treespec)))


def _read(data):
    if data["type"] is None:
        return _LEAF_SPEC
    kind = SERIALIZED_TYPE_TO_PYTHON_TYPE.get(data["type"])
    if kind is None:
        raise NotImplementedError(f"treespec_loads: no container is registered as {data['type']!r}")
    read = SUPPORTED_SERIALIZED_TYPES[kind].from_dumpable_context
    context = json.loads(data["context"], object_hook=enum_object_hook) if read is None else read(data["context"])
    return TreeSpec(kind, context, [_read(child) for child in data["children_spec"]])


def treespec_loads(serialized: str) -> TreeSpec:
    """The inverse of `treespec_dumps`."""
    protocol, data = json.loads(serialized)
    if protocol != DEFAULT_TREESPEC_SERIALIZATION_PROTOCOL:
        raise ValueError(f"treespec_loads: unknown protocol {protocol}, expected {DEFAULT_TREESPEC_SERIALIZATION_PROTOCOL}")
    return _read(data)


class _Star(str):
    def __repr__(self) -> str:
        return "*"


def treespec_pprint(treespec: TreeSpec) -> str:
    """A structure as the tree that has `*` for each leaf."""
    return repr(treespec.unflatten([_Star()] * treespec.num_leaves))


def pytree_to_str(treespec: TreeSpec) -> str:
    """The former name of `treespec_dumps`."""
    return treespec_dumps(treespec)


def str_to_pytree(json: str) -> TreeSpec:
    """The former name of `treespec_loads`."""
    return treespec_loads(json)
