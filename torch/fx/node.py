"""Node: one operation of a graph, with its arguments and its users.

Nodes form a ring, in the order in which they run; the ring's root is not an operation. Whatever changes arguments keeps
the users of the nodes in step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch.fx._names import _find_module_of_method, _get_qualified_name, _type_repr  # noqa: F401
from torch.fx._purity import _side_effectful_functions, call_is_impure, has_side_effect  # noqa: F401
from torch.fx.immutable_collections import immutable_dict, immutable_list

__all__ = ["Node", "map_arg", "map_aggregate", "has_side_effect"]

base_types = (str, int, float, bool, complex, torch.dtype, torch.Tensor, torch.device, torch.memory_format, torch.layout)
BaseArgumentTypes = base_types
Target = Any  # a function, or a str
Argument = Any

_legal_ops = ("placeholder", "call_method", "call_module", "call_function", "get_attr", "output", "root")


def _is_namedtuple(value: Any) -> bool:
    return isinstance(value, tuple) and hasattr(value, "_fields")


def map_aggregate(a: Argument, fn: Callable[[Argument], Argument]) -> Argument:
    """Rebuild an argument with each of its parts that is no container replaced.

    Args:
        a (Argument): anything; tuples, lists, dicts and slices in it are walked
        fn (Callable): gets each part, and returns what replaces it

    Returns:
        the new argument, whose lists and dicts cannot be changed

    Example:
        >>> torch.fx.node.map_aggregate([1, (2, {"a": 3})], lambda value: value * 10)
        [10, (20, {'a': 30})]
    """
    if isinstance(a, tuple):
        parts = [map_aggregate(each, fn) for each in a]
        return type(a)(*parts) if _is_namedtuple(a) else tuple(parts)
    if isinstance(a, list):
        return immutable_list(map_aggregate(each, fn) for each in a)
    if isinstance(a, dict):
        return immutable_dict((key, map_aggregate(each, fn)) for key, each in a.items())
    if isinstance(a, slice):
        return slice(map_aggregate(a.start, fn), map_aggregate(a.stop, fn), map_aggregate(a.step, fn))
    return fn(a)


def map_arg(a: Argument, fn: Callable[[Node], Argument]) -> Argument:
    """Rebuild an argument with its nodes replaced.

    Args:
        a (Argument): anything; tuples, lists, dicts and slices in it are walked
        fn (Callable): gets each node, and returns what replaces it

    Returns:
        the new argument, whose lists and dicts cannot be changed

    Raises:
        TypeError: `fn` cannot be called

    Example:
        >>> x = torch.fx.Graph().placeholder("x")
        >>> torch.fx.map_arg([x, 2], lambda node: node.name)
        ['x', 2]
    """
    if not callable(fn):
        raise TypeError(f"torch.fx.map_arg: expected fn to be a function, got {type(fn).__name__}")
    return map_aggregate(a, lambda value: fn(value) if isinstance(value, Node) else value)


def _format_arg(arg: object, max_list_len: float = float("inf")) -> str:
    """An argument as the text of a graph has it: nodes with %, strings without quotes."""
    if hasattr(arg, "_custom_fx_repr_fn"):
        return arg._custom_fx_repr_fn()  # type: ignore[attr-defined, no-any-return]
    if isinstance(arg, (list, tuple)):
        words = [_format_arg(each) for each, _ in zip(arg, range(int(min(max_list_len, len(arg)))))]
        if len(words) < len(arg):
            words.append(f"...[total_len={len(arg)}]")
        text = ", ".join(words)
        if isinstance(arg, list):
            return f"[{text}]"
        return f"({text}{',' if len(arg) == 1 else ''})"
    if isinstance(arg, dict):
        return "{" + ", ".join(f"{key}: {_format_arg(value)}" for key, value in arg.items()) + "}"
    return f"%{arg}" if isinstance(arg, Node) else str(arg)


class Node:
    """One operation of a graph. Graphs make them.

    `op` says what it does: "placeholder" takes an input, "get_attr" reads an attribute of the module, "call_function",
    "call_module" and "call_method" call `target`, "output" returns `args[0]`. `users` has the nodes that use the result, `meta`
    what passes note down.

    Args:
        graph (Graph): where it belongs
        name (str): unique in the graph
        op (str): one of the six kinds
        target (Callable or str): what is called or read
        args (tuple): positional arguments
        kwargs (dict): keyword arguments
        return_type (type, optional): of the result

    Raises:
        AssertionError: another kind
        ValueError: a target of the wrong type

    Example:
        >>> graph = torch.fx.Graph()
        >>> x = graph.placeholder("x")
        >>> y = graph.call_function(torch.add, (x, 1))
        >>> y.op, y.args, x.users
        ('call_function', (x, 1), {add: None})
    """

    _sort_key: Any

    def __init__(self, graph: Any, name: str, op: str, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Argument],
                 return_type: Any | None = None) -> None:  # fmt: skip
        if op not in _legal_ops:
            raise AssertionError(f"torch.fx.Node: op must be one of {', '.join(_legal_ops[:-1])}, got {op!r}")
        if op == "call_function" and not callable(target):
            raise ValueError(f"Node {name!r}: the target of call_function must be a Callable, got {target!r}")
        if op != "call_function" and not isinstance(target, str):
            raise ValueError(f"Node {name!r}: the target of {op} must be a str, got {target!r}")
        self.graph, self.name, self.op, self.target, self.type = graph, name, op, target, return_type
        self._prev = self._next = self
        self._erased = False
        self._repr_fn: Callable[[Node], str] | None = None
        self._input_nodes: dict[Node, None] = {}
        self.users: dict[Node, None] = {}
        self.meta: dict[str, Any] = {}
        self._position = -1
        self._args: tuple[Argument, ...] = ()
        self._kwargs: dict[str, Argument] = immutable_dict()
        self._update_args_kwargs(args, kwargs)

    @property
    def next(self) -> Node:
        """The node that runs after this one."""
        return self._next

    @property
    def prev(self) -> Node:
        """The node that runs before this one."""
        return self._prev

    def prepend(self, x: Node) -> None:
        """Move a node in front of this one.

        Args:
            x (Node): of the same graph

        Raises:
            AssertionError: it belongs to another graph
        """
        if x.graph is not self.graph:
            raise AssertionError(f"Node.prepend: {x} belongs to another graph than {self}")
        if x is self:
            return
        x._remove_from_list()
        before = self._prev
        before._next, x._prev, x._next, self._prev = x, before, self, x
        self.graph._order_changed()

    def append(self, x: Node) -> None:
        """Move a node behind this one.

        Args:
            x (Node): of the same graph
        """
        self._next.prepend(x)

    def _remove_from_list(self) -> None:
        self._prev._next, self._next._prev = self._next, self._prev

    def __lt__(self, other: Node) -> bool:
        return self._order() < other._order()

    def __gt__(self, other: Node) -> bool:
        return self._order() > other._order()

    def __le__(self, other: Node) -> bool:
        return self is other or self < other

    def __ge__(self, other: Node) -> bool:
        return self is other or self > other

    def _order(self) -> int:
        self.graph._number_nodes()
        return self._position

    @property
    def args(self) -> tuple[Argument, ...]:
        """The positional arguments; assign a new tuple to change them."""
        return self._args

    @args.setter
    def args(self, a: tuple[Argument, ...]) -> None:
        self._update_args_kwargs(a, self._kwargs)

    @property
    def kwargs(self) -> dict[str, Argument]:
        """The keyword arguments; assign a new dict to change them."""
        return self._kwargs

    @kwargs.setter
    def kwargs(self, k: dict[str, Argument]) -> None:
        self._update_args_kwargs(self._args, k)

    def _update_args_kwargs(self, args: Any, kwargs: Any) -> None:
        found: dict[Node, None] = {}

        def note(node: Node) -> Node:
            found[node] = None
            return node

        new_args, new_kwargs = map_arg(args, note), map_arg(kwargs, note)
        for node in self._input_nodes:
            node.users.pop(self, None)
        self._args, self._kwargs, self._input_nodes = new_args, new_kwargs, found
        for node in found:
            node.users.setdefault(self)

    @property
    def all_input_nodes(self) -> list[Node]:
        """The nodes among the arguments, each once."""
        return list(self._input_nodes)

    def update_arg(self, idx: int, arg: Argument) -> None:
        """Replace a positional argument.

        Args:
            idx (int): its place
            arg (Argument): the new one
        """
        changed = list(self._args)
        changed[idx] = arg
        self.args = tuple(changed)

    def insert_arg(self, idx: int, arg: Argument) -> None:
        """Add a positional argument.

        Args:
            idx (int): its place, at most the number of arguments
            arg (Argument): the new one

        Raises:
            AssertionError: there is no such place
        """
        if not 0 <= idx <= len(self._args):
            raise AssertionError(f"Node.insert_arg: idx must be between 0 and {len(self._args)}, got {idx}")
        self.args = (*self._args[:idx], arg, *self._args[idx:])

    def update_kwarg(self, key: str, arg: Argument) -> None:
        """Set a keyword argument.

        Args:
            key (str): its name
            arg (Argument): its value
        """
        self.kwargs = {**self._kwargs, key: arg}

    @property
    def stack_trace(self) -> str | None:
        """Where in the program the operation was recorded, if that was asked for."""
        return self.meta.get("stack_trace")

    @stack_trace.setter
    def stack_trace(self, trace: str | None) -> None:
        self.meta["stack_trace"] = trace

    def __repr__(self) -> str:
        return self._repr_fn(self) if self._repr_fn else self.name

    @staticmethod
    def _pretty_print_target(target: object) -> str:
        if isinstance(target, str):
            return target
        module, name = getattr(target, "__module__", None), getattr(target, "__name__", None)
        if name is None:
            return repr(target)
        if module == "builtins":
            return f"builtins.{name}"
        return f"operator.{name}" if module == "_operator" else _get_qualified_name(target)  # type: ignore[arg-type]

    def format_node(self, placeholder_names: list[str] | None = None, maybe_return_typename: list[str] | None = None, *,
                    include_tensor_metadata: bool = False) -> str | None:  # fmt: skip
        """This node as a line of the text of its graph.

        Args:
            placeholder_names (list[str], optional): a list that collects the inputs
            maybe_return_typename (list[str], optional): a list of one text, which becomes the type of the result
            include_tensor_metadata (bool, default False): also show dtypes and shapes that are known

        Returns:
            the line
        """
        typed = f"{_type_repr(self.type)} " if self.type else ""
        if include_tensor_metadata:
            from torch.fx._annotations import type_of_value

            typed += (type_of_value(self.meta.get("val", self.meta.get("tensor_meta"))) + " ").lstrip()
        head = f"%{self.name} : {typed}[num_users={len(self.users)}] = {self.op}[target={self._pretty_print_target(self.target)}]"
        if self.op == "placeholder":
            if placeholder_names is not None:
                placeholder_names.append(f"{self.target}{f' : {_type_repr(self.type)}' if self.type else ''}")
            return head + (f"(default={self.args[0]})" if self.args else "")
        if self.op == "get_attr":
            return head
        if self.op == "output":
            if self.type and maybe_return_typename:
                maybe_return_typename[0] = f" -> {_type_repr(self.type)}"
            return f"return {self.args[0]}"
        return f"{head}(args = {_format_arg(self.args)}, kwargs = {_format_arg(self.kwargs)})"

    def replace_all_uses_with(self, replace_with: Node, delete_user_cb: Callable[[Node], bool] | None = None, *,
                              propagate_meta: bool = False) -> list[Node]:  # fmt: skip
        """Make the users of this node use another one instead.

        Args:
            replace_with (Node): the other one
            delete_user_cb (Callable, optional): gets a user; False leaves it as it is
            propagate_meta (bool, default False): also copy `meta` to the other node, which must have none

        Returns:
            the users that were changed

        Raises:
            AssertionError: `propagate_meta`, and the other node has meta data already
        """
        if propagate_meta:
            if replace_with.meta:
                raise AssertionError(f"replace_all_uses_with(propagate_meta=True): {replace_with} has meta data of its own")
            replace_with.meta.update(self.meta)
        changed = [user for user in self.users if delete_user_cb is None or delete_user_cb(user)]
        for user in changed:
            user._call_replace_hooks(self, replace_with)
            user._replace({self: replace_with})
        return changed

    def _call_replace_hooks(self, old: Node, new: Node) -> None:
        for hook in getattr(self.graph.owning_module, "_replace_hooks", None) or ():
            hook(old=old, new=new.name, user=self)

    def _replace(self, mapping: Mapping[Node, Node]) -> None:
        def swap(node: Node) -> Node:
            return mapping.get(node, node)

        self._update_args_kwargs(map_arg(self._args, swap), map_arg(self._kwargs, swap))

    def is_impure(self, impure_random: bool = True) -> bool:
        """Whether the operation does more than compute its result, so that it must stay although nobody uses that.

        Args:
            impure_random (bool, default True): whether drawing random numbers counts

        Returns:
            whether it does
        """
        if self.op in ("placeholder", "output"):
            return True
        if self.op == "call_function":
            return call_is_impure(self, impure_random)
        if self.op == "call_module":
            module = self.graph.owning_module
            if module is None:
                raise AssertionError(f"Node.is_impure: the graph of {self} belongs to no module, so its target is not known")
            return getattr(module.get_submodule(self.target), "_is_impure", False)
        return False

    def normalized_arguments(self, root: Any, arg_types: tuple[Any, ...] | None = None,
                             kwarg_types: dict[str, Any] | None = None,
                             normalize_to_only_use_kwargs: bool = False) -> Any:  # fmt: skip
        """The arguments as the signature of the target has them, with the defaults filled in.

        Args:
            root (Module): which has the modules that are called
            arg_types (tuple, optional): types of the positional arguments, which select an overload
            kwarg_types (dict, optional): types of the keyword arguments
            normalize_to_only_use_kwargs (bool, default False): pass all of them by name

        Returns:
            an ArgsKwargsPair, or None if the signature is not known
        """
        from torch.fx.operator_schemas import normalize_function, normalize_module

        if self.op == "call_function":
            return normalize_function(
                self.target, self.args, self.kwargs, arg_types, kwarg_types, normalize_to_only_use_kwargs  # type: ignore[arg-type]
            )  # fmt: skip
        if self.op == "call_module":
            return normalize_module(root, self.target, self.args, self.kwargs, normalize_to_only_use_kwargs)  # type: ignore[arg-type]
        return None

    def replace_input_with(self, old_input: Node, new_input: Node) -> None:
        """Use another node wherever one is used as an argument.

        Args:
            old_input (Node): the one
            new_input (Node): the other
        """
        self._call_replace_hooks(old_input, new_input)
        self._replace({old_input: new_input})

    def _rename(self, candidate: str) -> None:
        if candidate == self.name:
            return
        self.name = self.graph._graph_namespace.create_name(candidate, None)
        self.graph._graph_namespace._rename_object(self, self.name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("op", "target") and "_position" in self.__dict__:
            table = self.graph._find_nodes_lookup_table
            listed = self in table
            if listed:
                table.remove(self)
            object.__setattr__(self, name, value)
            if listed:
                table.insert(self)
            return
        if name == "name" and "name" in self.__dict__:
            for hook in getattr(self.graph.owning_module, "_replace_hooks", None) or ():
                for user in self.users:
                    hook(old=self, new=value, user=user)
        object.__setattr__(self, name, value)


def _nodes_in(value: Argument) -> Sequence[Node]:
    """The nodes in an argument, in order."""
    found: list[Node] = []
    map_arg(value, lambda node: found.append(node) or node)  # type: ignore[func-returns-value]
    return found
