"""Trees: values nested in lists, tuples, dictionaries and containers that programs register.

leaves, spec = tree_flatten({"a": x, "b": [y, z]})
tree = tree_unflatten(map(f, leaves), spec)
"""

from typing import Any, TypeVar

from torch.utils._pytree._keys import GetAttrKey, MappingKey, SequenceKey, key_get, keystr
from torch.utils._pytree._registry import (
    BUILTIN_TYPES,
    CONSTANT_NODES,
    NO_SERIALIZED_TYPE_NAME_FOUND,
    SERIALIZED_TYPE_TO_PYTHON_TYPE,
    STANDARD_DICT_TYPES,
    SUPPORTED_NODES,
    SUPPORTED_SERIALIZED_TYPES,
    ConstantNode,
    NodeDef,
    _deregister_pytree_node,
    _dict_flatten,
    _dict_flatten_with_keys,
    _dict_unflatten,
    _list_flatten,
    _namedtuple_flatten,
    _private_register_pytree_node,
    _register_namedtuple,
    _register_pytree_node,
    _tuple_flatten,
    is_constant_class,
    is_namedtuple,
    is_namedtuple_class,
    is_namedtuple_instance,
    is_structseq,
    is_structseq_class,
    is_structseq_instance,
    node_kind,
    register_constant,
    register_dataclass,
    register_pytree_node,
)
from torch.utils._pytree._spec import (
    _LEAF_SPEC,
    LeafSpec,
    PyTreeSpec,
    TreeSpec,
    treespec_dict,
    treespec_leaf,
    treespec_tuple,
)
from torch.utils._pytree._text import (
    DEFAULT_TREESPEC_SERIALIZATION_PROTOCOL,
    EnumEncoder,
    enum_object_hook,
    pytree_to_str,
    str_to_pytree,
    treespec_dumps,
    treespec_loads,
    treespec_pprint,
)
from torch.utils._pytree._walk import (
    _broadcast_to_and_flatten,
    _is_leaf,
    arg_tree_leaves,
    map_only,
    tree_all,
    tree_all_only,
    tree_any,
    tree_any_only,
    tree_flatten,
    tree_flatten_with_path,
    tree_is_leaf,
    tree_iter,
    tree_leaves,
    tree_leaves_with_path,
    tree_map,
    tree_map_,
    tree_map_only,
    tree_map_only_,
    tree_map_with_path,
    tree_structure,
    tree_unflatten,
)

T, S, U, R = TypeVar("T"), TypeVar("S"), TypeVar("U"), TypeVar("R")
PyTree = Context = DumpableContext = Any
KeyEntry = Any
KeyPath = tuple[Any, ...]
_get_node_type = node_kind
_cxx_pytree_dynamo_traceable = _cxx_pytree_exists = _cxx_pytree_imported = False

__all__ = [
    "PyTree", "Context", "FlattenFunc", "UnflattenFunc", "DumpableContext", "KeyEntry", "KeyPath", "TreeSpec", "LeafSpec",
    "keystr", "key_get", "register_pytree_node", "tree_is_leaf", "tree_flatten", "tree_flatten_with_path", "tree_unflatten",
    "tree_iter", "tree_leaves", "tree_leaves_with_path", "tree_structure", "tree_map", "tree_map_with_path", "tree_map_",
    "tree_map_only", "tree_map_only_", "tree_all", "tree_any", "tree_all_only", "tree_any_only", "treespec_dumps",
    "treespec_loads", "treespec_pprint", "is_namedtuple", "is_namedtuple_class", "is_namedtuple_instance", "is_structseq",
    "is_structseq_class", "is_structseq_instance", "SequenceKey", "MappingKey", "GetAttrKey", "register_constant",
    "register_dataclass", "treespec_leaf", "treespec_tuple", "treespec_dict",
]  # fmt: skip
FlattenFunc = UnflattenFunc = Any
FlattenWithKeysFunc = ToDumpableContextFn = FromDumpableContextFn = FlattenFunc
