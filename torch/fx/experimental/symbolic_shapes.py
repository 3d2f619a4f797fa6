"""Conditions on sizes, which are symbols while make_fx traces with tracing_mode="symbolic", and otherwise numbers.

Packages import these functions to decide about sizes without fixing them. Numbers that record are made by ShapeEnv. Descriptions
of single sizes, which only compilers use, are refused.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, NoReturn

from torch.fx.experimental._shape_env import ShapeEnv  # noqa: F401
from torch.fx.experimental.sym_node import SymNode

_REASON = "symbols for single sizes cannot be described; make_fx makes a symbol for each size that is 2 or more"


class GuardOnDataDependentSymNode(RuntimeError):
    """A decision that needs a value that is not known, because it depends on elements of tensors."""


class ConstraintViolationError(RuntimeError):
    """A size that breaks what was promised of it; never raised here."""


class DimDynamic(Enum):
    """How a size is treated by a compiler."""

    DYNAMIC = 0
    DUCK = 1
    STATIC = 2
    UNBACKED = 3
    INFER_STRIDE = 4
    SIZE_LIKE_UNBACKED = 5


class _Refused:
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(f"torch.fx.experimental.symbolic_shapes.{type(self).__name__}: {_REASON}")


class SymbolicContext(_Refused):
    """How the sizes of one tensor are treated; refused."""


class StatelessSymbolicContext(SymbolicContext):
    """How the sizes of one tensor are treated; refused."""


class StatefulSymbolicContext(StatelessSymbolicContext):
    """How the sizes of one tensor are treated; refused."""


class DimConstraints(_Refused):
    """What is known of open sizes together; refused."""


class StrictMinMaxConstraint(_Refused):
    """Bounds of an open size; refused."""


class RelaxedUnspecConstraint(_Refused):
    """That a size is open; refused."""


class EqualityConstraint(_Refused):
    """That open sizes are equal; refused."""


def _decided_or(a: Any, otherwise: bool) -> bool:
    try:
        return bool(a)
    except GuardOnDataDependentSymNode:
        return otherwise


def guard_or_false(a: Any) -> bool:
    """The value of a condition; False where it depends on elements of tensors."""
    return _decided_or(a, False)


def guard_or_true(a: Any) -> bool:
    """The value of a condition; True where it depends on elements of tensors."""
    return _decided_or(a, True)


def _asserted(a: Any) -> bool:
    """The value of a condition; one that depends on elements is noted down as true."""
    if is_symbolic(a) and a.node.hint is None and not a.node.shape_env.is_asserted(a.node):
        a.node.shape_env.assert_true(a.node)
        return True
    return bool(a)


def guard_bool(a: Any) -> bool:
    """The value of a condition."""
    return bool(a)


def guard_int(a: Any) -> int:
    """The value of a size."""
    return int(a)


def guard_float(a: Any) -> float:
    """The value of a number."""
    return float(a)


def guard_scalar(a: Any) -> Any:
    """The value of a number or condition."""
    if is_symbolic(a):
        return a.node.guard()
    if not isinstance(a, (bool, int, float)):
        raise AssertionError(f"guard_scalar: expected a number, got {type(a).__name__}")
    return a


def guard_size_oblivious(expr: Any) -> bool:
    """The value of a condition."""
    return bool(expr)


def expect_true(a: Any, skip: int = 0) -> bool:
    """Check a condition.

    Raises:
        AssertionError: it does not hold
    """
    if not _asserted(a):
        raise AssertionError("expect_true: the condition does not hold")
    return True


def statically_known_true(x: Any) -> bool:
    """Whether a condition is known to hold for all values of the symbols; of plain numbers, whether it holds."""
    return x.node.shape_env.is_asserted(x.node) if is_symbolic(x) else bool(x)


def statically_known_false(x: Any) -> bool:
    """Whether a condition holds for no values of the symbols; of plain numbers, whether it does not hold."""
    return not is_symbolic(x) and not x


def definitely_true(a: Any) -> bool:
    """The value of a condition."""
    return bool(a)


def definitely_false(a: Any) -> bool:
    """Whether a condition does not hold."""
    return not a


def sym_eq(x: Any, y: Any) -> bool:
    """Whether two numbers, or two lists of them, are equal."""
    if isinstance(x, (tuple, list)) and isinstance(y, (tuple, list)):
        return len(x) == len(y) and all(map(sym_eq, x, y))
    if all(isinstance(v, (bool, int)) or is_symbolic(v) for v in (x, y)):
        return x == y
    raise AssertionError(f"sym_eq: expected two sizes or two lists of them, got {type(x).__name__} and {type(y).__name__}")


def sym_and(x: Any, *others: Any) -> bool:
    """Whether all conditions hold."""
    return all((x, *others))


def sym_or(x: Any, *others: Any) -> bool:
    """Whether a condition holds."""
    return any((x, *others))


def is_symbolic(val: Any) -> bool:
    """Whether a number records."""
    return hasattr(val, "node") and isinstance(val.node, SymNode)


def is_concrete_int(a: Any) -> bool:
    """Whether a size is a number: each is."""
    return isinstance(a, int)


def is_concrete_float(a: Any) -> bool:
    """Whether a float is a number: each is."""
    return isinstance(a, float)


def is_concrete_bool(a: Any) -> bool:
    """Whether a condition has a value: each has."""
    return isinstance(a, bool)


def is_nested_int(s: Any) -> bool:
    """Whether a size is the length of ragged rows: none is."""
    return False


def has_static_value(a: Any) -> bool:
    """Whether a number has one value: each has."""
    if not isinstance(a, (bool, int, float)):
        raise AssertionError(f"has_static_value: expected a number, got {type(a).__name__}")
    return True


def has_hint(a: Any) -> bool:
    """Whether the value of a number is known while the program is traced."""
    return not is_symbolic(a) or a.node.hint is not None


has_guarding_hint = has_hint


def has_symbolic_sizes_strides(elem: Any) -> bool:
    """Whether sizes or strides of a tensor are symbols."""
    return any(map(is_symbolic, (*elem.shape, *elem.stride())))


def has_free_symbols(val: Any) -> bool:
    """Whether a value contains symbols."""
    return bool(free_symbols(val))


def has_free_unbacked_symbols(x: Any) -> bool:
    """Whether a value contains symbols whose values depend on elements of tensors."""
    return bool(free_unbacked_symbols(x))


def free_symbols(val: Any) -> set[Any]:
    """The names of the symbols in a number, in the sizes of a tensor, or in a list of them."""
    import torch

    if isinstance(val, torch.Tensor):
        val = (*val.shape, *val.stride())
    if isinstance(val, (list, tuple)):
        return {name for each in val for name in free_symbols(each)}
    return val.node.symbols() if is_symbolic(val) else set()


def free_unbacked_symbols(x: Any) -> set[Any]:
    """The symbols in a value whose values depend on elements of tensors."""
    return {name for name in free_symbols(x) if name.startswith("u")}


def find_symbol_binding_fx_nodes(graph: Any) -> dict[Any, Any]:
    """The nodes of a graph that first have each symbol: there are none."""
    return {}


def is_symbol_binding_fx_node(node: Any) -> None:
    """The symbol that a node first has: there are none."""
    return None


def hint_int(a: Any, fallback: int | None = None) -> int:
    """The value of a size, which is not noted down as a condition; `fallback` where it depends on elements of tensors."""
    if is_symbolic(a) and a.node.hint is None:
        if fallback is None:
            raise GuardOnDataDependentSymNode(f"hint_int: the value of {a} depends on elements of tensors")
        return fallback
    return int(a.node.hint if is_symbolic(a) else a)


def optimization_hint(a: Any, fallback: int | None = None) -> int:
    """The value of a size, which is not noted down as a condition."""
    return hint_int(a)


def guarding_hint_or_throw(a: Any) -> Any:
    """The value of a size or condition, which is not noted down."""
    return a.node.hint if is_symbolic(a) else a


def check_consistent(new: Any, old: Any) -> None:
    """Check that two tensors or numbers agree in their shapes or values.

    Raises:
        AssertionError: they do not
    """
    import torch

    if isinstance(new, torch.Tensor):
        if not isinstance(old, torch.Tensor) or new.shape != old.shape:
            raise AssertionError(f"check_consistent: {tuple(old.shape)} became {tuple(new.shape)}")
    elif new != old:
        raise AssertionError(f"check_consistent: {old} became {new}")


def constrain_range(a: Any, *, min: int | None, max: int | None = None) -> None:
    """Check the bounds of a size.

    Raises:
        ValueError: it is outside
    """
    if not (-float("inf") if min is None else min) <= a <= (float("inf") if max is None else max):
        raise ValueError(f"constrain_range: {a} is not between {min} and {max}")


def constrain_unify(a: Any, b: Any) -> None:
    """Check that two sizes are equal.

    Raises:
        AssertionError: they are not
    """
    if a != b:
        raise AssertionError(f"constrain_unify: {a} and {b} differ")


def compute_unbacked_bindings(*args: Any, **kwargs: Any) -> None:
    """Where a value first has open sizes: nowhere."""
    return None


def resolve_unbacked_bindings(shape_env: Any, bindings: Any) -> Any:
    """The same bindings: there are no symbols to resolve."""
    return bindings


def rebind_unbacked(shape_env: Any, n: Any, result: Any) -> None:
    """Take over open sizes of a graph: there are none."""


def eval_guards(gm: Any, *args: Any, ignore_static: bool = True) -> NoReturn:
    """Whether inputs meet the guards of a recording; refused: recordings with open sizes do not exist."""
    raise NotImplementedError(f"eval_guards: {_REASON}")


def uninteresting_files() -> set[str]:
    """Files of recorders, which stacks leave out."""
    import torch.fx

    return {torch.fx.__file__}
