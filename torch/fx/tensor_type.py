"""Types of tensors with some sizes open, which programs annotate graphs with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["Dyn", "TensorType", "is_consistent", "is_more_precise"]


class TensorType:
    """A tensor of given sizes, each a number or `Dyn`.

    Args:
        dim (Sequence): the sizes

    Example:
        >>> from torch.fx.tensor_type import Dyn, TensorType
        >>> TensorType((2, Dyn))
        TensorType[(2, Dyn)]
    """

    def __init__(self, dim: Sequence[Any]) -> None:
        self.__origin__ = TensorType
        self.__args__ = dim

    @property
    def dims(self) -> Any:
        """The sizes."""
        return self.__args__

    def __repr__(self) -> str:
        return f"TensorType[{self.__args__}]"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and list(self.__args__) == list(other.__args__)

    def __hash__(self) -> int:
        return hash(tuple(self.__args__))

    @staticmethod
    def __class_getitem__(*args: Any) -> TensorType:
        return TensorType(args[0] if len(args) == 1 and isinstance(args[0], tuple) else args)


class _DynType:
    """A type, or a size, that is not known."""

    def __init__(self) -> None:
        self.__name__ = "_DynType"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _DynType)

    def __hash__(self) -> int:
        return hash(_DynType)

    def __repr__(self) -> str:
        return "Dyn"


Dyn = _DynType()


def is_consistent(t1: object, t2: object) -> bool:
    """Whether a value can have both types: what is open in one may be anything in the other."""
    if t1 == t2 or isinstance(t1, _DynType) or isinstance(t2, _DynType):
        return True
    if isinstance(t1, TensorType) and isinstance(t2, TensorType):
        return len(t1.dims) == len(t2.dims) and all(map(is_consistent, t1.dims, t2.dims))
    return False


def is_more_precise(t1: object, t2: object) -> bool:
    """Whether the first type is the second one with some of what is open there filled in."""
    if t1 == t2 or isinstance(t2, _DynType):
        return True
    if isinstance(t1, TensorType) and isinstance(t2, TensorType):
        return len(t1.dims) == len(t2.dims) and all(map(is_more_precise, t1.dims, t2.dims))
    return False
