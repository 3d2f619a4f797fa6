"""Tracer: records a function by calling it with proxies."""

from __future__ import annotations

import collections
import functools
import math
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

import torch
from torch.fx._arguments import PH, PHBase, PHWithMeta, _assert_is_none, annotation_of, create_args_for_root  # noqa: F401
from torch.fx._patching import (  # noqa: F401
    _autowrap_check,
    _create_wrapped_func,
    _find_proxy,
    _maybe_revert_all_patches,
    _new_patcher,
    _patch_wrapped_functions,
    _Patcher,
)
from torch.fx._scope import Scope, ScopeContextManager
from torch.fx._wrap import _wrapped_fns_to_patch, _wrapped_methods_to_patch, wrap  # noqa: F401
from torch.fx.graph import Graph
from torch.fx.graph_module import GraphModule
from torch.fx.node import Argument
from torch.fx.proxy import ParameterProxy, TracerBase

_is_fx_tracing_flag = False
_Module = torch.nn.Module


def is_fx_tracing() -> bool:
    """Whether a function is being recorded."""
    return _is_fx_tracing_flag


is_fx_symbolic_tracing = is_fx_tracing


def _is_tracing(value: bool) -> bool:
    global _is_fx_tracing_flag
    before, _is_fx_tracing_flag = _is_fx_tracing_flag, value
    return before


class ProxyableClassMeta(type):
    """Metaclass of small classes: making an object of one from recorded values is recorded as a call of the class.

    Example:
        >>> class Pair(metaclass=torch.fx.ProxyableClassMeta):
        ...     def __init__(self, left, right):
        ...         self.left, self.right = left, right
        >>> graph = torch.fx.symbolic_trace(lambda x, y: Pair(x, y)).graph
        >>> [node.name for node in graph.nodes]
        ['x', 'y', 'pair', 'output']
    """

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        made = cls.__new__(cls, *args, **kwargs)  # type: ignore[call-overload]
        if not isinstance(made, cls):
            return made
        cls.__init__(made, *args, **kwargs)  # type: ignore[misc]
        if not _is_fx_tracing_flag:
            return made
        proxy = _find_proxy(args, kwargs, vars(made))
        if proxy is None:
            return made
        return proxy.tracer.create_proxy("call_function", cls, args, kwargs)


