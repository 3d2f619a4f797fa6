"""make_fx: records the operators that a function calls, below autograd, by running it.

Other than symbolic_trace, which calls a function with proxies, make_fx calls it with tensors. The graph has operators of
torch.ops only, those of gradients and of transforms among them.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from torch.fx._arguments import PH
from torch.fx._symbolic_trace import Tracer
from torch.fx.experimental._proxy_mode import (  # noqa: F401  # noqa: F401
    CONSTANT_NUMEL_LIMIT,
    ProxyTorchDispatchMode,
    decompose,
    disable_proxy_modes_tracing,
    get_innermost_proxy_mode,
    get_proxy_mode,
    maybe_handle_decomp,
    proxy_call,
)
from torch.fx.experimental._proxy_tracking import (  # noqa: F401
    TensorTracker,
    extract_val,
    get_proxy_slot,
    has_proxy_slot,
    set_meta,
    set_proxy_slot,
    snapshot_fake,
    track_tensor,
    track_tensor_tree,  # noqa: F401
)
from torch.fx.graph import Graph
from torch.fx.graph_module import GraphModule
from torch.fx.interpreter import Interpreter
from torch.fx.node import map_aggregate
from torch.fx.proxy import GraphAppendingTracer, Proxy
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack

__all__ = [
    "PythonKeyTracer", "dispatch_trace", "make_fx", "DecompositionInterpreter", "py_sym_types", "get_innermost_proxy_mode",
    "get_proxy_mode", "maybe_enable_thunkify", "maybe_disable_thunkify",
]  # fmt: skip

py_sym_types = (torch.SymInt, torch.SymFloat, torch.SymBool)
_TracingMode = str


class PythonKeyTracer(Tracer):
    """Records for make_fx: modules are not recorded as calls, and parameters become attributes."""

    def __init__(self) -> None:
        super().__init__(autowrap_modules=())
        self.tensor_tracker = TensorTracker()
        self.root = torch.nn.Module()
        self.fake_mode: Any = None  # in which the examples of values in `meta` are
        self.settings: Any = None  # a RecordedSettings, above autograd
        self.symbols: Any = None  # a SymbolProxies, while sizes are symbols

    def call_module(self, m: Any, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run the module, whose operators are recorded."""
        return forward(*args, **kwargs)

    def getattr(self, attr: str, attr_val: Any, parameter_proxy_cache: dict[str, Any]) -> Any:
        """The attribute as it is."""
        return attr_val

    def create_arg(self, a: Any) -> Any:
        """A constant tensor becomes an attribute of the root: `_param_constantN` or `_tensor_constantN`."""
        if isinstance(a, torch.nn.Parameter):
            name = next((name for name, parameter in self.root.named_parameters() if parameter is a), None)
            if name is None:
                name = self.get_fresh_qualname("_param_constant")
                setattr(self.root, name, a)
            return self._described(self.create_node("get_attr", name, (), {}), a)
        if isinstance(a, torch.Tensor):
            with torch.utils._python_dispatch._disable_current_modes():
                return self._described(super().create_arg(a), a)
        if isinstance(a, (torch.Generator, torch.UntypedStorage)):
            name = self.get_fresh_qualname(f"_{type(a).__name__.lower()}_constant")
            setattr(self.root, name, a)
            return self.create_node("get_attr", name, (), {})
        return super().create_arg(a)

    def _described(self, node: Any, tensor: torch.Tensor) -> Any:
        set_meta(Proxy(node, self), tensor)
        return node

    def unwrap_proxy(self, e: Any) -> Any:
        """The proxy of a tensor that has one."""
        return get_proxy_slot(e, self, e) if isinstance(e, torch.Tensor) else e


class _GraphAppendingTracerEx(GraphAppendingTracer):
    """Adds operator calls to a graph that is there already."""

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph)
        self.tensor_tracker = TensorTracker()


def dispatch_trace(root: Any, tracer: Tracer, concrete_args: tuple[Any, ...] | None = None) -> GraphModule:
    """Record a function by a given tracer.

    Args:
        root (Callable or Module): the function
        tracer (Tracer): the tracer
        concrete_args (tuple, optional): PH for inputs, values for constants

    Returns:
        a module of the graph
    """
    graph = tracer.trace(root, concrete_args)  # type: ignore[arg-type]
    name = type(root).__name__ if isinstance(root, torch.nn.Module) else root.__name__
    return GraphModule(tracer.root, graph, name)


def fake_signature(fn: Callable[..., Any], nargs: int) -> Callable[..., Any]:
    """A function of `nargs` named parameters that calls one of *args."""
    names = ", ".join(f"arg{k}" for k in range(nargs))
    return eval(f"lambda {names}: fn({names})", {"fn": fn})  # noqa: S307


