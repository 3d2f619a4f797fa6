"""Graphs of functions: record one, look at it, change it, and run it.

`symbolic_trace` records a module or a function by calling it with proxies, `Graph` is the record, `GraphModule` makes a module of
it, `Interpreter` runs it node by node. docs/fx.md shows how they work together.
"""

from __future__ import annotations

from torch import _lazy

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from torch.fx._symbolic_trace import PH, ProxyableClassMeta, Tracer, symbolic_trace
    from torch.fx._wrap import wrap
    from torch.fx.graph import CodeGen, Graph
    from torch.fx.graph_module import GraphModule
    from torch.fx.interpreter import Interpreter, Transformer
    from torch.fx.node import Node, has_side_effect, map_arg
    from torch.fx.proxy import Proxy
    from torch.fx.subgraph_rewriter import replace_pattern

_ATTRIBUTES = {
    "wrap": "_wrap", "CodeGen": "graph", "Graph": "graph", "GraphModule": "graph_module", "Interpreter": "interpreter",
    "Transformer": "interpreter", "Node": "node", "map_arg": "node", "has_side_effect": "node", "Proxy": "proxy",
    "PH": "_symbolic_trace", "ProxyableClassMeta": "_symbolic_trace", "Tracer": "_symbolic_trace",
    "symbolic_trace": "_symbolic_trace", "replace_pattern": "subgraph_rewriter",
}  # fmt: skip
_SUBMODULES = (
    "_compatibility _pytree _symbolic_trace _utils annotate config experimental graph graph_module immutable_collections "
    "interpreter node operator_schemas passes proxy subgraph_rewriter tensor_type traceback"
).split()

__all__ = [
    *"Graph GraphModule Interpreter Node Proxy Tracer Transformer has_side_effect map_arg replace_pattern".split(),
    *"symbolic_trace wrap".split(),
]

__getattr__, __dir__ = _lazy.lazy(__name__, _SUBMODULES, {name: f"torch.fx.{place}" for name, place in _ATTRIBUTES.items()})
