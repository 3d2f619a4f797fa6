"""Numbers that record what is done with them: SymInt, SymFloat and SymBool, and functions of them and of plain numbers.

Sizes of tensors are plain numbers, but for those of fake tensors while sizes are traced (make_fx with tracing_mode="symbolic").
The recording ones are made by torch.fx.experimental.symbolic_shapes.ShapeEnv.
"""

from __future__ import annotations

import math
from typing import Any

from torch import _C


class _Symbolic:
    """Holds an expression (`torch.fx.experimental.sym_node.SymNode`)."""

    def __init__(self, node: Any) -> None:
        if type(node).__name__ != "SymNode":
            raise TypeError(
                f"torch.{type(self).__name__}: expected an expression, got {type(node).__name__}; "
                "torch.fx.experimental.symbolic_shapes.ShapeEnv makes numbers that record"
            )
        self.node = node

    def __repr__(self) -> str:
        return str(self.node)

    def _traced_value(self) -> Any:
        """What an operator computes with: a marked number under the mode that traces sizes; otherwise the value, a decision."""
        sizes = self.node.shape_env.sizes
        mode = None if sizes is None else _C._get_dispatch_mode(_C._TorchDispatchModeKey.FAKE)
        if sizes is None or self.node.pytype is bool or getattr(mode, "size_tracer", None) is not sizes:
            return self.node.guard()
        value = self.node.traced()
        sizes.note(value, self.node)
        return value

    def __hash__(self) -> int:
        return hash(self.node.guard())

    def __bool__(self) -> bool:
        node = self.node
        return node.guard() if node.pytype is bool else bool(node.apply("ne", node, 0).guard())


class SymInt(_Symbolic):
    """An int that records what is done with it.

    Args:
        node (SymNode): the expression

    Example:
        >>> isinstance(torch.ones(2).shape[0], torch.SymInt)
        False
    """

    def is_integer(self) -> bool:
        """True, as of an int.

        Returns:
            True
        """
        return True

    def __int__(self) -> int:
        return self.node.guard()

    __index__ = __int__

    def __float__(self) -> float:
        return float(self.node.guard())


class SymFloat(_Symbolic):
    """A float that records what is done with it.

    Args:
        node (SymNode): the expression

    Example:
        >>> isinstance(1.5, torch.SymFloat)
        False
    """

    def __float__(self) -> float:
        return self.node.guard()

    def __int__(self) -> int:
        return int(self.node.guard())


class SymBool(_Symbolic):
    """A bool that records what is decided by it.

    Args:
        node (SymNode): the expression

    Example:
        >>> isinstance(True, torch.SymBool)
        False
    """

    def __int__(self) -> int:
        return int(self.node.guard())


def _wrap(node: Any) -> Any:
    return {int: SymInt, float: SymFloat, bool: SymBool}[node.pytype](node)


def _apply(op: str, *args: Any) -> Any:
    """An operation with a recording number among its operands."""
    node = next(a.node for a in args if isinstance(a, _Symbolic))
    sizes = node.shape_env.sizes

    def operand(a: Any) -> Any:
        if isinstance(a, _Symbolic):
            return a.node
        # C++ may have given Python the marked number of a symbol.
        found = sizes.expression(a) if sizes is not None and type(a) is int else None
        return a if found is None else found

    return _wrap(node.apply(op, *map(operand, args)))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, _Symbolic))


def _define(kind: type, names: str, reflected: bool) -> None:
    for name in names.split():

        def method(self: Any, other: Any, op: str = name) -> Any:
            return _apply(op, self, other) if _is_number(other) else NotImplemented

        def swapped(self: Any, other: Any, op: str = name) -> Any:
            return _apply(op, other, self) if _is_number(other) else NotImplemented

        setattr(kind, f"__{name}__", method)
        if reflected:
            setattr(kind, f"__r{name}__", swapped)


for _kind in (SymInt, SymFloat):
    _define(_kind, "add sub mul truediv floordiv mod pow", True)
    _define(_kind, "lt le gt ge eq ne", False)
    for _name in ("neg", "abs", "floor", "ceil", "round"):
        setattr(_kind, f"__{_name}__", lambda self, *digits, op=_name: _apply(op, self, *digits))
    _kind.__hash__ = _Symbolic.__hash__
_define(SymBool, "and or", True)
_define(SymBool, "eq ne", False)
SymBool.__hash__ = _Symbolic.__hash__  # type: ignore[method-assign]

for _type in (SymInt, SymFloat, SymBool):
    _type.__module__ = "torch"


def sym_int(a: Any) -> Any:
    """A number rounded towards zero.

    Args:
        a (int, float, SymInt or SymFloat): the number

    Returns:
        the integer

    Example:
        >>> torch.sym_int(-3.7)
        -3
    """
    if isinstance(a, SymInt):
        return a
    return _apply("int", a) if isinstance(a, _Symbolic) else int(a)


def sym_float(a: Any) -> Any:
    """A number as a float.

    Args:
        a (int, float, SymInt or SymFloat): the number

    Returns:
        the float

    Example:
        >>> torch.sym_float(2)
        2.0
    """
    if isinstance(a, SymFloat):
        return a
    return _apply("float", a) if isinstance(a, _Symbolic) else float(a)


