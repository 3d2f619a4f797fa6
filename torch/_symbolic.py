"""Arithmetic on sizes that PyTorch can leave open. Here every size is a number, and so is every result.

SymInt, SymFloat and SymBool are there for `isinstance`: nothing is one of them.
"""

from __future__ import annotations

import math
from typing import Any


class _NoSymbols:
    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f"torch.{cls.__name__}: this version has no symbolic sizes; sizes are numbers")


class SymInt(_NoSymbols):
    """A size that is not known yet. There are none.

    Example:
        >>> isinstance(torch.ones(2).shape[0], torch.SymInt)
        False
    """


class SymFloat(_NoSymbols):
    """A number that is not known yet. There are none.

    Example:
        >>> isinstance(1.5, torch.SymFloat)
        False
    """


class SymBool(_NoSymbols):
    """A condition that is not known yet. There are none.

    Example:
        >>> isinstance(True, torch.SymBool)
        False
    """


for _type in (SymInt, SymFloat, SymBool):
    _type.__module__ = "torch"


def sym_int(a: Any) -> int:
    """A number rounded towards zero.

    Args:
        a (int or float): the number

    Returns:
        the integer

    Example:
        >>> torch.sym_int(-3.7)
        -3
    """
    return int(a)


def sym_float(a: Any) -> float:
    """A number as a float.

    Args:
        a (int or float): the number

    Returns:
        the float

    Example:
        >>> torch.sym_float(2)
        2.0
    """
    return float(a)


def _both(a: Any, b: Any, result: Any) -> Any:
    return float(result) if isinstance(a, float) or isinstance(b, float) else result


def sym_max(a: Any, b: Any) -> Any:
    """The larger of two numbers; a float if one of them is.

    Args:
        a (int or float): one
        b (int or float): the other

    Returns:
        the larger one

    Example:
        >>> torch.sym_max(3, 4.0), torch.sym_max(3, 4)
        (4.0, 4)
    """
    return _both(a, b, max(a, b))


def sym_min(a: Any, b: Any) -> Any:
    """The smaller of two numbers; a float if one of them is.

    Args:
        a (int or float): one
        b (int or float): the other

    Returns:
        the smaller one

    Example:
        >>> torch.sym_min(3, 4.0)
        3.0
    """
    return _both(a, b, min(a, b))


def sym_not(a: Any) -> bool:
    """The contrary of a condition.

    Args:
        a (bool): the condition

    Returns:
        the contrary

    Example:
        >>> torch.sym_not(True)
        False
    """
    return not a


def sym_ite(b: Any, t: Any, f: Any) -> Any:
    """One of two values of one type.

    Args:
        b (bool): which
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
    return t if b else f


def sym_sum(args: Any) -> Any:
    """The sum of numbers.

    Args:
        args (Iterable[int]): the numbers

    Returns:
        the sum

    Example:
        >>> torch.sym_sum([1, 2, 3])
        6
    """
    return sum(args)


def sym_sqrt(a: Any) -> float:
    """The square root of a number.

    Args:
        a (int or float): the number

    Returns:
        the root

    Example:
        >>> torch.sym_sqrt(4)
        2.0
    """
    return math.sqrt(a)


for _function in (sym_int, sym_float, sym_max, sym_min, sym_not, sym_ite, sym_sum, sym_sqrt):
    _function.__module__ = "torch"
