"""make_fx with tracing_mode="symbolic": Note [Traced sizes]."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.fx.experimental._proxy_mode import ProxyTorchDispatchMode
from torch.fx.experimental._proxy_symbols import SymbolProxies
from torch.fx.experimental._shape_env import ShapeEnv
from torch.fx.experimental._symbolic_sizes import SizeTracer, Specialize
from torch.fx.experimental._symbolic_trace_check import difference
from torch.fx.graph_module import GraphModule
from torch.utils import _pytree as pytree

_Options = tuple[
    Any, dict[Any, Any], bool, bool, bool
]  # function, decompositions, allow_non_fake, refuse_data_dependent, pre_dispatch


def record_symbolic(f: Any, args: Any, table: dict[Any, Any], allow_non_fake: bool, refuse_data_dependent: bool,
                    pre_dispatch: bool) -> GraphModule:  # fmt: skip
    """Record a function whose sizes are symbols; where they cannot be, they become numbers, with a condition that says so."""
    options = (f, table, allow_non_fake, refuse_data_dependent, pre_dispatch)
    given = next((a.fake_mode for a in pytree.tree_leaves(args) if isinstance(a, FakeTensor)), None)
    if given is not None and given.size_tracer is not None:
        return _trace(options, args, given.size_tracer, given)
    reference, names = _reference(options, args)
    static: set[str] = set()
    for _ in range(len(names) + 1):
        made, more = _attempt(options, args, static, reference)
        if made is not None:
            return made
        if not more:  # an error whose cause is not known: find the symbol that must be a number
            alone = (_attempt(options, args, static | {name}, reference)[0] for name in names if name not in static)
            made = next((module for module in alone if module is not None), None)
            return reference if made is None else made
        static |= more
    return reference


def _reference(options: _Options, args: Any) -> tuple[GraphModule, list[str]]:
    """The graph for the program's own sizes, whose errors are the program's, and the names of the symbols."""
    sizes = SizeTracer(ShapeEnv(), all_static=True)
    module = _trace(options, args, sizes)
    return module, sorted(sizes.static)


def _attempt(options: _Options, args: Any, static: Iterable[str], reference: GraphModule) -> tuple[GraphModule | None, set[str]]:
    """A graph, or the symbols that are to be numbers."""
    sizes = SizeTracer(ShapeEnv(), static)
    sizes.restarts = True
    try:
        module = _trace(options, args, sizes)
    except Specialize as problem:
        return None, problem.symbols
    except Exception:  # not one of the program's own: the reference exists
        return None, set()
    return (None, set()) if difference(module, reference, sizes) else (module, set())


def _trace(options: _Options, args: Any, sizes: SizeTracer, fake_mode: Any = None) -> GraphModule:
    from torch.fx.experimental.proxy_tensor import PythonKeyTracer, _run

    f, table, allow_non_fake, refuse_data_dependent, pre_dispatch = options
    if fake_mode is None:
        fake_mode = FakeTensorMode(shape_env=sizes.env, allow_non_fake_inputs=allow_non_fake)
    tracer = PythonKeyTracer()
    tracer.fake_mode, tracer.symbols = fake_mode, SymbolProxies(tracer, sizes)

    def marked(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return value if isinstance(value, FakeTensor) else fake_mode.from_tensor(value)
        return sizes.symbolic(sizes.symbol_of_value(value)) if type(value) is int else value

    mode = ProxyTorchDispatchMode(
        tracer, "symbolic", pre_dispatch, decomposition_table=table, _error_on_data_dependent_ops=refuse_data_dependent
    )
    module = _run(f, pytree.tree_map(marked, args), tracer, fake_mode, mode)
    module.shape_env = sizes.env
    sizes.restarts = False
    return module
