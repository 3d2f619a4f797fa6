"""The kinds of containers that trees are made of, and how each is taken apart and put together."""

from __future__ import annotations

import dataclasses
import threading
from collections import OrderedDict, defaultdict, deque, namedtuple
from importlib import import_module
from typing import Any, NamedTuple

from torch.utils._pytree._keys import GetAttrKey, MappingKey, SequenceKey


class NodeDef(NamedTuple):
    """How a container is flattened to (children, context), and rebuilt from them."""

    type: Any
    flatten_fn: Any
    unflatten_fn: Any
    flatten_with_keys_fn: Any = None


class _SerializeNodeDef(NamedTuple):
    typ: Any
    serialized_type_name: str
    to_dumpable_context: Any
    from_dumpable_context: Any


NO_SERIALIZED_TYPE_NAME_FOUND = "NO_SERIALIZED_TYPE_NAME_FOUND"
SUPPORTED_NODES: dict[Any, NodeDef] = {}
SUPPORTED_SERIALIZED_TYPES: dict[Any, _SerializeNodeDef] = {}
SERIALIZED_TYPE_TO_PYTHON_TYPE: dict[str, Any] = {}
CONSTANT_NODES: set[type] = set()
_NODE_REGISTRY_LOCK = threading.RLock()


def is_namedtuple_class(cls: Any) -> bool:
    """Whether a class was made by `collections.namedtuple`, or derives from such a class."""
    fields = getattr(cls, "_fields", None)
    return (
        isinstance(cls, type)
        and issubclass(cls, tuple)
        and isinstance(fields, tuple)
        and all(type(field) is str for field in fields)
        and callable(getattr(cls, "_make", None))
        and callable(getattr(cls, "_asdict", None))
    )


def is_namedtuple_instance(obj: Any) -> bool:
    """Whether a value is a named tuple."""
    return is_namedtuple_class(type(obj))


def is_namedtuple(obj: Any) -> bool:
    """Whether a value, or a class, is a named tuple."""
    return is_namedtuple_class(obj if isinstance(obj, type) else type(obj))


def is_structseq_class(cls: Any) -> bool:
    """Whether a class is one of CPython's named tuples written in C, as `torch.return_types` are."""
    return (
        isinstance(cls, type)
        and cls.__bases__ == (tuple,)
        and all(isinstance(getattr(cls, name, None), int) for name in ("n_fields", "n_sequence_fields", "n_unnamed_fields"))
    )


def is_structseq_instance(obj: Any) -> bool:
    """Whether a value is of such a class."""
    return is_structseq_class(type(obj))


def is_structseq(obj: Any) -> bool:
    """Whether a value, or a class, is one of them."""
    return is_structseq_class(obj if isinstance(obj, type) else type(obj))


def _return_type(kind: type) -> bool:
    """Results of operators are containers although nobody registered each of them."""
    return kind.__module__ == "torch.return_types"


def node_kind(tree: Any) -> Any:
    """The key of SUPPORTED_NODES for a value; its type where that is no container."""
    kind = type(tree)
    if kind not in SUPPORTED_NODES:
        if is_namedtuple_class(kind):
            return namedtuple
        if _return_type(kind):
            _register_return_type(kind)
    return kind


def _register_return_type(kind: type) -> None:
    register_pytree_node(
        kind,
        lambda result: (list(result), None),
        lambda children, context: kind(children),
        flatten_with_keys_fn=lambda result: ([(SequenceKey(k), each) for k, each in enumerate(result)], None),
    )


def register_pytree_node(
    cls, flatten_fn, unflatten_fn, *, serialized_type_name=None, to_dumpable_context=None, from_dumpable_context=None,
    flatten_with_keys_fn=None,
) -> None:  # fmt: skip
    """Make a class a container of trees.

    Args:
        cls (type): the class; subclasses are not included
        flatten_fn (function): object -> (children, context)
        unflatten_fn (function): (children, context) -> object
        serialized_type_name (str, optional): its name in what `treespec_dumps` writes
        to_dumpable_context (function, optional): context -> something that JSON can hold
        from_dumpable_context (function, optional): the inverse
        flatten_with_keys_fn (function, optional): object -> ([(key, child)], context)

    Raises:
        ValueError: the class is registered already, or only one of the two functions for contexts is given

    Example:
        >>> class Pair:
        ...     def __init__(self, a, b):
        ...         self.a, self.b = a, b
        >>> from torch.utils import _pytree
        >>> _pytree.register_pytree_node(Pair, lambda p: ([p.a, p.b], None), lambda children, _: Pair(*children))
        >>> _pytree.tree_leaves(Pair(1, [2, 3]))
        [1, 2, 3]
    """
    with _NODE_REGISTRY_LOCK:
        if cls in SUPPORTED_NODES:
            raise ValueError(f"{cls} is already registered as pytree node.")
    _register(
        cls, flatten_fn, unflatten_fn, serialized_type_name, to_dumpable_context, from_dumpable_context, flatten_with_keys_fn
    )


