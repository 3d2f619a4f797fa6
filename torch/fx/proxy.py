"""Proxy: stands for a value while a function is recorded. What is done with it becomes nodes of a graph."""

from __future__ import annotations

import dis
import enum
import operator
import sys
import traceback
import types
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import torch
from torch.fx import traceback as fx_traceback
from torch.fx._codegen import magic_methods, reflectable_magic_methods
from torch.fx._scope import Scope, ScopeContextManager  # noqa: F401
from torch.fx.graph import Graph
from torch.fx.immutable_collections import immutable_dict, immutable_list
from torch.fx.node import Argument, Node, Target, _is_namedtuple, _nodes_in, base_types, map_aggregate

__all__ = [
    "TracerBase", "GraphAppendingTracer", "TraceError", "Proxy", "MetaProxy", "Attribute", "ParameterProxy", "Scope",
    "ScopeContextManager",
]  # fmt: skip

_TENSOR_METHODS = (types.MethodDescriptorType, types.WrapperDescriptorType)
_FOLDER = __file__.rpartition("/fx/")[0]
_INNER_FILES = (f"{_FOLDER}/fx/", f"{_FOLDER}/nn/modules/container", f"{_FOLDER}/nn/modules/module.py", f"{_FOLDER}/_ops.py")


class TraceError(ValueError):
    """The program does something with a recorded value that a graph cannot express."""


