"""Elementwise functions of the array API standard.

A function of two arguments promotes them by their dtypes alone; one of the two may be a Python number.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch._array_api.dtypes import is_integral, promoted

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable

    Operand = Tensor | complex

NAMES: list[str] = []


def _publish(name: str, doc: str, function: Callable[..., Tensor]) -> None:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    globals()[name] = function
    NAMES.append(name)


def _unary(name: str, doc: str, compute: Callable[[Tensor], Tensor], *, keeps_integers: bool = False) -> None:
    """A function of one tensor. `keeps_integers`: integers (and booleans) are their own result."""

    def function(x: Tensor, /) -> Tensor:
        if keeps_integers and not (x.dtype.is_floating_point or x.dtype.is_complex):
            return x.clone()
        return compute(x)

    _publish(name, doc, function)


def _binary(name: str, doc: str, compute: Callable[[Tensor, Tensor], Tensor]) -> None:
    def function(x1: Operand, x2: Operand, /) -> Tensor:
        return compute(*promoted(name, x1, x2))

    _publish(name, doc, function)


def _round_complex(x: Tensor) -> Tensor:
    return torch.complex(torch.round(x.real), torch.round(x.imag)) if x.dtype.is_complex else torch.round(x)


def _pow(a: Tensor, b: Tensor) -> Tensor:
    if not is_integral(a.dtype):
        return torch.pow(a, b)
    exponent = b.to(torch.int64)
    if b.dtype == torch.uint64:
        # Exponents from 2^63 are negative in int64. Modulo 2^64 an odd number to the power of 2^62 is 1, an even one 0.
        exponent = torch.where(exponent < 0, (exponent & (2**62 - 1)) + 2**62, exponent)
    return torch.pow(a.to(torch.int64), exponent).to(a.dtype)


def _sign(x: Tensor) -> Tensor:
    if x.dtype.is_complex:
        return torch.where(torch.isnan(x), torch.full((), complex(math.nan, math.nan), dtype=x.dtype), torch.sgn(x))
    return torch.where(torch.isnan(x), x, torch.sgn(x)) if x.dtype.is_floating_point else torch.sgn(x)


def _extremum(pick: Callable[[Tensor, Tensor], Tensor], prefers_first: Callable[[Tensor, Tensor], Tensor]):
    def compute(a: Tensor, b: Tensor) -> Tensor:
        return torch.where(prefers_first(a, b), a, b) if is_integral(a.dtype) and a.dtype != torch.uint8 else pick(a, b)

    return compute


def _shift(compute: Callable[[Tensor, Tensor], Tensor], beyond: Callable[[Tensor], Tensor]):
    """A shift by at least the width gives what shifting one bit at a time would give."""

    def shifted(a: Tensor, b: Tensor) -> Tensor:
        bits = 8 * a.dtype.itemsize
        return torch.where(b >= bits, beyond(a), compute(a, torch.where(b >= bits, torch.zeros_like(b), b)))

    return shifted


_unary("abs", "Magnitudes.", lambda x: x.clone() if x.dtype == torch.bool else torch.abs(x))
_unary("acos", "Inverse cosine.", torch.acos)
_unary("acosh", "Inverse hyperbolic cosine.", torch.acosh)
_unary("asin", "Inverse sine.", torch.asin)
_unary("asinh", "Inverse hyperbolic sine.", torch.asinh)
_unary("atan", "Inverse tangent.", torch.atan)
_unary("atanh", "Inverse hyperbolic tangent.", torch.atanh)
_unary("bitwise_invert", "Every bit inverted.", torch.bitwise_not)
_unary("ceil", "Rounds up.", torch.ceil, keeps_integers=True)
_unary("conj", "Complex conjugates.", lambda x: torch.conj(x).resolve_conj())
_unary("cos", "Cosine of radians.", torch.cos)
_unary("cosh", "Hyperbolic cosine.", torch.cosh)
_unary("exp", "e to the power of x.", torch.exp)
_unary("expm1", "exp(x) - 1, exact for small x.", torch.expm1)
_unary("floor", "Rounds down.", torch.floor, keeps_integers=True)
_unary("imag", "Imaginary parts.", lambda x: torch.imag(x) if x.dtype.is_complex else torch.zeros_like(x))
_unary("isfinite", "Neither infinite nor NaN.", torch.isfinite)
_unary("isinf", "Infinite.", torch.isinf)
_unary("isnan", "Not a number.", torch.isnan)
_unary("log", "Natural logarithm.", torch.log)
_unary("log10", "Logarithm to base 10.", torch.log10)
_unary("log1p", "log(1 + x), exact for small x.", torch.log1p)
_unary("log2", "Logarithm to base 2.", torch.log2)
_unary("logical_not", "Logical negation.", torch.logical_not)
_unary("negative", "-x.", torch.neg)
_unary("positive", "+x.", lambda x: x.clone())
_unary("real", "Real parts.", lambda x: torch.real(x) if x.dtype.is_complex else x)
_unary("reciprocal", "1 / x.", torch.reciprocal)
_unary("round", "Rounds to the nearest integer, ties to even.", _round_complex, keeps_integers=True)
_unary("sign", "-1, 0 or 1; for complex x, x / abs(x); NaN for NaN.", _sign)
_unary("signbit", "Whether the sign bit is set.", torch.signbit)
_unary("sin", "Sine of radians.", torch.sin)
_unary("sinh", "Hyperbolic sine.", torch.sinh)
_unary("sqrt", "Square root.", torch.sqrt)
_unary("square", "x * x.", lambda x: torch.mul(x, x))
_unary("tan", "Tangent of radians.", torch.tan)
_unary("tanh", "Hyperbolic tangent.", torch.tanh)
_unary("trunc", "Rounds toward zero.", torch.trunc, keeps_integers=True)

_binary("add", "x1 + x2.", torch.add)
_binary("atan2", "The angle of the point (x2, x1).", torch.atan2)
_binary("bitwise_and", "Bitwise and.", torch.bitwise_and)
_binary("bitwise_left_shift", "Bits of x1 moved left by x2.", _shift(torch.bitwise_left_shift, torch.zeros_like))
_binary("bitwise_or", "Bitwise or.", torch.bitwise_or)
_binary(
    "bitwise_right_shift",
    "Bits of x1 moved right by x2; the sign is kept.",
    _shift(torch.bitwise_right_shift, lambda a: torch.where(a < 0, ~torch.zeros_like(a), torch.zeros_like(a))),
)
_binary("bitwise_xor", "Bitwise exclusive or.", torch.bitwise_xor)
_binary("copysign", "Magnitudes of x1 with the signs of x2.", torch.copysign)
_binary("divide", "x1 / x2.", torch.div)
_binary("equal", "x1 == x2.", torch.eq)
_binary("floor_divide", "x1 / x2, rounded down.", torch.floor_divide)
_binary("greater", "x1 > x2.", torch.gt)
_binary("greater_equal", "x1 >= x2.", torch.ge)
_binary("hypot", "sqrt(x1^2 + x2^2) without overflow.", torch.hypot)
_binary("less", "x1 < x2.", torch.lt)
_binary("less_equal", "x1 <= x2.", torch.le)
_binary("logaddexp", "log(exp(x1) + exp(x2)).", torch.logaddexp)
_binary("logical_and", "Logical and.", torch.logical_and)
_binary("logical_or", "Logical or.", torch.logical_or)
_binary("logical_xor", "Logical exclusive or.", torch.logical_xor)
_binary("maximum", "The larger of x1 and x2; NaN if one is.", _extremum(torch.maximum, torch.ge))
_binary("minimum", "The smaller of x1 and x2; NaN if one is.", _extremum(torch.minimum, torch.le))
_binary("multiply", "x1 * x2.", torch.mul)
_binary("nextafter", "The next number from x1 toward x2.", torch.nextafter)
_binary("not_equal", "x1 != x2.", torch.ne)
_binary("pow", "x1 to the power of x2.", _pow)
_binary("remainder", "The remainder of x1 / x2, with the sign of x2.", torch.remainder)
_binary("subtract", "x1 - x2.", torch.sub)


def clip(x: Tensor, /, min: Tensor | float | None = None, max: Tensor | float | None = None) -> Tensor:
    """`x` limited to `min` and `max`, of the dtype of `x`."""
    out = x.clone()
    for limit, pick in ((min, globals()["maximum"]), (max, globals()["minimum"])):
        if limit is None:
            continue
        if isinstance(limit, Tensor):
            out = pick(out, limit).to(x.dtype)
        elif is_integral(x.dtype) and not isinstance(limit, int):
            raise TypeError(f"clip: limits of a tensor of {x.dtype} must be integers, got {limit}")
        else:
            info = torch.iinfo(x.dtype) if is_integral(x.dtype) else None
            out = pick(out, limit if info is None else sorted((info.min, limit, info.max))[1])
    return out


NAMES.append("clip")
__all__ = NAMES  # noqa: PLE0605
