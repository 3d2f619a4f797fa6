"""ShapeEnv: makes numbers that record, and keeps the conditions under which a program did what it did."""

from __future__ import annotations

from typing import Any

from torch.fx.experimental.sym_node import SymNode


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

    def __init__(self, **options: Any) -> None:
        self.nodes: list[SymNode] = []
        self.asserts: list[SymNode] = []  # of numbers that depend on elements, in the order of torch._check
        self.traced_values: dict[str, Any] = {}
        self.lower_bounds: dict[str, int] = {}
        self.sizes: Any = None  # a torch.fx.experimental._symbolic_sizes.SizeTracer, while sizes are traced
        self._count = self._unbacked = 0

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

    def create_unbacked_symint(self, name: str | None = None) -> Any:
        """A SymInt whose value depends on elements of tensors: decisions by it are refused, unless `torch._check` asserts them.

        Args:
            name (str, optional): by default u0, u1, ...
        """
        import torch

        name = f"u{self._unbacked}" if name is None else name
        self._unbacked += 1
        self.traced_values.setdefault(name, 10007)
        return torch.SymInt(SymNode("symbol", (name,), None, self, int))

    def assert_true(self, condition: SymNode) -> None:
        """Note down what `torch._check` says of a number that depends on elements."""
        self.asserts.append(condition)
        left, right = condition.args if len(condition.args) == 2 else (None, None)
        if isinstance(left, SymNode) and left.op == "symbol" and isinstance(right, int) and condition.op in ("ge", "gt", "eq"):
            bound = right + (condition.op == "gt")
            self.lower_bounds[left.args[0]] = max(bound, self.lower_bounds.get(left.args[0], bound))

    def is_asserted(self, condition: SymNode) -> bool:
        """Whether `torch._check` has asserted a condition, or bounds that imply it."""
        if str(condition) in map(str, self.asserts):
            return True
        left, right = condition.args if len(condition.args) == 2 else (None, None)
        if not isinstance(left, SymNode) or not isinstance(right, int):
            return False
        if condition.op == "ne":
            return left.is_at_least(right + 1)
        return condition.op in ("ge", "gt") and left.is_at_least(right + (condition.op == "gt"))

    def _note(self, condition: SymNode) -> None:
        if self.sizes is not None:
            if condition.op in ("eq", "le", "ge") and self.sizes.are_same(*condition.args):
                return
            self.sizes.decided(condition)
        if condition.symbols() and str(condition) not in map(str, self.nodes):
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

    @property
    def deferred_runtime_asserts(self) -> list[str]:
        """What `torch._check` has asserted of numbers that depend on elements, as text."""
        return [str(node) for node in self.asserts]

    def evaluate_guards(self, **values: Any) -> bool:
        """Whether other values of the symbols meet the conditions.

        Args:
            **values (Any): the values by name; those that are missing stay
        """
        unknown = set(values) - {name for node in self.nodes for name in node.symbols()}
        if unknown and self.nodes:
            raise ValueError(f"ShapeEnv.evaluate_guards: no condition depends on {', '.join(sorted(unknown))}")
        return all(node.evaluate(values) for node in self.nodes)