class TracerBase:
    """What recorders share: they make nodes, and proxies for the values of the nodes.

    Attributes:
        record_stack_traces: note down where in the program each operation stands
        check_mutable_operations: refuse operators that change their arguments
        trace_asserts: record `assert`, whose condition would need the value
        proxy_buffer_attributes: record reads of buffers as get_attr nodes at once
        traced_func_name: the method of a module that is recorded
    """

    record_stack_traces: bool = False
    _record_forward_stack_traces_only: bool = False
    check_mutable_operations: bool = False
    trace_asserts: bool = False
    proxy_buffer_attributes: bool = False
    traced_func_name: str = "forward"
    graph: Graph
    scope: Scope
    module_stack: dict[str, tuple[str, Any]]

    def create_node(self, kind: str, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Argument],
                    name: str | None = None, type_expr: Any | None = None) -> Node:  # fmt: skip
        """Add a node to the graph; a subclass may refuse or change it.

        Args:
            kind (str): such as "call_function"
            target (Callable or str): what is called or read
            args (tuple): positional arguments
            kwargs (dict): keyword arguments
            name (str, optional): like which the name of the node shall be
            type_expr (type, optional): of the result

        Returns:
            the node
        """
        if kind == "call_function" and self.check_mutable_operations:
            from torch.fx.operator_schemas import check_for_mutable_operation

            check_for_mutable_operation(target, args, kwargs)  # type: ignore[arg-type]
        node = self.graph.create_node(kind, target, args, kwargs, name, type_expr)
        self._describe(node)
        return node

    def _describe(self, node: Node) -> None:
        """Note down the stack, the modules and what passes preserve."""
        if fx_traceback.has_preserved_node_meta():
            node.meta.update(fx_traceback.get_current_meta())
        stack = getattr(self, "module_stack", None)
        if stack:
            node.meta["nn_module_stack"] = stack.copy()
        if self.record_stack_traces and not node.stack_trace and node.op not in ("placeholder", "output"):
            node.stack_trace = "".join(traceback.format_list(self._user_frames())).strip()

    def _user_frames(self) -> list[traceback.FrameSummary]:
        """The stack without the frames of the recorder and of those who called it."""
        frames = [frame for frame in traceback.extract_stack() if not frame.filename.startswith(_INNER_FILES)]
        anchor = next((k for k, frame in enumerate(frames) if frame.name == "forward"), None)
        return frames[anchor:] if anchor is not None else frames[-1:]

    def proxy(self, node: Node) -> Proxy:
        """The object that stands for the value of a node.

        Args:
            node (Node): the node

        Returns:
            the proxy
        """
        return Proxy(node, self)

    def create_proxy(self, kind: str, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any], name: str | None = None,
                     type_expr: Any | None = None,
                     proxy_factory_fn: Callable[[Node], Proxy] | None = None) -> Proxy:  # fmt: skip
        """Add a node whose arguments are values of the program, proxies among them.

        Args:
            kind (str): such as "call_function"
            target (Callable or str): what is called or read
            args (tuple): positional arguments
            kwargs (dict): keyword arguments
            name (str, optional): like which the name of the node shall be
            type_expr (type, optional): of the result
            proxy_factory_fn (Callable, optional): makes the proxy out of the node

        Returns:
            the proxy of its value
        """
        new_args, new_kwargs = self.create_arg(args), self.create_arg(kwargs)
        node = self.create_node(kind, target, new_args, new_kwargs, name, type_expr)
        return (proxy_factory_fn or self.proxy)(node)

    def create_arg(self, a: Any) -> Argument:
        """Turn a value of the program into an argument of a node: proxies into their nodes, constants as they are.

        Args:
            a (Any): the value

        Returns:
            the argument

        Raises:
            NotImplementedError: a graph cannot hold values of its type
        """
        if isinstance(a, Proxy):
            return a.node
        if hasattr(a, "__fx_create_arg__"):
            return a.__fx_create_arg__(self)
        if isinstance(a, tuple):
            parts = [self.create_arg(each) for each in a]
            return type(a)(*parts) if _is_namedtuple(a) else tuple(parts)
        if isinstance(a, list):
            return immutable_list(self.create_arg(each) for each in a)
        if isinstance(a, dict):
            return self._create_dict(a)
        if isinstance(a, slice):
            return slice(self.create_arg(a.start), self.create_arg(a.stop), self.create_arg(a.step))
        if isinstance(a, range):
            return range(self.create_arg(a.start), self.create_arg(a.stop), self.create_arg(a.step))
        if isinstance(a, (torch._ops.OpOverload, torch._ops.OpOverloadPacket)):
            return a
        import dataclasses

        if dataclasses.is_dataclass(a) and not isinstance(a, type):
            fields = {field.name: self.create_arg(getattr(a, field.name)) for field in dataclasses.fields(a)}
            return self.create_node("call_function", type(a), (), fields)
        symbols = (torch.SymInt, torch.SymFloat, torch.SymBool)
        if isinstance(a, (*base_types, enum.Enum, *symbols)) or a is None or a is ... or isinstance(a, Node):
            return a
        if isinstance(a, type) or callable(a) and hasattr(a, "__name__") and hasattr(a, "__module__"):
            return a
        raise NotImplementedError(f"torch.fx: a graph cannot have an argument of type {type(a)}: {a!r}")

    def _create_dict(self, items: dict[Any, Any]) -> Argument:
        made = {}
        for key, value in items.items():
            key = self.create_arg(key)
            used = _nodes_in(key)
            if used:
                raise RuntimeError(
                    f"torch.fx: the key {key!r} of a dict depends on the recorded value {used[0]}; keys must be constants"
                )
            made[key] = self.create_arg(value)
        return immutable_dict(made)

    def to_bool(self, obj: Proxy) -> bool:
        """What `if` and `while` ask of a recorded value; a subclass may decide.

        Args:
            obj (Proxy): the value

        Returns:
            the decision

        Raises:
            TraceError: always, here
        """
        raise TraceError(
            f"torch.fx: control flow depends on the recorded value {obj.node}, which is not known while a function is recorded. "
            "Pass what decides by concrete_args of symbolic_trace, make the branch a function marked with torch.fx.wrap, "
            "or use torch.where."
        )

    def iter(self, obj: Proxy) -> Iterator[Any]:
        """What a loop asks of a recorded value; unpacking into a given number of names does not get here.

        Args:
            obj (Proxy): the value

        Returns:
            its items

        Raises:
            TraceError: always, here
        """
        raise TraceError(
            f"torch.fx: the recorded value {obj.node} cannot be iterated, because its length is not known: use a constant "
            "number of indices, or a function marked with torch.fx.wrap. A loop, *args, **kwargs and `in` iterate."
        )

    def keys(self, obj: Proxy) -> Any:
        """What `**` asks of a recorded value.

        Args:
            obj (Proxy): the value

        Returns:
            the proxy of its keys
        """
        return Attribute(obj, "keys")()


