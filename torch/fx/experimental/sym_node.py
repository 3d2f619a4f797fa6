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
        hint (int, float or bool): the value; None if it depends on elements of tensors
        shape_env (ShapeEnv): which notes down decisions
        pytype (type, optional): int, float or bool; by default that of the value
    """

    def __init__(self, op: str, args: tuple[Any, ...], hint: Any, shape_env: Any, pytype: Any = None) -> None:
        self.op, self.args, self.hint, self.shape_env = op, args, hint, shape_env
        self.pytype = type(hint) if pytype is None else pytype

    def apply(self, op: str, *args: Any) -> SymNode:
        """An operation, whose operands are nodes or numbers."""
        function = _BINARY[op][2] if op in _BINARY else _FUNCTIONS[op]
        hints = [a.hint if isinstance(a, SymNode) else a for a in args]
        if any(hint is None for hint in hints):
            kind = type(function(*(a.traced() if isinstance(a, SymNode) else a for a in args)))
            return SymNode(op, args, None, self.shape_env, kind)
        return SymNode(op, args, function(*hints), self.shape_env)

    def traced(self) -> Any:
        """The value that operators compute with while sizes are traced: see torch/fx/experimental/_symbolic_sizes.py."""
        return self.evaluate(self.shape_env.traced_values)

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
        """The value, whose use is noted down as a condition.

        Raises:
            GuardOnDataDependentSymNode: the value depends on elements of tensors
        """
        if self.hint is None:
            return self._known_or_refused()
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

    def _known_or_refused(self) -> bool:
        """Whether a condition was asserted, or the contrary of one that was."""
        if self.pytype is bool:
            if self.shape_env.is_asserted(self):
                return True
            if self.op in _OPPOSITE and self.shape_env.is_asserted(
                SymNode(_OPPOSITE[self.op], self.args, None, self.shape_env, bool)
            ):
                return False
        from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode

        raise GuardOnDataDependentSymNode(
            f"the program needs the value of {self}, which depends on elements of tensors: assert what it may be by "
            "torch._check, or use torch.where, torch.sym_ite and the like in place of `if`"
        )

    def is_at_least(self, bound: int) -> bool:
        """Whether it is known to be a bound or more: sizes are 2 or more, and what is asserted holds."""
        if self.op == "symbol":
            return bound <= self.shape_env.lower_bounds.get(self.args[0], float("-inf"))
        if self.op in ("add", "mul") and bound <= 1:
            return all(a.is_at_least(bound) if isinstance(a, SymNode) else a >= bound for a in self.args)
        return False
