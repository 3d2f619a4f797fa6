"""Graph: the operations of a function in the order in which they run."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from torch.fx import _pytree as fx_pytree  # noqa: F401
from torch.fx._annotations import _parse_stack_trace, dtype_abbrs  # noqa: F401
from torch.fx._codegen import (  # noqa: F401
    CodeGen,
    PythonCode,
    _format_target,
    _is_from_torch,
    inplace_methods,
    magic_methods,
    reflectable_magic_methods,  # noqa: F401
)
from torch.fx._dead_code import _eliminate_dead_code, _lint
from torch.fx._names import (  # noqa: F401
    _custom_builtins,
    _CustomBuiltin,
    _get_qualified_name,
    _is_magic,
    _Namespace,
    _register_custom_builtin,
    _snake_case,
    _type_repr,
)
from torch.fx.node import Argument, Node, Target, _legal_ops, map_arg  # noqa: F401
from torch.utils import _pytree as pytree  # noqa: F401

__all__ = ["PythonCode", "CodeGen", "Graph"]

_NOTHING: Any = type("nothing", (), {"__repr__": lambda self: "nothing"})()


class _node_list:
    """The nodes of a graph in order; it follows changes of the graph."""

    def __init__(self, graph: Graph, direction: str = "_next") -> None:
        if direction not in ("_next", "_prev"):
            raise AssertionError(f"_node_list: direction must be '_next' or '_prev', got {direction!r}")
        self.graph, self.direction = graph, direction

    def __len__(self) -> int:
        return self.graph._len

    def __iter__(self) -> Iterator[Node]:
        """Walks the ring; nodes that are erased on the way are left out."""
        node = getattr(self.graph._root, self.direction)
        while node is not self.graph._root:
            if not node._erased:
                yield node
            node = getattr(node, self.direction)

    def __reversed__(self) -> _node_list:
        return _node_list(self.graph, "_next" if self.direction == "_prev" else "_prev")


class _InsertPoint:
    """Where new nodes go, restored at the end of a `with` block."""

    def __init__(self, graph: Graph, new_insert: Callable[[Node], None]) -> None:
        self.graph = graph
        self.before, graph._insert = graph._insert, new_insert

    def __enter__(self) -> None:
        pass

    def __exit__(self, *problem: object) -> None:
        self.graph._insert = self.before


class _FindNodesLookupTable:
    """The nodes by kind, and by target where they call a function."""

    def __init__(self) -> None:
        self.table: dict[tuple[str, Any], dict[Node, None]] = {}

    def _key(self, node: Node) -> tuple[str, Any]:
        return node.op, node.target if node.op == "call_function" else None

    def __contains__(self, node: Node) -> bool:
        return node in self.table.get(self._key(node), ())

    def insert(self, node: Node) -> None:
        self.table.setdefault(self._key(node), {})[node] = None

    def remove(self, node: Node) -> None:
        self.table.get(self._key(node), {}).pop(node, None)

    def find_nodes(self, *, op: str, target: Target | None = None) -> list[Node]:
        if op == "call_function":
            if target is None:
                raise AssertionError("find_nodes: op='call_function' needs a target")
            return list(self.table.get((op, target), ()))
        found = list(self.table.get((op, None), ()))
        return found if target is None else [node for node in found if node.target == target]


class Graph:
    """The operations of a function in the order in which they run, from its inputs to its output.

    Args:
        owning_module (GraphModule, optional): which has the attributes and modules that the nodes name
        tracer_cls (type, optional): the class of the tracer that recorded it
        tracer_extras (dict, optional): what such a tracer is made with to trace again

    Example:
        >>> graph = torch.fx.Graph()
        >>> x = graph.placeholder("x")
        >>> y = graph.call_function(torch.relu, (x,))
        >>> output = graph.output(y)
        >>> print(graph)
        graph():
            %x : [num_users=1] = placeholder[target=x]
            %relu : [num_users=1] = call_function[target=torch.relu](args = (%x,), kwargs = {})
            return relu
    """

    def __init__(self, owning_module: Any = None, tracer_cls: type | None = None,
                 tracer_extras: dict[str, Any] | None = None) -> None:  # fmt: skip
        self._len = 0
        self._used_names: dict[str, int] = {}
        self._graph_namespace = _Namespace()
        self._find_nodes_lookup_table = _FindNodesLookupTable()
        self._owners = 0
        self._owning_module: Any = None
        self._numbered = False
        self._tracer_cls, self._tracer_extras = tracer_cls, tracer_extras
        self._codegen = CodeGen()
        self._co_fields: dict[str, Any] = {}
        self._root = Node(self, "", "root", "", (), {})
        self._insert: Callable[[Node], None] = self._root.prepend
        self.owning_module = owning_module

    @property
    def owning_module(self) -> Any:
        """The module that has the attributes which the nodes name, or None."""
        return self._owning_module

    @owning_module.setter
    def owning_module(self, module: Any) -> None:
        self._owning_module = module

    @property
    def nodes(self) -> _node_list:
        """The nodes in the order in which they run; `reversed` of it works, and it follows changes."""
        return _node_list(self)

    def output_node(self) -> Node:
        """The node that returns the result.

        Returns:
            the node

        Raises:
            AssertionError: there is none
        """
        last = next(iter(reversed(self.nodes)), None)
        if last is None or last.op != "output":
            raise AssertionError("Graph.output_node: the last node of the graph is no output")
        return last

    def find_nodes(self, *, op: str, target: Target | None = None, sort: bool = True) -> list[Node]:
        """The nodes of a kind.

        Args:
            op (str): the kind
            target (Callable or str, optional): only those with this target; call_function needs it
            sort (bool, default True): in the order of the graph

        Returns:
            the nodes
        """
        found = self._find_nodes_lookup_table.find_nodes(op=op, target=target)
        return sorted(found) if sort else found

    def _order_changed(self) -> None:
        self._numbered = False

    def _number_nodes(self) -> None:
        """Give the nodes numbers that say their order, after changes only."""
        if not self._numbered:
            for k, node in enumerate(self.nodes):
                node._position = k
            self._numbered = True

    def graph_copy(self, g: Graph, val_map: dict[Node, Node], return_output_node: bool = False) -> Any:
        """Copy the nodes of another graph to the end of this one, all but its output.

        Args:
            g (Graph): the other graph
            val_map (dict): nodes of it that stand for nodes of this one; the copies are added to it
            return_output_node (bool, default False): return the output node as well

        Returns:
            what the other graph returns, in nodes of this one, or None if it has no output
        """
        for node in g.nodes:
            if node in val_map:
                continue
            if node.op == "output":
                result = map_arg(node.args[0], lambda n: val_map[n])
                return (result, node) if return_output_node else result
            val_map[node] = self.node_copy(node, lambda n: val_map[n])
        return None

    def __deepcopy__(self, memo: Any = None) -> Graph:
        memo = memo if memo is not None else {}
        made = Graph(tracer_cls=self._tracer_cls)
        mapping: dict[Node, Node] = {}
        result = made.graph_copy(self, mapping, return_output_node=True)
        for old, new in mapping.items():
            new.meta = copy.copy(old.meta)
        made._codegen = copy.deepcopy(self._codegen)
        if result is not None:
            value, old = result
            new = made.output(value, type_expr=getattr(old, "type", None))
            new.meta = copy.copy(old.meta)
        memo[id(self)] = made
        return made

    def create_node(self, op: str, target: Target, args: tuple[Argument, ...] | None = None,
                    kwargs: dict[str, Argument] | None = None, name: str | None = None,
                    type_expr: Any | None = None) -> Node:  # fmt: skip
        """Add a node at the insert point, which is the end of the graph outside of `inserting_before` and `inserting_after`.

        Args:
            op (str): its kind
            target (Callable or str): what is called or read
            args (tuple, optional): positional arguments
            kwargs (dict, optional): keyword arguments
            name (str, optional): like which its name shall be
            type_expr (type, optional): of the result

        Returns:
            the node

        Raises:
            AssertionError: arguments that are no tuple and no dict, or an unknown kind
        """
        args, kwargs = () if args is None else args, {} if kwargs is None else kwargs
        if not isinstance(args, tuple) or not isinstance(kwargs, dict):
            raise AssertionError(
                f"Graph.create_node: args must be a tuple, kwargs a dict, got {type(args).__name__}, {type(kwargs).__name__}"
            )
        unique = self._graph_namespace.create_name(name if name is not None else self._target_to_str(target), None)
        node = Node(self, unique, op, target, args, kwargs, type_expr)
        for hook in getattr(self.owning_module, "_create_node_hooks", None) or ():
            hook(node)
        self._graph_namespace.associate_name_with_obj(unique, node)
        self._insert(node)
        self._find_nodes_lookup_table.insert(node)
        self._len += 1
        return node

    def process_inputs(self, *args: Any) -> Any:
        """The values of the placeholders out of the arguments of a call.

        Args:
            *args (Any): of the call

        Returns:
            the values
        """
        return self._codegen.process_inputs(*args)

    def process_outputs(self, out: Any) -> Any:
        """The result of a call out of the value of the output node.

        Args:
            out (Any): the value

        Returns:
            the result
        """
        return self._codegen.process_outputs(out)

    def erase_node(self, to_erase: Node) -> None:
        """Remove a node that nobody uses.

        Args:
            to_erase (Node): the node

        Raises:
            RuntimeError: it has users, or belongs to another graph
        """
        if to_erase.users:
            raise RuntimeError(f"Graph.erase_node: {to_erase} is still used by {', '.join(map(str, to_erase.users))}")
        if to_erase.graph is not self:
            raise RuntimeError(f"Graph.erase_node: {to_erase} belongs to another graph")
        if to_erase._erased:
            import warnings

            warnings.warn(f"Graph.erase_node: {to_erase} has been erased before")
            return
        for hook in getattr(self.owning_module, "_erase_node_hooks", None) or ():
            hook(to_erase)
        self._find_nodes_lookup_table.remove(to_erase)
        to_erase._remove_from_list()
        to_erase._erased = True
        self._len -= 1
        to_erase._update_args_kwargs((), {})

    def inserting_before(self, n: Node | None = None) -> _InsertPoint:
        """Put new nodes in front of a node, for the duration of a `with` block or from now on.

        Args:
            n (Node, optional): the node; by default the first one

        Returns:
            what ends it at the end of a `with` block
        """
        if n is None:
            return self.inserting_after(self._root)
        self._check_owner(n, "inserting_before")
        return _InsertPoint(self, n.prepend)

    def inserting_after(self, n: Node | None = None) -> _InsertPoint:
        """Put new nodes behind a node, for the duration of a `with` block or from now on.

        Args:
            n (Node, optional): the node; by default the last one

        Returns:
            what ends it at the end of a `with` block
        """
        if n is None:
            return self.inserting_before(self._root)
        self._check_owner(n, "inserting_after")
        return _InsertPoint(self, n.append)

    def _check_owner(self, node: Node, function: str) -> None:
        if node.graph is not self:
            raise AssertionError(f"Graph.{function}: {node} belongs to another graph")

    def placeholder(self, name: str, type_expr: Any | None = None, default_value: Any = _NOTHING) -> Node:
        """Add an input.

        Args:
            name (str): of the parameter; with * or ** in front for those that take the rest
            type_expr (type, optional): of the value
            default_value (Any, optional): of the parameter

        Returns:
            the node
        """
        args = () if default_value is _NOTHING else (default_value,)
        return self.create_node("placeholder", name, args=args, type_expr=type_expr)

    def get_attr(self, qualified_name: str, type_expr: Any | None = None) -> Node:
        """Add a read of an attribute of the owning module.

        Args:
            qualified_name (str): such as "layer.weight"
            type_expr (type, optional): of the value

        Returns:
            the node
        """
        self._check_attribute(qualified_name)
        return self.create_node("get_attr", qualified_name, type_expr=type_expr)

    def _check_attribute(self, qualified_name: str) -> None:
        """Warn of a name that the owning module does not have."""
        module = self.owning_module
        if module is None:
            return
        value = module
        for part in qualified_name.split("."):
            if not hasattr(value, part):
                import warnings

                warnings.warn(
                    f"Graph.get_attr: {qualified_name!r} names no parameter, buffer or module of the owning module; "
                    "add it with GraphModule.add_submodule or register_buffer first", stacklevel=3
                )  # fmt: skip
                return
            value = getattr(value, part)

    def call_module(self, module_name: str, args: tuple[Argument, ...] | None = None,
                    kwargs: dict[str, Argument] | None = None, type_expr: Any | None = None) -> Node:  # fmt: skip
        """Add a call of a module that the owning module contains.

        Args:
            module_name (str): such as "layers.0"
            args (tuple, optional): positional arguments
            kwargs (dict, optional): keyword arguments
            type_expr (type, optional): of the result

        Returns:
            the node
        """
        if self.owning_module and self.owning_module.get_submodule(module_name) is None:
            import warnings

            warnings.warn(f"Graph.call_module: the owning module has no {module_name!r}; GraphModule.add_submodule adds it")
        return self.create_node("call_module", module_name, args, kwargs, type_expr=type_expr)

    def call_method(self, method_name: str, args: tuple[Argument, ...] | None = None,
                    kwargs: dict[str, Argument] | None = None, type_expr: Any | None = None) -> Node:  # fmt: skip
        """Add a call of a method of the first argument.

        Args:
            method_name (str): such as "relu"
            args (tuple, optional): the object, and positional arguments
            kwargs (dict, optional): keyword arguments
            type_expr (type, optional): of the result

        Returns:
            the node
        """
        return self.create_node("call_method", method_name, args, kwargs, type_expr=type_expr)

    def call_function(self, the_function: Callable[..., Any], args: tuple[Argument, ...] | None = None,
                      kwargs: dict[str, Argument] | None = None, type_expr: Any | None = None,
                      name: str | None = None) -> Node:  # fmt: skip
        """Add a call of a function.

        Args:
            the_function (Callable): the function
            args (tuple, optional): positional arguments
            kwargs (dict, optional): keyword arguments
            type_expr (type, optional): of the result
            name (str, optional): like which the name of the node shall be

        Returns:
            the node
        """
        return self.create_node("call_function", the_function, args, kwargs, name=name, type_expr=type_expr)

    def node_copy(self, node: Node, arg_transform: Callable[[Node], Argument] = lambda x: x) -> Node:
        """Copy a node of another graph.

        Args:
            node (Node): the node
            arg_transform (Callable): gets each node among its arguments, and returns what stands for it here

        Returns:
            the copy
        """
        args, kwargs = map_arg(node.args, arg_transform), map_arg(node.kwargs, arg_transform)
        made = self.create_node(node.op, node.target, args, dict(kwargs), node.name, node.type)
        made.meta = copy.copy(node.meta)
        return made

    def output(self, result: Argument, type_expr: Any | None = None) -> Node:
        """Add what the function returns; it must be the last node.

        Args:
            result (Argument): what is returned
            type_expr (type, optional): of it

        Returns:
            the node
        """
        return self.create_node("output", "output", (result,), type_expr=type_expr)

    def _target_to_str(self, target: Target | None) -> str:
        name = target if isinstance(target, str) else getattr(target, "__name__", type(target).__name__)
        return _snake_case(name[2:-2] if _is_magic(name) else name)

    def python_code(self, root_module: str, *, verbose: bool = False, include_stride: bool = False, include_device: bool = False,
                    colored: bool = False, expanded_def: bool = False, record_func: bool = False,
                    additional_meta: list[str] | None = None) -> PythonCode:  # fmt: skip
        """The graph as the text of a function.

        Args:
            root_module (str): what the module is called in the code, such as "self"
            verbose (bool, default False): also say where each line comes from, and what dtypes and shapes are known
            include_stride (bool, default False): and strides
            include_device (bool, default False): and devices
            colored (bool, default False): with the color codes of terminals
            expanded_def (bool, default False): one parameter a line
            record_func (bool, default False): of no effect
            additional_meta (list[str], optional): keys of `Node.meta` to show as comments

        Returns:
            the text and the names that it uses
        """
        options = {
            "verbose": verbose, "include_stride": include_stride, "include_device": include_device, "colored": colored,
            "expanded_def": expanded_def, "record_func": record_func, "additional_meta": additional_meta,
        }  # fmt: skip
        namespace = _Namespace()

        def name_in_code(node: Node) -> str:
            return namespace.create_name(node.name, node)

        with self._named_by(name_in_code):
            return self._codegen._gen_python_code(self.nodes, root_module, namespace, **options)

    @contextlib.contextmanager
    def _named_by(self, function: Callable[[Node], str]) -> Iterator[None]:
        before = {node: node._repr_fn for node in self.nodes}
        for node in before:
            node._repr_fn = function
        try:
            yield
        finally:
            for node, old in before.items():
                node._repr_fn = old

    def __str__(self) -> str:
        names: list[str] = []
        returned = [""]
        lines = [node.format_node(names, returned) for node in self.nodes]
        return "\n    ".join([f"graph():{returned[0] and ''}", *(line for line in lines if line)])

    def print_tabular(self) -> None:
        """Print the nodes as a table, which the package tabulate draws.

        Raises:
            ImportError: the package is not installed
        """
        try:
            from tabulate import tabulate  # type: ignore[import-untyped]
        except ImportError as error:
            message = (
                "Graph.print_tabular draws its table with the package tabulate, which is not installed (pip install tabulate)"
            )
            raise type(error)(message, name="tabulate") from None
        rows = [[node.op, node.name, node.target, node.args, node.kwargs] for node in self.nodes]
        print(tabulate(rows, headers=["opcode", "name", "target", "args", "kwargs"]))

    def lint(self) -> None:
        """Check that the graph is well-formed: nodes use nodes before them, names are unique, what they name exists.

        Raises:
            RuntimeError: it is not; the message says where
        """
        _lint(self)

    def eliminate_dead_code(self, is_impure_node: Callable[[Node], bool] | None = None) -> bool:
        """Remove the nodes that nobody uses and that do nothing else.

        Args:
            is_impure_node (Callable, optional): whether a node does something else; by default `Node.is_impure`

        Returns:
            whether a node was removed
        """
        return _eliminate_dead_code(self, is_impure_node)

    def set_codegen(self, codegen: CodeGen) -> None:
        """Let another object turn the graph into code.

        Args:
            codegen (CodeGen): the object
        """
        self._codegen = codegen

    def on_generate_code(self, make_transformer: Callable[[Any], Callable[[list[str]], list[str]]]) -> Any:
        """Let a function change the lines of the generated code, from now on.

        Args:
            make_transformer (Callable): gets the present function or None, and returns one from lines to lines

        Returns:
            an object that restores the present function at the end of a `with` block
        """
        before = self._codegen._body_transformer
        self._codegen._body_transformer = make_transformer(before)

        @contextlib.contextmanager
        def restored() -> Iterator[None]:
            try:
                yield
            finally:
                self._codegen._body_transformer = before

        return restored()

    def _clear_nodes(self) -> None:
        for node in list(reversed(list(self.nodes))):
            node.users.clear()
            self.erase_node(node)

    def __reduce__(self) -> Any:
        return _rebuild, (_pickled_nodes(self), self._codegen, self._tracer_cls)


def _pickled_nodes(graph: Graph) -> list[Any]:
    """The nodes as data without references to each other, which would be pickled one inside of the other."""
    rows = []
    for node in graph.nodes:
        args, kwargs = map_arg((node.args, dict(node.kwargs)), lambda n: _Reference(n.name))
        rows.append((node.name, node.op, node.target, args, kwargs, node.type))
    return rows


class _Reference:
    """Stands for a node in pickled arguments."""

    def __init__(self, name: str) -> None:
        self.name = name


def _rebuild(rows: Sequence[Any], codegen: CodeGen, tracer_cls: type | None) -> Graph:
    from torch.fx.node import map_aggregate

    graph, made = Graph(tracer_cls=tracer_cls), {}
    for name, op, target, args, kwargs, type_expr in rows:
        args, kwargs = map_aggregate((args, kwargs), lambda value: made[value.name] if isinstance(value, _Reference) else value)
        made[name] = graph.create_node(op, target, args, dict(kwargs), name, type_expr)
    graph._codegen = codegen
    return graph


def __getattr__(name: str) -> Any:
    if name in ("_PyTreeCodeGen", "_PyTreeInfo"):
        from torch.fx import _pytree_codegen

        return getattr(_pytree_codegen, name)
    raise AttributeError(f"module 'torch.fx.graph' has no attribute '{name}'")