class GraphAppendingTracer(TracerBase):
    """Adds to a graph that is there already; Proxy uses it if no tracer is given.

    Args:
        graph (Graph): to which nodes are added
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.scope = Scope("", None)
        self.module_stack = {}
        self.node_name_to_scope: dict[str, Any] = {}


def assert_fn(x: object) -> None:
    """What a recorded `assert` calls."""
    assert x  # noqa: S101


class Proxy:
    """Stands for the value of a node: operators, methods, attributes and functions of it add nodes.

    Args:
        node (Node): which computes the value
        tracer (TracerBase, optional): that adds nodes; by default one that adds to the graph of the node

    Example:
        >>> graph = torch.fx.Graph()
        >>> x = torch.fx.Proxy(graph.placeholder("x"))
        >>> y = torch.relu(x) * 2
        >>> y, [node.name for node in graph.nodes]
        (Proxy(mul), ['x', 'relu', 'mul'])
    """

    def __init__(self, node: Node, tracer: TracerBase | None = None) -> None:
        self.tracer = tracer if tracer is not None else GraphAppendingTracer(node.graph)
        self.node = node

    def __repr__(self) -> str:
        return f"Proxy({self.node.name})"

    def __getattr__(self, k: str) -> Attribute:
        if k in ("node", "tracer"):  # not set yet, while being unpickled or copied
            raise AttributeError(k)
        return Attribute(self, k)

    def __copy__(self) -> Proxy:
        return self

    def __deepcopy__(self, memo: Any) -> Proxy:
        return Proxy(self.node, self.tracer)

    def __call__(self, *args: Any, **kwargs: Any) -> Proxy:
        return self.tracer.create_proxy("call_method", "__call__", (self, *args), kwargs)

    def __iter__(self) -> Iterator[Any]:
        count = _names_to_unpack_into(sys._getframe(1))
        return (self[k] for k in range(count)) if count is not None else self.tracer.iter(self)

    def __abs__(self) -> Proxy:
        return self.tracer.create_proxy("call_function", operator.abs, (self,), {})

    def __bool__(self) -> bool:
        if self.tracer.trace_asserts and _is_assert(sys._getframe(1)):
            self.tracer.create_proxy("call_function", assert_fn, (self,), {})
            return True
        return self.tracer.to_bool(self)

    def keys(self) -> Any:
        """What `**` of the value asks for.

        Returns:
            the proxy of its keys
        """
        return self.tracer.keys(self)

    def __len__(self) -> NoReturn:
        raise RuntimeError(
            f"torch.fx: the length of the recorded value {self.node} is not known, and len() must return a number; "
            "torch.fx.wrap('len') in the module that calls len() records the call"
        )

    @classmethod
    def __torch_function__(cls, orig_method: Any, types: Any, args: Any = None, kwargs: Any = None) -> Proxy:
        args, kwargs = args or (), kwargs or {}
        tracers: dict[TracerBase, None] = {}
        map_aggregate((args, dict(kwargs)), lambda a: tracers.setdefault(a.tracer) if isinstance(a, cls) else None)
        if not tracers:
            map_aggregate((args, dict(kwargs)), lambda a: tracers.setdefault(a.tracer) if isinstance(a, Proxy) else None)
        if len(tracers) > 1:
            raise RuntimeError("torch.fx: one call has values of two recorders as its arguments")
        tracer = next(iter(tracers))
        if isinstance(orig_method, _TENSOR_METHODS) or _is_python_method(orig_method):
            return tracer.create_proxy("call_method", orig_method.__name__, args, kwargs)
        if isinstance(orig_method, torch._ops.OpOverloadPacket):
            return tracer.create_proxy("call_function", orig_method, args, kwargs, name=orig_method.__name__)
        return tracer.create_proxy("call_function", orig_method, args, kwargs)


def _is_python_method(function: Any) -> bool:
    """Whether it is a method of Tensor that is written in Python."""
    name = getattr(function, "__name__", None)
    return isinstance(function, types.FunctionType) and vars(torch.Tensor).get(name) is function  # type: ignore[arg-type]


def _instructions(frame: types.FrameType) -> tuple[list[dis.Instruction], int]:
    found = list(dis.get_instructions(frame.f_code))
    return found, next(k for k, instruction in enumerate(found) if instruction.offset == frame.f_lasti)


def _names_to_unpack_into(frame: types.FrameType) -> int | None:
    """The n of `a, b = value`, if the frame is just doing that."""
    instructions, k = _instructions(frame)
    return instructions[k].argval if instructions[k].opname == "UNPACK_SEQUENCE" else None


def _is_assert(frame: types.FrameType) -> bool:
    """Whether a frame is just testing the condition of an `assert`."""
    instructions, k = _instructions(frame)
    if "POP_JUMP" not in instructions[k].opname or "IF_TRUE" not in instructions[k].opname:
        k += 1  # before Python 3.12 the test is an instruction of its own
    following = [instruction.opname for instruction in instructions[k : k + 3]]
    return any("IF_TRUE" in name for name in following[:1]) and "LOAD_ASSERTION_ERROR" in following


class Attribute(Proxy):
    """Stands for an attribute of a recorded value. The node is made when it is used, because a call makes a method call of it.

    Args:
        root (Proxy): the value
        attr (str): the name
    """

    def __init__(self, root: Proxy, attr: str) -> None:
        self.root, self.attr, self.tracer = root, attr, root.tracer
        self._node: Node | None = None

    @property
    def node(self) -> Node:  # type: ignore[override]
        """Which reads the attribute."""
        if self._node is None:
            self._node = self.tracer.create_proxy("call_function", getattr, (self.root, self.attr), {}).node
        return self._node

    def __call__(self, *args: Any, **kwargs: Any) -> Proxy:
        return self.tracer.create_proxy("call_method", self.attr, (self.root, *args), kwargs)


class MetaProxy(Proxy):
    """A proxy whose node has an example of its value, on a fake device, in `meta["val"]`.

    Args:
        node (Node): which computes the value
        tracer (TracerBase, optional): that adds nodes
        fake_mode (FakeTensorMode, optional): in which the examples are computed
    """

    def __init__(self, node: Node, tracer: TracerBase | None = None, fake_mode: Any = None) -> None:
        super().__init__(node, tracer)
        self.fake_mode = fake_mode

    def __repr__(self) -> str:
        return f"MetaProxy({self.node.name})"

    @classmethod
    def __torch_function__(cls, orig_method: Any, types: Any, args: Any = None, kwargs: Any = None) -> Proxy:
        args, kwargs = args or (), kwargs or {}
        found: list[MetaProxy] = []
        map_aggregate((args, dict(kwargs)), lambda a: found.append(a) if isinstance(a, MetaProxy) else None)
        if not found:
            raise AssertionError("torch.fx.MetaProxy: none of the arguments is one")
        example_args, example_kwargs = map_aggregate(
            (tuple(args), dict(kwargs)), lambda a: a.node.meta["val"] if isinstance(a, Proxy) else a
        )
        with found[0].fake_mode:
            value = orig_method(*example_args, **example_kwargs)
        made = Proxy.__torch_function__.__func__(cls, orig_method, types, args, kwargs)  # type: ignore[attr-defined]
        made.node.meta["val"] = value
        return MetaProxy(made.node, found[0].tracer, found[0].fake_mode)


class ParameterProxy(Proxy):
    """A proxy of a parameter, whose shape is known and is not recorded.

    Args:
        tracer (TracerBase): that adds nodes
        node (Node): which reads the parameter
        name (str): of the parameter
        param (Parameter): the parameter
    """

    def __init__(self, tracer: TracerBase, node: Node, name: str, param: torch.nn.Parameter) -> None:
        super().__init__(node, tracer)
        if not isinstance(param, torch.Tensor):
            raise AssertionError(f"ParameterProxy: expected a Parameter, got {type(param).__name__}")
        self.param, self.name = param, name

    def __repr__(self) -> str:
        return f"ParameterProxy({self.name})"

    @property
    def shape(self) -> torch.Size:
        """The shape of the parameter."""
        return self.param.shape

    def size(self, dim: int | None = None) -> Any:
        """The shape of the parameter, or its size in a dimension."""
        return self.param.size() if dim is None else self.param.size(dim)

    def dim(self) -> int:
        """The number of dimensions."""
        return self.param.dim()

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self.param.ndim

    def numel(self) -> int:
        """The number of elements."""
        return self.param.numel()

    def nelement(self) -> int:
        """The number of elements."""
        return self.param.nelement()


def _define_operators() -> None:
    """Give Proxy the operators of Python."""

    def define(name: str, function: Callable[..., Any], swapped: bool = False) -> None:
        def record(*args: Any, **kwargs: Any) -> Any:
            tracer = next(a.tracer for a in args if isinstance(a, Proxy))
            return tracer.create_proxy("call_function", function, args[::-1] if swapped else args, kwargs)

        record.__name__ = record.__qualname__ = name
        setattr(Proxy, name, record)

    for name in magic_methods:
        define(f"__{name.rstrip('_')}__", getattr(operator, name))
    for name in reflectable_magic_methods:
        define(f"__r{name.rstrip('_')}__", getattr(operator, name), swapped=True)
    Proxy.__hash__ = object.__hash__  # type: ignore[method-assign]


_define_operators()
