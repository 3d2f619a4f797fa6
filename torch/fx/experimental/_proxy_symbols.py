"""Nodes for expressions of sizes: `sym_size.int` of the tensor that a symbol comes from, and arithmetic."""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch.fx.experimental.sym_node import SymNode
from torch.fx.proxy import Proxy

_FUNCTIONS: dict[str, Any] = {
    name: getattr(operator, name) for name in "add sub mul truediv floordiv mod pow eq ne lt le gt ge neg abs".split()
}
_FUNCTIONS.update({
    "and": operator.and_, "or": operator.or_, "not": torch.sym_not, "max": torch.sym_max, "min": torch.sym_min,
    "float": torch.sym_float, "int": torch.sym_int, "ite": torch.sym_ite, "sqrt": torch.sym_sqrt, "round": round,
})  # fmt: skip


class SymbolProxies:
    """The proxies of symbols and of what is computed from them, made when a recorded call needs them.

    Args:
        tracer (PythonKeyTracer): which records
        sizes (SizeTracer): reads marked numbers
    """

    def __init__(self, tracer: Any, sizes: Any) -> None:
        self.tracer, self.sizes = tracer, sizes
        self._sources: dict[str, tuple[Proxy, int | None]] = {}  # symbol -> tensor and dimension, or the number itself
        self._made: dict[str, Proxy] = {}

    def bind_tensor(self, tensor: torch.Tensor, proxy: Proxy) -> None:
        """Take the symbols among a tensor's sizes from it, unless they are known already."""
        for dim, size in enumerate(torch.Tensor.shape.__get__(tensor)):
            node = self.sizes.expression(size)
            if node is not None and node.op == "symbol":
                self._sources.setdefault(node.args[0], (proxy, dim))

    def bind_number(self, node: SymNode, proxy: Proxy) -> None:
        """Take a symbol from the proxy of a number."""
        if node.op == "symbol":
            self._sources.setdefault(node.args[0], (proxy, None))

    def proxy_of(self, node: SymNode) -> Any:
        """A proxy that computes an expression."""
        key = str(node)
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = self._make(node)
            from torch._symbolic import _wrap

            found.node.meta["val"] = _wrap(node)
        return found

    def _make(self, node: SymNode) -> Proxy:
        if node.op == "symbol":
            source = self._sources.get(node.args[0])
            if source is None:
                raise RuntimeError(f"make_fx: no input or recorded tensor has the size {node}")
            proxy, dim = source
            if dim is None:
                return proxy
            return self.tracer.create_proxy("call_function", torch.ops.aten.sym_size.int, (proxy, dim), {})
        function = _FUNCTIONS.get(node.op)
        if function is None:
            raise NotImplementedError(f"make_fx: {node.op} of sizes cannot be recorded")
        args = tuple(
            self.proxy_of(a) if isinstance(a, SymNode) and a.symbols() - self.sizes.static else _plain(a) for a in node.args
        )
        return self.tracer.create_proxy("call_function", function, args, {})

    def replaced(self, value: Any) -> Any:
        """A proxy in place of a number that stands for an expression, or of a SymInt."""
        node = getattr(value, "node", None)
        if not isinstance(node, SymNode):
            node = self.sizes.expression(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
        if node is None:
            return value
        if self.sizes.is_quotient(value):
            self.sizes.specialize(node.symbols(), f"{node} is told from its neighbours")
        return self.proxy_of(node) if node.symbols() - self.sizes.static else _plain(node)


def _plain(value: Any) -> Any:
    return value.hint if isinstance(value, SymNode) else value