def wrap_key(f: Callable[..., Any], tensors: Any, tracer: Any, pre_dispatch: bool) -> Callable[..., Any]:
    """A function of proxies that runs `f` with the tensors that they stand for, and returns proxies.

    Args:
        f (Callable): the function
        tensors (tuple): its arguments
        tracer (PythonKeyTracer): which records
        pre_dispatch (bool): whether calls are recorded above autograd

    Returns:
        the function
    """
    flat = pytree.tree_leaves(tensors)
    symbols = getattr(tracer, "symbols", None)
    settings = getattr(tracer, "settings", None)

    @functools.wraps(f)
    def wrapped(*proxies: Any, **_unused: Any) -> Any:
        places = pytree.tree_leaves(proxies)
        if len(places) != len(flat):
            raise AssertionError(f"make_fx: {len(places)} inputs for {len(flat)} values")
        with disable_proxy_modes_tracing():
            for value, proxy in zip(flat, places):
                if isinstance(value, torch.Tensor):
                    track_tensor_tree(value, proxy, constant=None, tracer=tracer)
                if symbols is not None:
                    _bind(symbols, value, proxy)
        out = f(*tensors)
        if settings is not None:
            settings.note()
        return pytree.tree_map(lambda value: _result(value, tracer, symbols), out)

    return wrapped


def _bind(symbols: Any, value: Any, proxy: Any) -> None:
    """Take symbols from an input."""
    if isinstance(value, torch.Tensor):
        symbols.bind_tensor(value, proxy)
    elif isinstance(value, torch.SymInt):
        symbols.bind_number(value.node, proxy)
        proxy.node.meta["val"] = value


