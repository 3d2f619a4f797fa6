"""Sizes that record while a function is traced.

Note [Traced sizes]
C++ computes with sizes that are numbers, and an ordinary call shall not pay for others. So tracing gives fake tensors marked
sizes: a symbol whose size is 4 is traced as 4 * 101, the next one of size 6 as 6 * 103, and so on, with a prime of its own for
each. Whatever C++ derives from sizes, in views, in autograd's formulas or under vmap, can be told from constants by its factors,
and is read back as an expression of the symbols: 4 * 101 * 6 * 103 is s0 * s1. Where a result is no product (s0 + s1 of `cat`,
the floor of a strided convolution), the operator is run on the meta device with other sizes, and the expression is fitted to what
it gives (_size_fitting.py). Python sees SymInts, which decide by the sizes of the program and note the decision down.

In the end, the function is traced with the program's own sizes, and the graph with symbols must agree with that one, operator by
operator and number by number (_symbolic_trace_check.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, NoReturn

from torch.fx.experimental.sym_node import SymNode

_FIRST_PRIME = 101
_LARGEST_COEFFICIENT = 1 << 12
_MULTIPLES = (1, 7, 3, 11, 5)


class Specialize(BaseException):
    """Symbols that have to be numbers, because the program uses their values, or an operator ties them to others."""

    def __init__(self, symbols: set[str], cause: Exception | None = None) -> None:
        super().__init__(", ".join(sorted(symbols)))
        self.symbols, self.cause = symbols, cause


def _is_prime(number: int) -> bool:
    return all(number % k for k in range(2, int(number**0.5) + 1))


def _determines(node: Any) -> bool:
    """Whether the value of an expression says what its one symbol is."""
    if not isinstance(node, SymNode) or node.op == "symbol":
        return isinstance(node, SymNode)
    parts = [a for a in node.args if isinstance(a, SymNode)]
    return node.op in ("add", "sub", "mul", "neg") and len(parts) == 1 and _determines(parts[0])


class SizeTracer:
    """Which expression each marked number stands for.

    Args:
        env (ShapeEnv): has the symbols and the decisions
        static (Iterable): names of symbols that are to be numbers
        all_static (bool, default False): all symbols for sizes of inputs are to be numbers
    """

    def __init__(self, env: Any, static: Iterable[str] = (), all_static: bool = False) -> None:
        self.env, self.static, self.all_static = env, set(static), all_static
        env.sizes = self
        self.restarts = False  # whether the trace begins anew, with fewer symbols, where a value is used
        self.takes_element = False  # while Python takes an element, by item()
        self.known: dict[Any, SymNode] = {}  # marked number -> expression
        self.products: dict[int, SymNode] = {}  # the same, by the factors of the number: not certain
        self.constants: set[int] = set()  # sizes that depend on no symbol
        self.marks: dict[str, int] = {}  # symbol -> its marked number
        self._by_size: dict[int, str] = {}
        self._primes: dict[str, int] = {}
        self._next_prime = _FIRST_PRIME
        self._values = 0

    # --- symbols ------------------------------------------------------------------------------------------------------------

    def _prime_for(self, hint: int) -> int:
        prime = self._next_prime
        while not _is_prime(prime) or hint % prime == 0:
            prime += 1
        self._next_prime = prime + 1
        return prime

    def _new_symbol(self, name: str, hint: int | None) -> SymNode:
        prime = self._prime_for(hint or 1)
        mark = (hint or 1) * prime if hint else prime * _FIRST_PRIME
        if hint is None:
            node = self.env.create_unbacked_symint(name).node
        else:
            node = self.env.create_symint(hint, name).node
            self.env.lower_bounds[name] = 2
        self.marks[name], self._primes[name] = mark, prime
        self.env.traced_values[name] = mark
        self.known[mark] = node
        return node

    def symbol_of_size(self, size: int) -> int:
        """The marked number for a size of an input. Equal sizes have one symbol.

        Sizes 0 and 1 stay numbers, because operators treat them apart.
        """
        if size < 2:
            return size
        name = self._by_size.get(size)
        if name is None:
            name = self._by_size[size] = f"s{len(self._by_size)}"
            self._backed_symbol(name, size)
        return self.marks[name]

    def keep_sizes(self, t: Any) -> None:
        """The sizes of an input stay numbers: it has gaps, or lazy bits. A recording begins anew with conditions that say so."""
        symbols = {self._by_size[size] for size in t.shape if size in self._by_size} - self.static
        if symbols and self.restarts:
            raise Specialize(symbols)

    def symbol_of_value(self, value: int) -> int:
        """The marked number for an int among the inputs, or for the element of a tensor among them."""
        if value < 2:
            return value
        self._values += 1
        self._backed_symbol(f"v{self._values - 1}", value)
        return self.marks[f"v{self._values - 1}"]

    def _backed_symbol(self, name: str, value: int) -> None:
        node = self._new_symbol(name, value)
        if self.all_static or name in self.static:
            self.static.add(name)
            self.known.pop(self.marks[name], None)
            self.marks[name] = self.env.traced_values[name] = value
            self.env._note(node.apply("eq", node, value))

    def unbacked(self) -> int:
        """The marked number of a new symbol for a size that depends on elements."""
        name = f"u{self.env._unbacked}"
        self._new_symbol(name, None)
        return self.marks[name]

    def decided(self, condition: SymNode) -> None:
        """A decision that fixes a symbol ends the trace, which begins anew with a number in its place."""
        symbols = {name for name in condition.symbols() if name not in self.static and name in self.marks}
        fixes = condition.op == "eq" and _determines(condition.args[0]) and not isinstance(condition.args[1], SymNode)
        if fixes and self.restarts and symbols:
            raise Specialize(symbols)

    # --- numbers ------------------------------------------------------------------------------------------------------------

    def note(self, value: Any, node: SymNode) -> None:
        """Remember what a number stands for that C++ gets from Python."""
        if isinstance(value, bool) or not node.symbols() - self.static or (isinstance(value, int) and abs(value) < 2):
            return
        before = self.known.get(value)
        if before is None:
            self.known[value] = node
        elif not self._is_same(before, node):
            self._unify(before, node)

    def are_same(self, a: Any, b: Any) -> bool:
        """Whether two operands are equal whatever the symbols are."""
        return isinstance(a, SymNode) and isinstance(b, SymNode) and self._is_same(a, b)

    def _is_same(self, a: SymNode, b: SymNode) -> bool:
        tried = self.multiples(sorted(a.symbols() | b.symbols()))
        return str(a) == str(b) or all(a.evaluate(values) == b.evaluate(values) for values in tried)

    def multiples(self, names: Iterable[str]) -> list[dict[str, int]]:
        """Other values of symbols, multiples of the marked ones, in different orders of size."""
        return [
            {name: self.env.traced_values[name] * _MULTIPLES[(2 * i + k) % 5] for i, name in enumerate(names)} for k in range(4)
        ]

    def _unify(self, a: SymNode, b: SymNode) -> None:
        """Two expressions have one number, as max(s0, s1) and s1. If they are equal in the program too, that is a condition."""
        if a.hint is not None and a.hint == b.hint:
            self.env._note(a.apply("eq", b, a))
        else:
            self.specialize(a.symbols() | b.symbols(), f"{a} and {b} are told apart")

    def specialize(self, symbols: set[str], why: str, cause: Exception | None = None) -> NoReturn:
        """Begin anew with numbers for symbols that have values.

        Raises:
            Specialize: make_fx catches it
            RuntimeError: nobody can begin anew
        """
        symbols = {name for name in symbols - self.static if self.known[self.marks[name]].hint is not None}
        if self.restarts:
            raise Specialize(symbols, cause)
        raise RuntimeError(
            f"FakeTensorMode: {', '.join(sorted(symbols))} would have to be numbers, so that {why}; "
            "use from_tensor(..., static_shapes=True), or record the program by make_fx with tracing_mode='symbolic'"
        ) from cause

    def expression(self, value: Any) -> SymNode | None:
        """What a number stands for; None for a constant."""
        found = self.known.get(value) or self.products.get(value)
        if found is not None:
            return found if found.symbols() - self.static else None
        if isinstance(value, float):
            return None
        return self._product(value)

    def is_known(self, value: int) -> bool:
        """Whether the expression of a number is certain: it was seen before, or is a whole multiple of a product of symbols."""
        if value in self.known or value in self.constants or -_FIRST_PRIME < value < _FIRST_PRIME:
            return True
        factors, coefficient = self._factors(value)
        return bool(factors) and coefficient.denominator == 1

    def _factors(self, value: int) -> tuple[list[str], Fraction]:
        factors, rest = [], value
        coefficient = Fraction(value)
        for name, prime in self._primes.items():
            if name in self.static:
                continue
            while rest and rest % prime == 0 and len(factors) < 12:
                rest //= prime
                factors.append(name)
                coefficient /= self.marks[name]
        return factors, coefficient

    def _product(self, value: int) -> SymNode | None:
        if -_FIRST_PRIME < value < _FIRST_PRIME:
            return None
        factors, coefficient = self._factors(value)
        if not factors or max(abs(coefficient.numerator), coefficient.denominator) > _LARGEST_COEFFICIENT:
            return None
        node = self.known[self.marks[factors[0]]]
        for name in factors[1:]:
            node = node.apply("mul", node, self.known[self.marks[name]])
        rest = self.known.get(coefficient.numerator)  # s0 + 2, of s1 * (s0 + 2)
        if rest is not None and coefficient.denominator == 1:
            coefficient, node = Fraction(1), node.apply("mul", node, rest)
        if coefficient.numerator != 1:
            node = node.apply("mul", node, coefficient.numerator)
        if coefficient.denominator != 1:
            node = node.apply("floordiv", node, coefficient.denominator)
        self.products[value] = node
        return node

    def is_quotient(self, value: Any) -> bool:
        """Whether a number is known as a fraction of a product only, which may be its floor or its ceiling."""
        return isinstance(value, int) and value not in self.known and value in self.products and not self.is_known(value)

    def symbolic(self, value: Any) -> Any:
        """A SymInt or SymFloat for a marked number; constants as they are."""
        from torch._symbolic import _wrap

        if isinstance(value, bool):
            return value
        node = self.expression(value)
        return value if node is None else _wrap(node)

    def evaluated(self, value: Any, values: dict[str, int]) -> Any:
        """A marked number for other values of the symbols."""
        node = None if isinstance(value, bool) else self.expression(value)
        return value if node is None else node.evaluate(values)

    def symbols_of(self, value: Any) -> set[str]:
        """The symbols in a marked number."""
        node = None if isinstance(value, bool) else self.expression(value)
        return set() if node is None else node.symbols() - self.static

    def hints(self) -> dict[str, int]:
        """The sizes of the program; marked numbers for those that it does not know."""
        return {name: mark if self.known[mark].hint is None else self.known[mark].hint for name, mark in self.marks.items()
                if name not in self.static}  # fmt: skip