class Tracer(TracerBase):
    """Records a function or a module by calling it with proxies. Subclasses override what they record in another way.

    Args:
        autowrap_modules (tuple): Python modules whose functions are recorded as calls
        autowrap_functions (tuple): functions that are recorded as calls
        param_shapes_constant (bool, default False): shapes of parameters are numbers, not recorded

    Attributes:
        root: the module that is recorded
        graph: into which

    Example:
        >>> class Inside(torch.fx.Tracer):
        ...     def is_leaf_module(self, module, name):
        ...         return False
        >>> print(Inside().trace(nn.Sequential(nn.Tanh())))
        graph():
            %input_1 : [num_users=1] = placeholder[target=input]
            %tanh : [num_users=1] = call_function[target=torch.tanh](args = (%input_1,), kwargs = {})
            return tanh
    """

    def __init__(self, autowrap_modules: tuple[ModuleType, ...] = (math,),
                 autowrap_functions: tuple[Callable[..., Any], ...] = (),
                 param_shapes_constant: bool = False) -> None:  # fmt: skip
        self._autowrap_function_ids = {
            id(value) for module in autowrap_modules for name, value in vars(module).items()
            if not name.startswith("_") and callable(value)
        }  # fmt: skip
        self._autowrap_function_ids |= set(map(id, autowrap_functions))
        self._autowrap_search = list(autowrap_modules)
        self.param_shapes_constant = param_shapes_constant
        self.submodule_paths: dict[torch.nn.Module, str] | None = None
        self.root_module_name = ""
        self.root: torch.nn.Module = None  # type: ignore[assignment]
        self.scope = Scope("", None)
        self.module_stack = collections.OrderedDict()
        self.num_calls: dict[str, int] = {}
        self.node_name_to_scope: dict[str, tuple[str, type]] = {}
        self.tensor_attrs: dict[Any, str] = {}
        self._constants = 0

    def get_fresh_qualname(self, prefix: str) -> str:
        """A name for a new attribute of the root.

        Args:
            prefix (str): how it begins

        Returns:
            the prefix with the first free number
        """
        k = 0
        while hasattr(self.root, f"{prefix}{k}"):
            k += 1
        return f"{prefix}{k}"

    def create_arg(self, a: Any) -> Argument:
        """Turn a value of the program into an argument: parameters, buffers, modules and constant tensors become get_attr nodes.

        Args:
            a (Any): the value

        Returns:
            the argument

        Raises:
            NameError: a parameter or a module that the root does not contain
        """
        if isinstance(a, torch.nn.Parameter):
            name = next((name for name, parameter in self.root.named_parameters() if parameter is a), None)
            if name is None:
                raise NameError("torch.fx: a parameter is used that the recorded module does not contain")
            return self.create_node("get_attr", name, (), {})
        if isinstance(a, torch.Tensor):
            name = next((name for name, buffer in self.root.named_buffers() if buffer is a), None)
            return self.create_node("get_attr", name or self._name_of_tensor(a), (), {})
        if isinstance(a, torch.nn.Module):
            name = next((name for name, module in self.root.named_modules() if module is a), None)
            if name is not None:
                return self.create_node("get_attr", name, (), {})
        if isinstance(a, tuple) and hasattr(a, "_fields"):
            args = tuple(self.create_arg(each) for each in a)
            return self.create_node("call_function", type(a), args, {})
        if type(type(a)) is ProxyableClassMeta:
            name = self.get_fresh_qualname(f"_{type(a).__name__}_constant_")
            setattr(self.root, name, a)
            return self.create_node("get_attr", name, (), {})
        return super().create_arg(a)

    def _name_of_tensor(self, tensor: torch.Tensor) -> str:
        """The path of a tensor that is a plain attribute, or of a new one."""
        name = self.tensor_attrs.get(id(tensor))
        if name is None:
            name = self.get_fresh_qualname("_tensor_constant")
            self.tensor_attrs[id(tensor)] = name
            setattr(self.root, name, tensor)
        return name

    def is_leaf_module(self, m: torch.nn.Module, module_qualified_name: str) -> bool:
        """Whether a module is recorded as one call: those of torch.nn are, except Sequential.

        Args:
            m (Module): the module
            module_qualified_name (str): its path from the root

        Returns:
            whether it is
        """
        return m.__module__.startswith(("torch.nn", "torch.ao.nn")) and not isinstance(m, torch.nn.Sequential)

    def path_of_module(self, mod: torch.nn.Module) -> str:
        """The path of a module from the root.

        Args:
            mod (Module): the module

        Returns:
            the path

        Raises:
            NameError: the root does not contain it
        """
        paths = self.submodule_paths if self.submodule_paths is not None else {m: name for name, m in self.root.named_modules()}
        path = paths.get(mod)
        if path is None:
            path = next((name for name, module in self.root.named_modules() if module is mod), None)
        if path is None:
            raise NameError(
                f"torch.fx: a module of type {type(mod).__name__} is called that the recorded module does not contain"
            )
        return path

    def call_module(self, m: torch.nn.Module, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What a call of a module in the root is recorded as: one call if it is a leaf, otherwise what it does.

        Args:
            m (Module): the module
            forward (Callable): which calls it
            args (tuple): positional arguments
            kwargs (dict): keyword arguments

        Returns:
            the result
        """
        path = self.path_of_module(m)
        with ScopeContextManager(self.scope, Scope(path, type(m))):
            count = self.num_calls.get(path, 0)
            self.num_calls[path] = count + 1
            key = path if count == 0 else f"{path}@{count}"
            self.module_stack[key] = (path, type(m))
            try:
                if self.is_leaf_module(m, path):
                    return self.create_proxy("call_module", path, args, kwargs)
                return forward(*args, **kwargs)
            finally:
                self.module_stack.pop(key, None)

    def getattr(self, attr: str, attr_val: Any, parameter_proxy_cache: dict[str, Any]) -> Any:
        """What a read of an attribute of a module gives: parameters become proxies.

        Args:
            attr (str): the name
            attr_val (Any): the value
            parameter_proxy_cache (dict): the proxies by path, so that each is read once

        Returns:
            the value, or its proxy
        """
        if isinstance(attr_val, torch.nn.Parameter):
            return self._proxy_of(attr_val, self.root.named_parameters(), parameter_proxy_cache)
        if self.proxy_buffer_attributes and isinstance(attr_val, torch.Tensor):
            return self._proxy_of(attr_val, self.root.named_buffers(), parameter_proxy_cache)
        return attr_val

    def _proxy_of(self, value: Any, named: Any, cache: dict[str, Any]) -> Any:
        name = next((name for name, candidate in named if candidate is value), None)
        if name is None:
            return value
        if name not in cache:
            factory = None
            if self.param_shapes_constant:
                factory = lambda node: ParameterProxy(self, node, name, value)  # noqa: E731
            cache[name] = self.create_proxy("get_attr", name, (), {}, proxy_factory_fn=factory)
        return cache[name]

    def create_args_for_root(self, root_fn: Callable[..., Any], is_module: bool,
                             concrete_args: dict[str, Any] | tuple[Any, ...] | None = None) -> tuple[Any, list[Any]]:  # fmt: skip
        """The placeholders of a function, and the function in the form that takes them.

        Args:
            root_fn (Callable): the function
            is_module (bool): whether its first parameter is the root
            concrete_args (dict or tuple, optional): values that are constants

        Returns:
            the function, and the list of its arguments
        """
        return create_args_for_root(self, root_fn, is_module, concrete_args)

    def trace(self, root: torch.nn.Module | Callable[..., Any], concrete_args: dict[str, Any] | None = None) -> Graph:
        """Record a module or a function.

        Args:
            root (Module or Callable): the one
            concrete_args (dict, optional): parameters that are constants, with their values; `torch.fx.PH` in a nested container
                stands for an input

        Returns:
            the graph

        Raises:
            TraceError: the program asks a recorded value for something that only a real one has
        """
        before = _is_tracing(True)
        try:
            return self._trace(root, concrete_args)
        finally:
            _is_tracing(before)
            self.submodule_paths = None

    def _trace(self, root: Any, concrete_args: Any) -> Graph:
        is_module = isinstance(root, torch.nn.Module)
        if is_module:
            self.root, self.root_module_name = root, root._get_name()
            name = self.traced_func_name
            if not hasattr(type(root), name):
                raise AssertionError(f"Tracer.trace: {type(root).__name__} has no method {name!r}, which traced_func_name names")
            fn = getattr(type(root), name)
            self.submodule_paths = {module: path for path, module in root.named_modules()}
        else:
            self.root, fn = torch.nn.Module(), root
        extras = self.__dict__.get("_tracer_extras")
        self.graph = Graph(tracer_cls=getattr(self, "__class__", None), tracer_extras=extras)
        if hasattr(fn, "__code__"):
            self.graph._co_fields = {
                name: getattr(fn.__code__, name) for name in ("co_name", "co_filename", "co_firstlineno")
            }  # fmt: skip
        self.tensor_attrs = {id(tensor): path for path, tensor in _tensors_in_attributes(self.root)}
        if not isinstance(fn, FunctionType):
            raise AssertionError(f"Tracer.trace: expected a module or a Python function, got {type(fn)}")
        fn_globals = fn.__globals__
        fn, args = self.create_args_for_root(fn, is_module, concrete_args)
        cache: dict[str, Any] = {}
        with _new_patcher() as patcher:
            self._patch_modules(patcher, cache)
            _patch_wrapped_functions(patcher)
            _autowrap_check(patcher, fn_globals, self._autowrap_function_ids)
            for module in self._autowrap_search:
                _autowrap_check(patcher, vars(module), self._autowrap_function_ids)
            result = self.create_arg(fn(*args))
            self.create_node("output", "output", (result,), {}, type_expr=annotation_of(fn, "return"))
        return self.graph

    def _patch_modules(self, patcher: _Patcher, cache: dict[str, Any]) -> None:
        """Let calls of modules, and reads of their parameters, come here."""
        read, call = _Module.__getattribute__, _Module.__call__

        def module_getattr(module: Any, attr: str) -> Any:
            value = read(module, attr)
            if isinstance(value, torch.Tensor) and attr not in read(module, "__dict__"):
                return self.getattr(attr, value, cache)
            return value

        @functools.wraps(call)
        def module_call(module: Any, *args: Any, **kwargs: Any) -> Any:
            def forward(*args: Any, **kwargs: Any) -> Any:
                return call(module, *args, **kwargs)

            space = getattr(getattr(module, "forward", module), "__globals__", {})
            _autowrap_check(patcher, space, self._autowrap_function_ids)
            return self.call_module(module, forward, args, kwargs)

        patcher.patch_method(_Module, "__getattribute__", module_getattr, deduplicate=False)
        patcher.patch_method(_Module, "__call__", module_call, deduplicate=False)

    def __deepcopy__(self, memo: Any) -> Tracer:
        import copy

        made = Tracer.__new__(type(self))
        for key, value in self.__dict__.items():
            made.__dict__[key] = value if key == "_autowrap_search" else copy.deepcopy(value, memo)
        return made


def _tensors_in_attributes(root: torch.nn.Module) -> list[tuple[str, torch.Tensor]]:
    """The tensors that modules hold as plain attributes."""
    found = []
    for path, module in root.named_modules():
        for name, value in vars(module).items():
            if isinstance(value, torch.Tensor):
                found.append((f"{path}.{name}" if path else name, value))
    return found


def symbolic_trace(root: torch.nn.Module | Callable[..., Any], concrete_args: dict[str, Any] | None = None) -> GraphModule:
    """Record a module or a function, and make a module of the graph.

    Args:
        root (Module or Callable): the one
        concrete_args (dict, optional): parameters that are constants, with their values; `torch.fx.PH` in a nested container
            stands for an input

    Returns:
        a GraphModule that computes the same

    Raises:
        TraceError: the program asks a recorded value for something that only a real one has, such as the truth of a condition

    Example:
        >>> module = torch.fx.symbolic_trace(lambda x, y: torch.relu(x) + y)
        >>> print(module.graph)
        graph():
            %x : [num_users=1] = placeholder[target=x]
            %y : [num_users=1] = placeholder[target=y]
            %relu : [num_users=1] = call_function[target=torch.relu](args = (%x,), kwargs = {})
            %add : [num_users=1] = call_function[target=operator.add](args = (%relu, %y), kwargs = {})
            return add
        >>> module(torch.tensor([-1.0, 2.0]), 1)
        tensor([1., 3.])
    """
    tracer = Tracer()
    graph = tracer.trace(root, concrete_args)
    name = type(root).__name__ if isinstance(root, torch.nn.Module) else root.__name__
    return GraphModule(tracer.root, graph, name)
