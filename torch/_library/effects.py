"""Operators that do something beside their results: print, count, write to a file."""

from __future__ import annotations

import enum
from typing import Any


class EffectType(enum.Enum):
    """What kind of effect an operator has.

    Example:
        >>> from torch._library.effects import EffectType
        >>> EffectType.ORDERED.name
        'ORDERED'
    """

    ORDERED = "Ordered"


_effects: dict[str, EffectType] = {}  # name of the operator, without its overload -> effect


def _key(op: Any) -> str:
    from torch._library.utils import lookup_op

    if isinstance(op, str):
        op = lookup_op(op)
    op = getattr(op, "_opoverload", op)
    schema = getattr(op, "_schema", None)
    if schema is None:
        raise TypeError(f"effects: expected an operator or its name, got {type(op).__name__}")
    return str(schema.name)


def register_effect(op: Any, effect: EffectType | None) -> None:
    """Say that an operator has an effect: its calls stay in graphs, in their order. None: it has none.

    Args:
        op (str, OpOverload or CustomOpDef): the operator
        effect (EffectType or None): the effect

    Example:
        >>> from torch._library.effects import EffectType, effect_of, register_effect
        >>> register_effect("aten::_assert_async", EffectType.ORDERED)
        >>> effect_of(torch.ops.aten._assert_async.default)
        <EffectType.ORDERED: 'Ordered'>
        >>> register_effect("aten::_assert_async", None)
    """
    if effect is not None and not isinstance(effect, EffectType):
        raise TypeError(f"register_effect: expected an EffectType or None, got {effect!r}")
    if effect is None:
        _effects.pop(_key(op), None)
    else:
        _effects[_key(op)] = effect


def effect_of(op: Any) -> EffectType | None:
    """The effect of an operator, or None.

    Args:
        op (Any): an operator; other functions have none

    Example:
        >>> from torch._library.effects import effect_of
        >>> effect_of(torch.ops.aten.add.Tensor) is None
        True
    """
    if not _effects:
        return None
    schema = getattr(op, "_schema", None)
    return None if schema is None else _effects.get(schema.name)
