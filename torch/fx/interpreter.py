"""Interpreter and Transformer: run a graph node by node, and rebuild one."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import torch
from torch.fx import traceback as fx_traceback
from torch.fx.graph import Graph
from torch.fx.graph_module import GraphModule
from torch.fx.node import Argument, Node, Target, map_aggregate, map_arg
from torch.fx.proxy import Proxy, TracerBase

__all__ = ["Interpreter", "Transformer"]


class Interpreter:
    """Runs a graph node by node. Subclasses override what a kind of node does.

    Args:
        module (Module): which has the graph, and the attributes that it names
        garbage_collect_values (bool, default True): forget values after their last use
        graph (Graph, optional): by default that of the module

    Attributes:
        env: the values that are known, by node

    Example:
        >>> class Printing(torch.fx.Interpreter):
        ...     def run_node(self, node):
        ...         value = super().run_node(node)
        ...         print(node.name, value)
        ...         return value
        >>> Printing(torch.fx.symbolic_trace(lambda x: x * 2 + 1)).run(5)
        x 5
        mul 10
        add 11
        output 11
        11
    """

    def __init__(self, module: torch.nn.Module, garbage_collect_values: bool = True, graph: Graph | None = None) -> None:
        self.module = module
        self.graph: Graph = graph if graph is not None else module.graph  # type: ignore[assignment]
        self.submodules = dict(module.named_modules())
        self.env: dict[Node, Any] = {}
        self.name = "Interpreter"
        self.garbage_collect_values = garbage_collect_values
        self.extra_traceback = True
        self.args_iter: Iterator[Any] = iter(())
        self.user_to_last_uses: dict[Node, list[Node]] = {}
        if garbage_collect_values:
            from torch.fx._codegen import _last_uses

            self.user_to_last_uses = _last_uses(list(self.graph.nodes))

    def run(self, *args: Any, initial_env: dict[Node, Any] | None = None, enable_io_processing: bool = True) -> Any:
        """Run the graph.

        Args:
            *args (Any): the arguments
            initial_env (dict, optional): values that need not be computed
            enable_io_processing (bool, default True): take nested arguments apart as the graph's code does

        Returns:
            the result
        """
        self.env = dict(initial_env) if initial_env is not None else {}
        if enable_io_processing:
            args = self.graph.process_inputs(*args)
        self.args_iter = iter(args)
        for node in self.graph.nodes:
            if node in self.env:
                continue
            try:
                self.env[node] = self.run_node(node)
            except Exception as error:
                if self.extra_traceback:
                    _add_place(error, node)
                raise
            for used in self.user_to_last_uses.get(node, ()):
                self.env.pop(used, None)
            if node.op == "output":
                value = self.env[node]
                return self.graph.process_outputs(value) if enable_io_processing else value
        return None

    def boxed_run(self, args_list: list[Any]) -> Any:
        """Run the graph, and forget the arguments when they have been used.

        Args:
            args_list (list): the arguments; it is emptied

        Returns:
            the result
        """
        places = [node for node in self.graph.nodes if node.op == "placeholder"]
        env = dict(zip(places, args_list))
        args_list.clear()
        return self.run(initial_env=env)

    @contextlib.contextmanager
    def _set_current_node(self, node: Node) -> Iterator[None]:
        with fx_traceback.set_current_meta(node, f"Interpreter_{type(self).__name__}"):
            yield

    def run_node(self, n: Node) -> Any:
        """Run one node, by the method of its kind.

        Args:
            n (Node): the node

        Returns:
            its value
        """
        with self._set_current_node(n):
            args, kwargs = self.fetch_args_kwargs_from_env(n)
            return getattr(self, n.op)(n.target, args, kwargs)

    def placeholder(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        """The value of an input.

        Args:
            target (str): the parameter
            args (tuple): its default, or nothing
            kwargs (dict): nothing

        Returns:
            the value

        Raises:
            RuntimeError: the call has too few arguments
        """
        if str(target).startswith("*"):
            return list(self.args_iter)
        for value in self.args_iter:
            return value
        if args:
            return args[0]
        raise RuntimeError(f"Interpreter.run: no argument is given for the parameter {target!r}, which has no default")

    def get_attr(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        """The value of an attribute of the module.

        Args:
            target (str): its path
            args (tuple): nothing
            kwargs (dict): nothing

        Returns:
            the value
        """
        return self.fetch_attr(target)  # type: ignore[arg-type]

    def call_function(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        """Call a function.

        Args:
            target (Callable): the function
            args (tuple): positional arguments
            kwargs (dict): keyword arguments

        Returns:
            the result
        """
        return target(*args, **kwargs)  # type: ignore[operator]

    def call_method(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        """Call a method.

        Args:
            target (str): its name
            args (tuple): the object, and positional arguments
            kwargs (dict): keyword arguments

        Returns:
            the result
        """
        owner, *rest = args
        return getattr(owner, target)(*rest, **kwargs)  # type: ignore[arg-type]

    def call_module(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        """Call a module.

        Args:
            target (str): its path
            args (tuple): positional arguments
            kwargs (dict): keyword arguments

        Returns:
            the result
        """
        return self.fetch_attr(target)(*args, **kwargs)  # type: ignore[arg-type]

    def output(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        """What the graph returns.

        Args:
            target (str): "output"
            args (tuple): the result
            kwargs (dict): nothing

        Returns:
            the result
        """
        return args[0]

    def fetch_attr(self, target: str) -> Any:
        """An attribute of the module.

        Args:
            target (str): its path

        Returns:
            the value

        Raises:
            RuntimeError: there is none
        """
        value: Any = self.module
        for k, part in enumerate(target.split(".")):
            if not hasattr(value, part):
                raise RuntimeError(f"the graph names {target!r}, but the module has no {'.'.join(target.split('.')[: k + 1])!r}")
            value = getattr(value, part)
        return value

    def fetch_args_kwargs_from_env(self, n: Node) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments of a node, with values in place of nodes.

        Args:
            n (Node): the node

        Returns:
            positional and keyword arguments
        """
        args, kwargs = self.map_nodes_to_values(n.args, n), self.map_nodes_to_values(n.kwargs, n)
        return args, kwargs

    def map_nodes_to_values(self, args: Argument, n: Node) -> Any:
        """An argument with values in place of nodes.

        Args:
            args (Argument): the argument
            n (Node): which it belongs to

        Returns:
            the argument

        Raises:
            RuntimeError: the value of a node is not known
        """

        def load(used: Node) -> Any:
            if used not in self.env:
                raise RuntimeError(
                    f"the node {n} uses {used}, which has not been computed; Graph.lint finds nodes in the wrong order"
                )
            return self.env[used]

        return map_arg(args, load)


