"""OperatorSupport: which nodes a backend can run."""

from __future__ import annotations

import abc
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch.fx.node import Node
from torch.fx.passes.tools_common import CALLABLE_NODE_OPS, get_node_target

__all__ = ["OperatorSupportBase", "OperatorSupport", "create_op_support", "chain", "OpSupports", "any_chain"]

Submodules = Mapping[str, torch.nn.Module]
SupportedArgumentDTypes = Any
IsNodeSupported = Callable[[Submodules, Node], bool]


class OperatorSupportBase(abc.ABC):
    """Says of a node whether a backend can run it."""

    @abc.abstractmethod
    def is_node_supported(self, submodules: Submodules, node: Node) -> bool:
        """Whether it can."""


def _get_arg_dtype(arg: Node) -> Any:
    """The dtype of a value, which ShapeProp must have found."""
    meta = arg.meta["tensor_meta"]
    return meta.dtype if hasattr(meta, "dtype") else arg.meta["type"]


class OperatorSupport(OperatorSupportBase):
    """Says it by a table: {name of a target: None, or the dtypes of its positional arguments and of the others}.

    Args:
        support_dict (dict, optional): the table
    """

    _support_dict: Mapping[str, Any] = {}

    def __init__(self, support_dict: Mapping[str, SupportedArgumentDTypes] | None = None) -> None:
        self._support_dict = support_dict or self._support_dict

    def is_node_supported(self, submodules: Submodules, node: Node) -> bool:
        """Whether the table has the node's target, with the dtypes of its arguments."""
        if node.op not in CALLABLE_NODE_OPS:
            return True
        target = get_node_target(submodules, node)
        if target not in self._support_dict:
            return False
        dtypes = self._support_dict[target]
        if dtypes is None:
            return True
        positional, by_name = dtypes
        for allowed, arg in zip(positional, node.args):
            if isinstance(arg, Node) and _get_arg_dtype(arg) not in allowed:
                return False
        return all(
            _get_arg_dtype(node.kwargs[key]) in allowed
            for key, allowed in by_name.items()
            if isinstance(node.kwargs.get(key), Node)
        )


def create_op_support(is_node_supported: IsNodeSupported) -> OperatorSupportBase:
    """An object out of a function.

    Args:
        is_node_supported (Callable): gets the modules by path and the node

    Returns:
        the object
    """

    class ByFunction(OperatorSupportBase):
        def is_node_supported(self, submodules: Submodules, node: Node) -> bool:
            return is_node_supported(submodules, node)

    return ByFunction()


def chain(*op_support: OperatorSupportBase) -> OperatorSupportBase:
    """What all of several support.

    Args:
        *op_support (OperatorSupportBase): the several

    Returns:
        the object
    """
    return create_op_support(lambda submodules, node: all(each.is_node_supported(submodules, node) for each in op_support))


def any_chain(*op_support: OperatorSupportBase) -> OperatorSupportBase:
    """What at least one of several supports.

    Args:
        *op_support (OperatorSupportBase): the several

    Returns:
        the object
    """
    return create_op_support(lambda submodules, node: any(each.is_node_supported(submodules, node) for each in op_support))


class OpSupports:
    """Common reasons to refuse a node."""

    @classmethod
    def decline_if_input_dtype(cls, dtype: torch.dtype) -> OperatorSupportBase:
        """Refuses nodes with an input of a dtype."""

        def supported(submodules: Submodules, node: Node) -> bool:
            return all(_get_arg_dtype(arg) != dtype for arg in node.all_input_nodes)

        return create_op_support(supported)

    @classmethod
    def decline_if_node_in_names(cls, disallow_set: set[str]) -> OperatorSupportBase:
        """Refuses nodes by name."""
        return create_op_support(lambda submodules, node: node.name not in disallow_set)