def _result(value: Any, tracer: Any, symbols: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return tracer.unwrap_proxy(value)
    return value if symbols is None else symbols.replaced(value)


def make_fx(f: Callable[..., Any], decomposition_table: Mapping[Any, Callable[..., Any]] | None = None,
            tracing_mode: str = "real", _allow_non_fake_inputs: bool = False, *, pre_dispatch: bool = False,
            record_module_stack: bool = False, _allow_fake_constant: bool = False, _error_on_data_dependent_ops: bool = True,
            **options: Any) -> Callable[..., GraphModule]:  # fmt: skip
    """Make a function that records what `f` does with given arguments.

    Args:
        f (Callable or Module): the function
        decomposition_table (dict, optional): {operator: function that is recorded in its place}
        tracing_mode (str, default "real"): "real" runs `f`; "fake" runs it on tensors without data; "symbolic" also takes sizes
            and ints among the arguments for symbols, so that the graph holds for others: see Note [Traced sizes]. It runs `f`
            at least twice
        pre_dispatch (bool, default False): record above autograd and autocast: composite operators such as `aten.linear` whole,
            and grad mode and autocast regions as calls
        record_module_stack (bool, default False): of no effect

    Returns:
        a function of the arguments of `f` that returns a GraphModule

    Raises:
        ValueError: another tracing mode

    Example:
        >>> from torch.fx.experimental.proxy_tensor import make_fx
        >>> print(make_fx(lambda x: torch.relu(x) + 1)(torch.ones(2)).code.strip())
        def forward(self, x_1):
            relu = torch.ops.aten.relu.default(x_1);  x_1 = None
            add = torch.ops.aten.add.Tensor(relu, 1);  relu = None
            return add
    """
    if tracing_mode not in ("real", "fake", "symbolic"):
        raise ValueError(f"make_fx: tracing_mode must be 'real', 'fake' or 'symbolic', got {tracing_mode!r}")
    options_of_record = (_allow_non_fake_inputs, _error_on_data_dependent_ops, pre_dispatch)

    @functools.wraps(f)
    def record(*args: Any) -> GraphModule:
        if tracing_mode == "symbolic":
            from torch.fx.experimental._symbolic_record import record_symbolic

            return record_symbolic(f, args, dict(decomposition_table or {}), *options_of_record)
        return _record(f, args, dict(decomposition_table or {}), tracing_mode, *options_of_record)

    return record


def _takes_what_it_gets(f: Any) -> bool:
    """Whether a function has parameters to take names from, instead of *args."""
    code = getattr(inspect.unwrap(f), "__code__", None)
    return code is not None and not code.co_flags & inspect.CO_VARARGS and not inspect.ismethod(f)


def _record(f: Any, args: Any, table: Any, tracing_mode: str, allow_non_fake: bool, refuse_data_dependent: bool,
            pre_dispatch: bool) -> GraphModule:  # fmt: skip
    from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

    tracer = PythonKeyTracer()
    fake_mode: Any = contextlib.nullcontext()
    tracer.fake_mode = FakeTensorMode(allow_non_fake_inputs=True)
    if tracing_mode == "fake":
        given = next((a.fake_mode for a in pytree.tree_leaves(args) if isinstance(a, FakeTensor)), None)
        fake_mode = given if given is not None else FakeTensorMode(allow_non_fake_inputs=allow_non_fake)
        tracer.fake_mode = fake_mode
        args = pytree.tree_map(
            lambda a: fake_mode.from_tensor(a) if isinstance(a, torch.Tensor) and not isinstance(a, FakeTensor) else a, args
        )
    mode = ProxyTorchDispatchMode(
        tracer, tracing_mode, pre_dispatch, decomposition_table=table, _error_on_data_dependent_ops=refuse_data_dependent
    )
    return _run(f, args, tracer, fake_mode, mode)


def _run(f: Any, args: Any, tracer: PythonKeyTracer, fake_mode: Any, mode: ProxyTorchDispatchMode) -> GraphModule:
    """Run a function with the tensors that are recorded."""
    placeholders = pytree.tree_map(lambda _: PH, args)
    tracer.settings = mode.settings
    function = wrap_key(f, args, tracer, mode.pre_dispatch)
    if not _takes_what_it_gets(f):
        function = fake_signature(function, len(placeholders))
    with fake_mode, mode, disable_autocast_cache():
        return dispatch_trace(function, tracer, tuple(placeholders))


@contextlib.contextmanager
def disable_autocast_cache() -> Iterator[None]:
    """A block in which autocast keeps no converted weights, which would not be recorded the second time."""
    before = torch.is_autocast_cache_enabled()
    torch.set_autocast_cache_enabled(False)
    try:
        yield
    finally:
        torch.set_autocast_cache_enabled(before)


@contextlib.contextmanager
def maybe_enable_thunkify() -> Iterator[None]:
    """A block that changes nothing: proxies of sizes are not delayed, because sizes are numbers."""
    yield


maybe_disable_thunkify = maybe_enable_thunkify


@contextlib.contextmanager
def maybe_disable_fake_tensor_mode() -> Iterator[None]:
    """A block without the modes that replace tensors by ones without data."""
    with torch.utils._python_dispatch._disable_current_modes():
        yield


def get_torch_dispatch_modes() -> list[Any]:
    """The dispatch modes that are on, the outermost first."""
    return _get_current_dispatch_mode_stack()


def is_sym_node(node: Any) -> bool:
    """Whether the value of a node is a symbolic number."""
    return isinstance(node.meta.get("val"), py_sym_types)


def handle_sym_dispatch(func: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """A function of symbolic numbers, recorded."""
    raise NotImplementedError("torch.fx: this version records no symbolic numbers")


def get_isolated_graphmodule(func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], tracing_mode: str = "real",
                             decomposition_table: Mapping[Any, Callable[..., Any]] | None = None) -> GraphModule:  # fmt: skip
    """Record a function apart from a recorder that is at work.

    Args:
        func (Callable): the function
        args (tuple): positional arguments
        kwargs (dict): keyword arguments
        tracing_mode (str, default "real"): as for make_fx
        decomposition_table (dict, optional): as for make_fx

    Returns:
        a module of all arguments, flattened
    """
    leaves, spec = pytree.tree_flatten((args, kwargs))

    def flat(values: Any) -> Any:
        given, named = pytree.tree_unflatten(list(values), spec)
        return func(*given, **named)

    with disable_proxy_modes_tracing():
        return make_fx(flat, decomposition_table, tracing_mode)(leaves)


class DecompositionInterpreter(Interpreter):
    """Runs a graph and records it into another one, with functions in place of operators.

    Args:
        module (GraphModule): whose graph it is
        new_graph (Graph): the other one
        decomposition_table (dict, optional): {operator: function that is recorded in its place}
    """

    def __init__(self, module: GraphModule, new_graph: Graph, decomposition_table: Mapping[Any, Any] | None = None,
                 **options: Any) -> None:  # fmt: skip
        super().__init__(module, **options)
        self.new_graph = new_graph
        self.tracer = _GraphAppendingTracerEx(new_graph)
        self.mode = ProxyTorchDispatchMode(self.tracer, decomposition_table=decomposition_table)

    def placeholder(self, target: Any, args: Any, kwargs: Any) -> Any:
        """An input, whose value gets a proxy."""
        value = super().placeholder(target, args, kwargs)
        return self._tracked(value, Proxy(self.new_graph.placeholder(target), self.tracer))

    def get_attr(self, target: Any, args: Any, kwargs: Any) -> Any:
        """An attribute, whose value gets a proxy."""
        value = super().get_attr(target, args, kwargs)
        return self._tracked(value, Proxy(self.new_graph.get_attr(target), self.tracer))

    def _tracked(self, value: Any, proxy: Proxy) -> Any:
        with disable_proxy_modes_tracing():
            return track_tensor_tree(value, proxy, constant=None, tracer=self.tracer)

    def output(self, target: Any, args: Any, kwargs: Any) -> Any:
        """The output."""
        value = super().output(target, args, kwargs)
        node = map_aggregate(
            value, lambda v: get_proxy_slot(v, self.tracer, v, lambda p: p.node) if isinstance(v, torch.Tensor) else v
        )
        self.new_graph.output(node)
        return value

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Run and record."""
        with self.mode:
            return super().run(*args, **kwargs)