def _private_register_pytree_node(
    cls, flatten_fn, unflatten_fn, *, serialized_type_name=None, to_dumpable_context=None, from_dumpable_context=None,
    flatten_with_keys_fn=None,
) -> None:  # fmt: skip
    _register(
        cls, flatten_fn, unflatten_fn, serialized_type_name, to_dumpable_context, from_dumpable_context, flatten_with_keys_fn
    )


def _register(cls, flatten_fn, unflatten_fn, name, to_dumpable_context, from_dumpable_context, flatten_with_keys_fn):
    if (to_dumpable_context is None) != (from_dumpable_context is None):
        raise ValueError(f"registering {cls}: to_dumpable_context and from_dumpable_context are given both or not at all")
    name = NO_SERIALIZED_TYPE_NAME_FOUND if name is None else name
    if not isinstance(name, str):
        raise TypeError(f"registering {cls}: serialized_type_name must be a str, got {type(name).__name__}")
    with _NODE_REGISTRY_LOCK:
        SUPPORTED_NODES[cls] = NodeDef(cls, flatten_fn, unflatten_fn, flatten_with_keys_fn)
        SUPPORTED_SERIALIZED_TYPES[cls] = _SerializeNodeDef(cls, name, to_dumpable_context, from_dumpable_context)
        SERIALIZED_TYPE_TO_PYTHON_TYPE[name] = cls


def _register_pytree_node(
    cls, flatten_fn, unflatten_fn, to_str_fn=None, maybe_from_str_fn=None, *, serialized_type_name=None,
    to_dumpable_context=None, from_dumpable_context=None, flatten_with_keys_fn=None,
) -> None:  # fmt: skip
    """The former name of `register_pytree_node`. The functions to and from strings have no effect."""
    _register(
        cls, flatten_fn, unflatten_fn, serialized_type_name, to_dumpable_context, from_dumpable_context, flatten_with_keys_fn
    )


def _deregister_pytree_node(cls: Any) -> None:
    with _NODE_REGISTRY_LOCK:
        del SUPPORTED_NODES[cls]
        name = SUPPORTED_SERIALIZED_TYPES.pop(cls).serialized_type_name
        if SERIALIZED_TYPE_TO_PYTHON_TYPE.get(name) is cls:
            del SERIALIZED_TYPE_TO_PYTHON_TYPE[name]
        CONSTANT_NODES.discard(cls)


def _register_namedtuple(cls: Any, *, serialized_type_name: str) -> None:
    """Give a named tuple the name that serialized specs have for it; it is a container in any case."""
    with _NODE_REGISTRY_LOCK:
        SUPPORTED_SERIALIZED_TYPES[cls] = _SerializeNodeDef(cls, serialized_type_name, lambda kind: None, lambda _: cls)
        SERIALIZED_TYPE_TO_PYTHON_TYPE[serialized_type_name] = cls


def register_dataclass(cls: Any, *, field_names=None, drop_field_names=None, serialized_type_name=None) -> None:  # fmt: skip
    """Make a data class a container of its fields; those that are None are left out.

    Args:
        cls (type): the class
        field_names (list of str, optional): which fields are children; by default all that `__init__` takes
        drop_field_names (list of str, optional): which fields are left out
        serialized_type_name (str, optional): as for `register_pytree_node`

    Raises:
        ValueError: the names are not those of the fields
    """
    if dataclasses.is_dataclass(cls):
        known = [field.name for field in dataclasses.fields(cls) if field.init]
    elif field_names is None:
        raise ValueError(f"register_dataclass: {cls} is no data class, so that field_names must be given")
    else:
        known = [*field_names, *(drop_field_names or ())]
    names = [name for name in known if name not in (drop_field_names or ())] if field_names is None else list(field_names)
    if set(names) | set(drop_field_names or ()) != set(known):
        raise ValueError(f"register_dataclass: {cls} has the fields {known}; got {names}, less {list(drop_field_names or ())}")

    def split(obj):
        values = [(name, getattr(obj, name)) for name in names]
        present = [(name, value) for name, value in values if value is not None]
        context = [[name for name, _ in present], [name for name, value in values if value is None]]
        return present, context

    def flatten(obj):
        present, context = split(obj)
        return [value for _, value in present], context

    def flatten_with_keys(obj):
        present, context = split(obj)
        return [(GetAttrKey(name), value) for name, value in present], context

    def unflatten(children, context):
        return cls(**dict(zip(context[0], children)), **dict.fromkeys(context[1]))

    _private_register_pytree_node(
        cls, flatten, unflatten, serialized_type_name=serialized_type_name, flatten_with_keys_fn=flatten_with_keys
    )


