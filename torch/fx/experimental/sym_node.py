"""Numbers that record what is done with them, and what is decided by them.

`ShapeEnv().create_symint(8, "s0")` is a SymInt. Arithmetic makes expressions of it; a decision (`if`, `int()`, `range()`) uses
the value and notes down the condition, so that one can tell later for which other values the program does the same.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

# name -> (symbol, precedence, function)
_BINARY: dict[str, tuple[str, int, Callable[..., Any]]] = {
    "or": ("or", 1, lambda a, b: a or b), "and": ("and", 2, lambda a, b: a and b), "eq": ("==", 3, operator.eq),
    "ne": ("!=", 3, operator.ne), "lt": ("<", 3, operator.lt), "le": ("<=", 3, operator.le), "gt": (">", 3, operator.gt),
    "ge": (">=", 3, operator.ge), "add": ("+", 4, operator.add), "sub": ("-", 4, operator.sub), "mul": ("*", 5, operator.mul),
    "truediv": ("/", 5, operator.truediv), "floordiv": ("//", 5, operator.floordiv), "mod": ("%", 5, operator.mod),
    "pow": ("**", 7, operator.pow),
}  # fmt: skip
_OPPOSITE = {"eq": "ne", "ne": "eq", "lt": "ge", "ge": "lt", "gt": "le", "le": "gt"}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "neg": operator.neg, "not": operator.not_, "max": max, "min": min, "float": float, "int": int, "floor": math.floor,
    "ceil": math.ceil, "round": round, "sqrt": math.sqrt, "abs": abs, "ite": lambda b, t, f: t if b else f,
}  # fmt: skip


class SymNode:
    """An expression: a symbol, or an operation on expressions and numbers, with the value that it has now.

    Args:
        op (str): "symbol", or the operation
        args (tuple): the name of the symbol, or the operands
        hint (int, float or bool): the value
        shape_env (ShapeEnv): which notes down decisions
    """

    def __init__(self, op: str, args: tuple[Any, ...], hint: Any, shape_env: Any) -> None:
        self.op, self.args, self.hint, self.shape_env = op, args, hint, shape_env
        self.pytype = type(hint)

    def apply(self, op: str, *args: Any) -> SymNode:
        """An operation, whose operands are nodes or numbers."""
        function = _BINARY[op][2] if op in _BINARY else _FUNCTIONS[op]
        hint = function(*(a.hint if isinstance(a, SymNode) else a for a in args))
        return SymNode(op, args, hint, self.shape_env)

    def evaluate(self, values: dict[str, Any]) -> Any:
        """The value for other values of the symbols."""
        if self.op == "symbol":
            return values.get(self.args[0], self.hint)
        function = _BINARY[self.op][2] if self.op in _BINARY else _FUNCTIONS[self.op]
        return function(*(a.evaluate(values) if isinstance(a, SymNode) else a for a in self.args))

    def symbols(self) -> set[str]:
        """The names of the symbols in it."""
        if self.op == "symbol":
            return {self.args[0]}
        return {name for a in self.args if isinstance(a, SymNode) for name in a.symbols()}

    def _precedence(self) -> int:
        if self.op in _BINARY:
            return _BINARY[self.op][1]
        return {"not": 2, "neg": 6}.get(self.op, 9)

    def _text(self, outer: int) -> str:
        text, own = str(self), self._precedence()
        return f"({text})" if own < outer else text

    def __str__(self) -> str:
        if self.op == "symbol":
            return str(self.args[0])
        own = self._precedence()
        words = [a._text(own + (k > 0)) if isinstance(a, SymNode) else repr(a) for k, a in enumerate(self.args)]
        if self.op in _BINARY:
            return f"{words[0]} {_BINARY[self.op][0]} {words[1]}"
        if self.op in ("neg", "not"):
            return ("-" if self.op == "neg" else "not ") + words[0]
        names = [str(a) if isinstance(a, SymNode) else repr(a) for a in self.args]
        return f"{self.op}({', '.join(names)})"

    __repr__ = __str__

    def guard(self) -> Any:
        """The value, whose use is noted down as a condition."""
        if self.pytype is bool:
            if self.hint:
                condition = self
            elif self.op in _OPPOSITE:
                condition = SymNode(_OPPOSITE[self.op], self.args, True, self.shape_env)
            elif self.op == "not":
                condition = self.args[0]
            else:
                condition = self.apply("not", self)
        else:
            condition = self.apply("eq", self, self.hint)
        self.shape_env._note(condition)
        return self.hint


class ShapeEnv:
    """Makes numbers that record, and keeps the conditions under which a program did what it did.

    Example:
        >>> from torch.fx.experimental.symbolic_shapes import ShapeEnv
        >>> env = ShapeEnv()
        >>> n = env.create_symint(8, "n")
        >>> n * 2 + 1, isinstance(n, torch.SymInt)
        (n * 2 + 1, True)
        >>> if n * 2 > 10:
        ...     print(env.format_guards())
         - n * 2 > 10
        >>> env.evaluate_guards(n=6), env.evaluate_guards(n=5)
        (True, False)
    """

    def __init__(self) -> None:
        self.nodes: list[SymNode] = []
        self._count = 0

    def _symbol(self, kind: type, value: Any, name: str | None) -> Any:
        name = name if name is not None else f"s{self._count}"
        if not name.isidentifier():
            raise ValueError(f"ShapeEnv: the name of a symbol must be an identifier, got {name!r}")
        self._count += 1
        return kind(SymNode("symbol", (name,), value, self))

    def create_symint(self, value: int, name: str | None = None) -> Any:
        """A SymInt.

        Args:
            value (int): its value now
            name (str, optional): by default s0, s1, ...
        """
        import torch

        return self._symbol(torch.SymInt, int(value), name)

    def create_symfloat(self, value: float, name: str | None = None) -> Any:
        """A SymFloat.

        Args:
            value (float): its value now
            name (str, optional): by default s0, s1, ...
        """
        import torch

        return self._symbol(torch.SymFloat, float(value), name)

    def create_symbool(self, value: bool, name: str | None = None) -> Any:
        """A SymBool.

        Args:
            value (bool): its value now
            name (str, optional): by default s0, s1, ...
        """
        import torch

        return self._symbol(torch.SymBool, bool(value), name)

    def _note(self, condition: SymNode) -> None:
        if str(condition) not in map(str, self.nodes):
            self.nodes.append(condition)

    @property
    def guards(self) -> list[str]:
        """The conditions as text, in the order of the decisions."""
        return [str(node) for node in self.nodes]

    def format_guards(self, verbose: bool = False) -> str:
        """The conditions as text, one a line.

        Args:
            verbose (bool, default False): of no effect
        """
        return "\n".join(f" - {guard}" for guard in self.guards)

    def evaluate_guards(self, **values: Any) -> bool:
        """Whether other values of the symbols meet the conditions.

        Args:
            **values (Any): the values by name; those that are missing stay
        """
        unknown = set(values) - {name for node in self.nodes for name in node.symbols()}
        if unknown and self.nodes:
            raise ValueError(f"ShapeEnv.evaluate_guards: no condition depends on {', '.join(sorted(unknown))}")
        return all(node.evaluate(values) for node in self.nodes)