def _add_place(error: Exception, node: Node) -> None:
    """Say in an error which node was running."""
    message = f"While executing {node.format_node()}"
    if node.stack_trace:
        message += f"\nRecorded at:\n{node.stack_trace}"
    if len(error.args) == 1 and isinstance(error.args[0], str):
        error.args = (f"{error.args[0]}\n\n{message}" if error.args[0] else message,)
    elif hasattr(error, "add_note"):
        error.add_note(message)


class Transformer(Interpreter):
    """Rebuilds a graph: each method of Interpreter makes the nodes that take the place of a node.

    Args:
        module (GraphModule): whose graph it is

    Example:
        >>> class NegForAdd(torch.fx.Transformer):
        ...     def call_function(self, target, args, kwargs):
        ...         return super().call_function(torch.sub if target is torch.add else target, args, kwargs)
        >>> module = torch.fx.symbolic_trace(lambda x, y: torch.add(x, y))
        >>> NegForAdd(module).transform()(torch.ones(1), torch.ones(1))
        tensor([0.])
    """

    def __init__(self, module: GraphModule) -> None:
        from torch.fx._symbolic_trace import Tracer

        super().__init__(module)
        self.new_graph = Graph()
        self.new_graph.set_codegen(module.graph._codegen)

        tracer = type("TransformerTracer", (Tracer,), {"is_leaf_module": lambda tracer, module, name: True})()
        tracer.graph, tracer.root = self.new_graph, module
        self.tracer: TracerBase = tracer

    def placeholder(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Proxy:
        """The input of the new graph.

        Args:
            target (str): the parameter
            args (tuple): its default, or nothing
            kwargs (dict): nothing

        Returns:
            the proxy of its value
        """
        return Proxy(self.new_graph.placeholder(target, default_value=args[0]) if args else  # type: ignore[arg-type]
                     self.new_graph.placeholder(target), self.tracer)  # type: ignore[arg-type]  # fmt: skip

    def get_attr(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Proxy:
        """A read of an attribute in the new graph.

        Args:
            target (str): its path
            args (tuple): nothing
            kwargs (dict): nothing

        Returns:
            the proxy of its value
        """
        return self.tracer.create_proxy("get_attr", target, args, kwargs)

    def call_module(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        """A call of a module in the new graph.

        Args:
            target (str): its path
            args (tuple): positional arguments
            kwargs (dict): keyword arguments

        Returns:
            the proxy of the result
        """
        module = self.fetch_attr(target)  # type: ignore[arg-type]
        return self.tracer.call_module(module, module.forward, args, kwargs)  # type: ignore[attr-defined]

    def call_function(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        """A call of a function in the new graph.

        Args:
            target (Callable): the function
            args (tuple): positional arguments
            kwargs (dict): keyword arguments

        Returns:
            the proxy of the result
        """
        return self.tracer.create_proxy("call_function", target, args, kwargs)

    def transform(self) -> GraphModule:
        """Rebuild the graph.

        Returns:
            a module of the new one
        """
        with fx_traceback.preserve_node_meta():
            result = super().run(enable_io_processing=False)
        if result is not None:
            self.new_graph.output(map_aggregate(result, lambda a: a.node if isinstance(a, Proxy) else a))
        output = next((node for node in self.graph.nodes if node.op == "output"), None)
        if output is not None and result is not None:
            self.new_graph.output_node().meta = dict(output.meta)
        return GraphModule(self.module, self.new_graph, class_name=type(self.module).__name__)
