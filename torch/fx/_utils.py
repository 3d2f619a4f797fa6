"""Texts about graphs for logs."""

from __future__ import annotations

from typing import Any


def _format_graph_code(name: str, filename: str, graph_str: str) -> str:
    return f"TRACED GRAPH\n {name} {filename} {graph_str}\n"


def lazy_format_graph_code(name: str, gm: Any, maybe_id: int | None = None, **kwargs: Any) -> Any:
    """An object whose text is the code of a module, made when it is printed."""

    class Lazy:
        def __str__(self) -> str:
            title = f"{name} {maybe_id}" if maybe_id is not None else name
            code = gm.print_readable(print_output=False, **kwargs) if hasattr(gm, "print_readable") else str(gm)
            return _format_graph_code(f"===== {title} =====\n", getattr(gm.forward, "__code__", gm).co_filename, code)

    return Lazy()


def first_call_function_nn_module_stack(graph: Any) -> dict[str, Any] | None:
    """The modules at work at the first call_function node that has them noted down."""
    return next((n.meta["nn_module_stack"] for n in graph.nodes if n.op == "call_function" and "nn_module_stack" in n.meta), None)


def get_node_context(node: Any, num_nodes: int = 2) -> str:
    """A node and those before it, as text."""
    lines = [node.format_node()]
    while len(lines) <= num_nodes and node.prev.op != "root":
        node = node.prev
        lines.insert(0, node.format_node())
    return "\n".join(lines)
