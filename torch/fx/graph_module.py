"""GraphModule: a module whose forward is generated from a graph."""

from __future__ import annotations

import contextlib
import copy
import os
import pickle
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from torch import nn
from torch.fx._attributes import _assign_attr, _copy_attr, _del_attr, _get_attr, _has_attr  # noqa: F401
from torch.fx._codegen import PythonCode
from torch.fx._pytree_codegen import _PyTreeCodeGen
from torch.fx._source import _exec_with_source, _format_import_block, _forward_from_src, _loader  # noqa: F401
from torch.fx.graph import Graph

__all__ = ["reduce_graph_module", "reduce_package_graph_module", "GraphModule"]

# The key in `GraphModule.meta` of attributes that copies and unpickled modules get as well.
_USER_PRESERVED_ATTRIBUTES_KEY = "_user_preserved_attributes"
_HOOKS = ("_replace_hooks", "_create_node_hooks", "_erase_node_hooks", "_deepcopy_hooks")


class _WrappedCall:
    """Calls the module; where generated code fails, the error is printed with the lines around it."""

    def __init__(self, cls: type, cls_call: Callable[..., Any] | None) -> None:
        self.cls, self.cls_call = cls, cls_call

    @staticmethod
    def _generate_error_message(frame: traceback.FrameSummary) -> str:
        lines = _loader.get_source(frame.filename).splitlines()  # type: ignore[union-attr]
        k = frame.lineno or 1
        shown = [f"{'-->' if n == k else '   '} {lines[n - 1]}" for n in range(max(1, k - 2), min(len(lines), k + 1) + 1)]
        return f"torch.fx: line {k} of the generated code of {frame.name} failed:\n" + "\n".join(shown)

    def __call__(self, obj: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            if self.cls_call is not None:
                return self.cls_call(obj, *args, **kwargs)
            return super(self.cls, obj).__call__(*args, **kwargs)  # type: ignore[misc]
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            if last.filename in _loader.eval_cache:
                print(self._generate_error_message(last), file=sys.stderr)
            raise


class GraphModule(nn.Module):
    """A module whose `forward` is generated from a graph. Assigning a new graph, or calling `recompile`, generates it again.

    Args:
        root (Module or dict): which has the attributes and modules that the graph names, or a dict of them by path
        graph (Graph): the graph; the module gets a copy
        class_name (str, default "GraphModule"): of the class, which every GraphModule has of its own

    Raises:
        RuntimeError: the graph names something that `root`, a dict, lacks

    Example:
        >>> graph = torch.fx.Graph()
        >>> x = graph.placeholder("x")
        >>> y = graph.call_method("relu", (graph.call_module("linear", (x,)),))
        >>> output = graph.output(y)
        >>> module = torch.fx.GraphModule({"linear": nn.Linear(3, 2)}, graph)
        >>> print(module.code.strip())
        def forward(self, x):
            linear = self.linear(x);  x = None
            relu = linear.relu();  linear = None
            return relu
        >>> module(torch.ones(3)).shape
        torch.Size([2])
    """

    _graph: Graph
    _code: str
    _lineno_map: Any
    _prologue_start: int
    meta: dict[str, Any]

    def __new__(cls, *args: Any, **kwargs: Any) -> GraphModule:
        for base in cls.__mro__:  # a class of its own for each object, because `forward` belongs to the class
            base_name = base.__qualname__.rpartition(".")[2]
            if base_name != "GraphModuleImpl":
                cls = base  # type: ignore[assignment]
                break

        class GraphModuleImpl(cls):  # type: ignore[misc, valid-type]
            pass

        return super().__new__(GraphModuleImpl)

    def __init__(self, root: nn.Module | dict[str, Any], graph: Graph, class_name: str = "GraphModule") -> None:
        super().__init__()
        self.__class__.__name__ = class_name
        if isinstance(root, nn.Module):
            if hasattr(root, "training"):
                self.training = root.training
            if isinstance(root, _CodeOnlyModule):
                self.to_dict = None
            for node in graph.nodes:
                if node.op in ("get_attr", "call_module"):
                    _copy_attr(root, self, node.target)
        elif isinstance(root, dict):
            self._take_from_dict(root, graph)
        else:
            raise RuntimeError(f"GraphModule: expected root to be a Module or a dict, got {type(root).__name__}")
        self.graph = graph
        self._tracer_cls = None
        if graph._tracer_cls and "<locals>" not in graph._tracer_cls.__qualname__:
            self._tracer_cls = graph._tracer_cls
        self._tracer_extras = graph._tracer_extras or {}
        self.meta = dict(getattr(root, "meta", None) or {}) if isinstance(root, GraphModule) else {}
        for name in _HOOKS:
            setattr(self, name, [])
        self.shape_env = None

    def _take_from_dict(self, root: dict[str, Any], graph: Graph) -> None:
        targets = []
        for node in graph.nodes:
            if node.op in ("get_attr", "call_module"):
                if node.target not in root:
                    raise RuntimeError(f"GraphModule: {node} names {node.target!r}, which root does not have")
                targets.append(node.target)
        for target in sorted(targets, key=lambda path: path.count(".")):
            _assign_attr(root[target], self, target)

    @property
    def graph(self) -> Graph:
        """The graph; assign one to generate `forward` from it."""
        return self._graph

    @graph.setter
    def graph(self, g: Graph) -> None:
        if not isinstance(g, Graph):
            raise AssertionError(f"GraphModule.graph: expected a Graph, got {type(g).__name__}")
        self._graph = g
        g.owning_module = self
        self.recompile()

    @property
    def code(self) -> str:
        """The generated code."""
        if not hasattr(self, "_code"):
            raise RuntimeError("GraphModule.code: no code has been generated yet; recompile() does it")
        return self._code

    def recompile(self) -> PythonCode:
        """Generate `forward` again, after the graph was changed in place.

        Returns:
            the code
        """
        if isinstance(self._graph._codegen, _PyTreeCodeGen):
            self._in_spec = self._graph._codegen.pytree_info.in_spec
            self._out_spec = self._graph._codegen.pytree_info.out_spec
        made = self._graph.python_code(root_module="self")
        self._code, self._lineno_map, self._prologue_start = made.src, made._lineno_map, made._prologue_start
        cls: Any = type(self)
        cls.forward = _forward_from_src(made.src, made.globals, self._graph._co_fields)
        own_call = vars(cls).get("__call__")
        if "_wrapped_call" not in vars(cls):
            cls._wrapped_call = _WrappedCall(cls, own_call)
            cls.__call__ = _call_wrapped
        return made

    def add_submodule(self, target: str, m: nn.Module) -> bool:
        """Add a module at a path; modules that are missing on the way are made.

        Args:
            target (str): the path
            m (Module): the module

        Returns:
            whether that was possible: False where a part of the path is no module
        """
        *path, name = target.split(".")
        module: nn.Module = self
        for part in path:
            inner = getattr(module, part, None)
            if inner is None:
                inner = nn.Module()
                setattr(module, part, inner)
            if not isinstance(inner, nn.Module):
                return False
            module = inner
        module.add_module(name, m)
        return True

    def delete_submodule(self, target: str) -> bool:
        """Remove the module at a path.

        Args:
            target (str): the path

        Returns:
            whether there was one
        """
        path, _, name = target.rpartition(".")
        try:
            parent = self.get_submodule(path)
        except AttributeError:
            return False
        if not isinstance(getattr(parent, name, None), nn.Module):
            return False
        delattr(parent, name)
        return True

    def delete_all_unused_submodules(self) -> None:
        """Remove the modules that no node names, nor anything in them."""
        used: set[str] = set()
        for node in self.graph.nodes:
            if node.op in ("call_module", "get_attr"):
                parts = node.target.split(".")
                used.update(".".join(parts[:k]) for k in range(1, len(parts) + 1))
                if node.op == "call_module":
                    try:
                        inner = self.get_submodule(node.target)
                    except AttributeError:
                        continue
                    used.update(f"{node.target}.{name}" for name, _ in inner.named_modules() if name)
        for name in [name for name, _ in self.named_modules() if name and name not in used]:
            self.delete_submodule(name)

    def to_folder(self, folder: str | os.PathLike[str], module_name: str = "FxModule") -> None:
        """Write the module to a folder as a Python package, with its weights beside it.

        Args:
            folder (str or Path): which is created
            module_name (str, default "FxModule"): of the class
        """
        from torch.fx._folder import write

        write(self, Path(folder), module_name)

    def print_readable(self, print_output: bool = True, include_stride: bool = False, include_device: bool = False,
                       colored: bool = False, *, fast_sympy_print: bool = False, expanded_def: bool = False,
                       additional_meta: list[str] | None = None) -> str:  # fmt: skip
        """The code of the module and of the graphs in it, with dtypes, shapes and lines of the program where they are known.

        Args:
            print_output (bool, default True): also print it
            include_stride (bool, default False): with strides
            include_device (bool, default False): with devices
            colored (bool, default False): with the color codes of terminals
            fast_sympy_print (bool, default False): of no effect
            expanded_def (bool, default False): one parameter a line
            additional_meta (list[str], optional): keys of `Node.meta` to show

        Returns:
            the text
        """
        return _print_readable(
            self, type(self).__name__, print_output, include_stride=include_stride, include_device=include_device,
            colored=colored, expanded_def=expanded_def, additional_meta=additional_meta,
        )  # fmt: skip

    def __str__(self) -> str:
        return "\n".join([super().__str__(), self._code, "# print_readable() also shows shapes and lines of the program"])

    def _get_name(self) -> str:
        return type(self).__name__

    def __copy__(self) -> GraphModule:
        made = GraphModule(self, self.graph, type(self).__name__)
        made.meta = dict(self.meta)
        return made

    def __deepcopy__(self, memo: Any) -> GraphModule:
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        nn.Module.__init__(made)
        state = {key: value for key, value in self.__dict__.items() if key not in ("_graph", "meta", *_HOOKS)}
        made.__dict__.update(copy.deepcopy(state, memo))
        made.meta = copy.copy(self.meta)
        for name in _HOOKS:
            made.__dict__[name] = list(self.__dict__.get(name, ()))
        type(made).__name__ = type(self).__name__
        graph = copy.deepcopy(self._graph, memo)
        graph._tracer_cls = self._graph._tracer_cls
        graph._co_fields = self._graph._co_fields
        made.graph = graph
        for name, value in made.meta.get(_USER_PRESERVED_ATTRIBUTES_KEY, {}).items():
            setattr(made, name, value)
        for hook in made.__dict__["_deepcopy_hooks"]:
            hook(made)
        return made

    def __reduce__(self) -> Any:
        state = self.__dict__.copy()
        state["_graphmodule_cls_name"] = type(self).__name__
        state["_graph_pickled"] = _picklable(self._graph)
        made = self._graph.python_code(root_module="self")
        del state["_graph"]
        return reduce_graph_module, (state, _format_import_block(made.globals))

    def __reduce_package__(self, exporter: Any) -> Any:
        state = self.__dict__.copy()
        state["_graphmodule_cls_name"] = type(self).__name__
        made = self._graph.python_code(root_module="self")
        del state["_graph"]
        name = f"fx-generated._{exporter.get_unique_id()}"
        exporter.save_source_string(name, _format_import_block(made.globals) + made.src)
        return reduce_package_graph_module, (state, name)

    def _replicate_for_data_parallel(self) -> GraphModule:
        made = self.__copy__()
        made._is_replica = True
        return made

    @contextlib.contextmanager
    def _set_replace_hook(self, f: Callable[..., Any]) -> Iterator[None]:
        self._register_replace_node_hook(f)
        try:
            yield
        finally:
            self._unregister_replace_node_hook(f)


def _call_wrapped(self: Any, *args: Any, **kwargs: Any) -> Any:
    return self._wrapped_call(self, *args, **kwargs)


def _add_hook_functions() -> None:
    """`_register_create_node_hook` and its kin."""

    def adder(place: str) -> Callable[..., None]:
        def register(self: Any, f: Callable[..., Any]) -> None:
            if not callable(f):
                raise AssertionError(f"GraphModule: a hook must be a function, got {type(f).__name__}")
            getattr(self, place).append(f)

        return register

    def remover(place: str) -> Callable[..., None]:
        def unregister(self: Any, f: Callable[..., Any]) -> None:
            getattr(self, place).remove(f)

        return unregister

    for name in ("replace_node", "create_node", "erase_node", "deepcopy"):
        place = "_replace_hooks" if name == "replace_node" else f"_{name}_hooks"
        setattr(GraphModule, f"_register_{name}_hook", adder(place))
        setattr(GraphModule, f"_unregister_{name}_hook", remover(place))


_add_hook_functions()


def _picklable(graph: Graph) -> Graph | None:
    """The graph, if its targets can be pickled; otherwise it is recorded again from its code."""
    try:
        pickle.dumps(graph)
    except Exception:
        return None
    return graph


class _CodeOnlyModule(nn.Module):
    """What a pickled GraphModule is first read as: attributes, and code to record."""

    def __init__(self, body: dict[str, Any]) -> None:
        super().__init__()
        self.__dict__.update(body)


def reduce_graph_module(body: dict[str, Any], import_block: str) -> nn.Module:
    """Make a GraphModule of what its pickle holds.

    Args:
        body (dict): the attributes
        import_block (str): the imports of its code

    Returns:
        the module
    """
    code = body.pop("_code", None) or body.pop("code")
    return _deserialize_graph_module(_forward_from_src(import_block + code, {}), {**body, "_code": code})


def reduce_package_graph_module(importer: Any, body: dict[str, Any], generated_module_name: str) -> nn.Module:
    """Make a GraphModule of what a torch.package holds.

    Args:
        importer (PackageImporter): of the package
        body (dict): the attributes
        generated_module_name (str): of the module with the code

    Returns:
        the module
    """
    forward = importer.import_module(generated_module_name).forward
    return _deserialize_graph_module(forward, {key: value for key, value in body.items() if key != "_graph_pickled"})


def _deserialize_graph_module(
    forward: Callable[..., Any], body: dict[str, Any], graph_module_cls: type | None = None
) -> nn.Module:
    name, graph = body.pop("_graphmodule_cls_name", "GraphModule"), body.pop("_graph_pickled", None)
    body.pop("_lineno_map", None)
    holder = _CodeOnlyModule(body)
    if graph is None:
        type(holder).forward = forward  # type: ignore[method-assign, assignment]
        graph = _recorder(body).trace(holder)
        codegen = body.get("_in_spec")
        if codegen is not None:
            raise NotImplementedError("torch.fx: a GraphModule with nested inputs cannot be unpickled when its graph cannot be")
    made = (graph_module_cls or GraphModule)(holder, graph, class_name=name)
    for key, value in body.items():
        if not hasattr(made, key) or key in ("meta", "training"):
            setattr(made, key, value)
    made.__dict__["_tracer_cls"] = body.get("_tracer_cls")
    for name, value in made.meta.get(_USER_PRESERVED_ATTRIBUTES_KEY, {}).items():
        setattr(made, name, value)
    return made


def _recorder(body: dict[str, Any]) -> Any:
    """The tracer that recorded the graph, which takes every module for a leaf."""
    from torch.fx._symbolic_trace import Tracer

    class KeepModules(body.get("_tracer_cls") or Tracer):  # type: ignore[misc]
        def is_leaf_module(self, m: nn.Module, module_qualified_name: str) -> bool:
            return True

    return KeepModules(**(body.get("_tracer_extras") or {}))


def _print_readable(module: nn.Module, module_name: str, print_output: bool = True, **options: Any) -> str:
    """The code of a module and of the graphs in it."""
    graph = getattr(module, "graph", None)
    if not isinstance(graph, Graph):
        raise AssertionError(f"print_readable: {type(module).__name__} has no graph")
    verbose = graph.python_code("self", verbose=True, **options).src.lstrip("\n")
    text = f"class {module_name}(torch.nn.Module):\n{_indented(verbose)}"
    inner = [
        _print_readable(child, name, print_output=False, **options)
        for name, child in module.named_children()
        if isinstance(getattr(child, "graph", None), Graph)
    ]
    text = "\n".join([text, *(_indented(part) for part in inner)])
    if print_output:
        print(text)
    return text


def _indented(text: str) -> str:
    return "\n".join("    " + line if line.strip() else "" for line in text.rstrip(" ").split("\n"))