def _both(op: str, a: Any, b: Any) -> Any:
    """The larger or smaller of two numbers; a float if one of them is."""
    if isinstance(a, _Symbolic) or isinstance(b, _Symbolic):
        if isinstance(a, (float, SymFloat)) or isinstance(b, (float, SymFloat)):
            a, b = sym_float(a), sym_float(b)
        return _apply(op, a, b)
    result = max(a, b) if op == "max" else min(a, b)
    return float(result) if isinstance(a, float) or isinstance(b, float) else result


def sym_max(a: Any, b: Any) -> Any:
    """The larger of two numbers; a float if one of them is.

    Args:
        a (int, float, SymInt or SymFloat): one
        b (int, float, SymInt or SymFloat): the other

    Returns:
        the larger one

    Example:
        >>> torch.sym_max(3, 4.0), torch.sym_max(3, 4)
        (4.0, 4)
    """
    return _both("max", a, b)


def sym_min(a: Any, b: Any) -> Any:
    """The smaller of two numbers; a float if one of them is.

    Args:
        a (int, float, SymInt or SymFloat): one
        b (int, float, SymInt or SymFloat): the other

    Returns:
        the smaller one

    Example:
        >>> torch.sym_min(3, 4.0)
        3.0
    """
    return _both("min", a, b)


def sym_not(a: Any) -> Any:
    """The contrary of a condition.

    Args:
        a (bool or SymBool): the condition

    Returns:
        the contrary

    Example:
        >>> torch.sym_not(True)
        False
    """
    return _apply("not", a) if isinstance(a, _Symbolic) else not a


def sym_ite(b: Any, t: Any, f: Any) -> Any:
    """One of two values of one type.

    Args:
        b (bool or SymBool): which
        t (Any): if True
        f (Any): if False

    Returns:
        the value

    Example:
        >>> torch.sym_ite(True, 1, 2)
        1
    """
    if type(t) is not type(f):
        raise TypeError(f"sym_ite: the values must have one type, got {type(t).__name__} and {type(f).__name__}")
    return _apply("ite", b, t, f) if isinstance(b, _Symbolic) else t if b else f


def sym_sum(args: Any) -> Any:
    """The sum of numbers.

    Args:
        args (Iterable): the numbers

    Returns:
        the sum

    Example:
        >>> torch.sym_sum([1, 2, 3])
        6
    """
    values = list(args)
    return sum(values[1:], values[0]) if values else 0


_INT64_MAX = 2**63 - 1


def sym_constrain_range(size: Any, *, min: int | None = None, max: int | None = None) -> None:
    """Check that a number is in a range.

    Args:
        size (int): the number
        min (int, optional): the least that it may be
        max (int, optional): the most that it may be

    Raises:
        RuntimeError: it is not, or the range is empty

    Example:
        >>> torch.sym_constrain_range(3, min=1, max=5)
    """
    if isinstance(size, SymInt) and size.node.hint is None:
        for bound, op in ((min, "ge"), (max, "le")):
            if bound is not None:
                size.node.shape_env.assert_true(size.node.apply(op, size.node, bound))
        return
    low = -_INT64_MAX - 1 if min is None else min
    high = _INT64_MAX if max is None else max
    if high < low:
        raise RuntimeError(f"sym_constrain_range: max must be at least min, got min={low} max={high}")
    if not low <= size <= high:
        raise RuntimeError(f"Invalid value range for {size} between [{low}, {high}].")


def sym_constrain_range_for_size(size: Any, *, min: int | None = None, max: int | None = None) -> None:
    """Check that a number can be the size of a dimension: it is not negative, and in a range.

    Args:
        size (int): the number
        min (int, optional): the least that it may be
        max (int, optional): the most that it may be, greater than 2

    Raises:
        RuntimeError: it is not, or `max` is too small

    Example:
        >>> torch.sym_constrain_range_for_size(3, max=5)
    """
    if max is not None and max <= 2:
        raise RuntimeError(f"sym_constrain_range_for_size: max must be greater than 2, got {max}")
    sym_constrain_range(size, min=0 if min is None else min, max=max)


def sym_fresh_size(expr: Any) -> Any:
    """A number as it is: no other one stands for it, because shapes are always known.

    Args:
        expr (int, float or Tensor): the number

    Returns:
        the number

    Example:
        >>> torch.sym_fresh_size(3)
        3
    """
    import torch

    return torch.as_tensor(expr).item()


def sym_sqrt(a: Any) -> Any:
    """The square root of a number.

    Args:
        a (int, float, SymInt or SymFloat): the number

    Returns:
        the root

    Example:
        >>> torch.sym_sqrt(4)
        2.0
    """
    return _apply("sqrt", a) if isinstance(a, _Symbolic) else math.sqrt(a)


for _function in (sym_int, sym_float, sym_max, sym_min, sym_not, sym_ite, sym_sum, sym_sqrt):
    _function.__module__ = "torch"

_C._set_symbolic_types(SymInt, SymFloat, SymBool)