class ConstantNode(NamedTuple):
    """The context of a constant: the value itself."""

    value: Any


def register_constant(cls: type) -> None:
    """Make a class one whose objects are part of the structure of a tree, and no leaves.

    Args:
        cls (type): a class with `__eq__` and `__hash__`

    Raises:
        TypeError: it compares by identity, or cannot be hashed
    """
    if cls.__eq__ is object.__eq__ or cls.__hash__ is None:
        raise TypeError(f"register_constant: {cls} needs __eq__ and __hash__, because structures are compared")
    _private_register_pytree_node(
        cls,
        lambda value: ([], ConstantNode(value)),
        lambda children, context: context.value,
        flatten_with_keys_fn=lambda value: ([], ConstantNode(value)),
    )
    CONSTANT_NODES.add(cls)


def is_constant_class(cls: type) -> bool:
    """Whether `register_constant` was called for a class."""
    return isinstance(cls, type) and cls in CONSTANT_NODES


# The containers that Python brings


def _with_indices(values, context):
    return [(SequenceKey(k), value) for k, value in enumerate(values)], context


def _with_keys(mapping, context):
    return [(MappingKey(key), value) for key, value in mapping.items()], context


def _dict_flatten(d):
    return list(d.values()), list(d)


def _dict_flatten_with_keys(d):
    return _with_keys(d, list(d))


def _dict_unflatten(values, keys):
    return dict(zip(keys, values))


def _list_flatten(d):
    return d, None


def _tuple_flatten(d):
    return list(d), None


def _namedtuple_flatten(d):
    return list(d), type(d)


def _defaultdict_context(d):
    return [d.default_factory, list(d)]


def _defaultdict_unflatten(values, context):
    return defaultdict(context[0], zip(context[1], values))


def _defaultdict_written(context):
    factory, keys = context
    names = {
        "default_factory_module": getattr(factory, "__module__", None),
        "default_factory_name": getattr(factory, "__qualname__", None),
    }
    return {**names, "dict_context": keys}


def _defaultdict_read(written):
    module, name = written["default_factory_module"], written["default_factory_name"]
    return [getattr(import_module(module), name) if name else None, written["dict_context"]]


def _namedtuple_context(kind):
    entry = SUPPORTED_SERIALIZED_TYPES.get(kind)
    if entry is None:
        raise NotImplementedError(f"{kind} has no name for serialized specs: give it one with _register_namedtuple")
    return entry.serialized_type_name


for _type, _flatten, _unflatten, _flatten_keys in (
    (tuple, _tuple_flatten, lambda values, _: tuple(values), lambda d: _with_indices(d, None)),
    (list, _list_flatten, lambda values, _: list(values), lambda d: _with_indices(d, None)),
    (dict, _dict_flatten, _dict_unflatten, _dict_flatten_with_keys),
    (OrderedDict, _dict_flatten, lambda values, keys: OrderedDict(zip(keys, values)), _dict_flatten_with_keys),
):
    _where = "collections" if _type is OrderedDict else "builtins"
    register_pytree_node(
        _type, _flatten, _unflatten, serialized_type_name=f"{_where}.{_type.__name__}", flatten_with_keys_fn=_flatten_keys
    )
register_pytree_node(
    namedtuple,
    _namedtuple_flatten,
    lambda values, kind: kind(*values),
    serialized_type_name="collections.namedtuple",
    to_dumpable_context=_namedtuple_context,
    from_dumpable_context=lambda name: SERIALIZED_TYPE_TO_PYTHON_TYPE[name],
    flatten_with_keys_fn=lambda d: ([(GetAttrKey(name), value) for name, value in zip(d._fields, d)], type(d)),
)
register_pytree_node(
    defaultdict,
    lambda d: (list(d.values()), _defaultdict_context(d)),
    _defaultdict_unflatten,
    serialized_type_name="collections.defaultdict",
    to_dumpable_context=_defaultdict_written,
    from_dumpable_context=_defaultdict_read,
    flatten_with_keys_fn=lambda d: _with_keys(d, _defaultdict_context(d)),
)
register_pytree_node(
    deque,
    lambda d: (list(d), d.maxlen),
    lambda values, maxlen: deque(values, maxlen=maxlen),
    serialized_type_name="collections.deque",
    flatten_with_keys_fn=lambda d: _with_indices(d, d.maxlen),
)

STANDARD_DICT_TYPES = frozenset({dict, OrderedDict, defaultdict})
BUILTIN_TYPES = frozenset({tuple, list, dict, namedtuple, OrderedDict, defaultdict, deque})


def _register_size():
    from torch import Size

    register_pytree_node(
        Size, lambda d: (list(d), None), lambda values, _: Size(values), flatten_with_keys_fn=lambda d: _with_indices(d, None)
    )


_register_size()
