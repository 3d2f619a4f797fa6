"""Dtypes of the array API standard: kinds, promotion and conversion."""

from __future__ import annotations

import types

import torch
from torch import Tensor

KINDS = {
    "bool": (torch.bool,),
    "signed integer": (torch.int8, torch.int16, torch.int32, torch.int64),
    "unsigned integer": (torch.uint8, torch.uint16, torch.uint32, torch.uint64),
    "real floating": (torch.float32, torch.float64),
    "complex floating": (torch.complex64, torch.complex128),
}
KINDS["integral"] = KINDS["signed integer"] + KINDS["unsigned integer"]
KINDS["numeric"] = KINDS["integral"] + KINDS["real floating"] + KINDS["complex floating"]

_HALF = (torch.float16, torch.bfloat16)
_UNSIGNED = KINDS["unsigned integer"]


def is_unsigned(dtype: torch.dtype) -> bool:
    return dtype in _UNSIGNED


def is_integral(dtype: torch.dtype) -> bool:
    return dtype in KINDS["integral"]


def promote(a: torch.dtype, b: torch.dtype) -> torch.dtype:
    """The dtype of an operation on tensors of dtypes `a` and `b`, whatever their dimensions.

    Raises:
        TypeError: no integer type holds both, as for uint64 and int8
    """
    if a == b:
        return a
    for unsigned, other in ((a, b), (b, a)):
        if is_unsigned(unsigned) and other in KINDS["signed integer"]:
            signed = {1: torch.int16, 2: torch.int32, 4: torch.int64}.get(unsigned.itemsize)
            if signed is None:
                raise TypeError(f"no integer type holds both {a} and {b}; convert one of them by astype")
            return signed if signed.itemsize > other.itemsize else other
    if is_unsigned(a) and is_unsigned(b):
        return a if a.itemsize > b.itemsize else b
    return torch.promote_types(a, b)


def scalar_dtype(value: complex, dtype: torch.dtype) -> torch.dtype:
    """The dtype of an operation on a tensor of `dtype` and a Python number.

    Raises:
        TypeError: the number is of a higher kind than the tensor
    """
    if isinstance(value, bool):
        return dtype
    if isinstance(value, int):
        if dtype == torch.bool:
            return torch.int64
        return dtype
    if isinstance(value, float):
        return dtype if dtype.is_floating_point or dtype.is_complex else torch.get_default_dtype()
    if dtype.is_complex:
        return dtype
    return torch.complex128 if dtype == torch.float64 else torch.complex64


def result_type(*arrays_and_dtypes: Tensor | torch.dtype | complex) -> torch.dtype:
    """The dtype that promotion gives for tensors, dtypes and Python numbers."""
    dtypes = [x if isinstance(x, torch.dtype) else x.dtype for x in arrays_and_dtypes if isinstance(x, (torch.dtype, Tensor))]
    if not dtypes:
        raise ValueError("result_type: expected at least one tensor or dtype")
    found = dtypes[0]
    for dtype in dtypes[1:]:
        found = promote(found, dtype)
    for x in arrays_and_dtypes:
        if not isinstance(x, (torch.dtype, Tensor)):
            found = scalar_dtype(x, found)
    return found


def promoted(name: str, *values: Tensor | complex) -> tuple[Tensor, ...]:
    """The arguments of function `name` as tensors of one dtype.

    Raises:
        TypeError: none of them is a tensor
    """
    first = next((x for x in values if isinstance(x, Tensor)), None)
    if first is None:
        raise TypeError(f"{name}: at least one argument must be a Tensor, got {', '.join(type(x).__name__ for x in values)}")
    dtype = result_type(*values)
    return tuple(x.to(dtype) if isinstance(x, Tensor) else torch.full((), x, dtype=dtype, device=first.device) for x in values)


def isdtype(dtype: torch.dtype, kind: torch.dtype | str | tuple[torch.dtype | str, ...]) -> bool:
    """Whether `dtype` is of a kind: a dtype, the name of a kind, or one of a tuple of these."""
    if isinstance(kind, tuple):
        return any(isdtype(dtype, k) for k in kind)
    if isinstance(kind, torch.dtype):
        return dtype == kind
    if kind not in KINDS:
        raise ValueError(f"isdtype: kind must be a dtype or one of {sorted(KINDS)}, got {kind!r}")
    return dtype in KINDS[kind] or (dtype in _HALF and kind in ("real floating", "numeric"))


def can_cast(from_: torch.dtype | Tensor, to: torch.dtype, /) -> bool:
    """Whether promotion may turn `from_` into `to`."""
    from_ = from_.dtype if isinstance(from_, Tensor) else from_
    try:
        return promote(from_, to) == to
    except TypeError:
        return False


def astype(x: Tensor, dtype: torch.dtype, /, *, copy: bool = True, device: torch.device | None = None) -> Tensor:
    """`x` in another dtype: a new tensor, or `x` itself where nothing changes and `copy` is false."""
    if x.dtype.is_complex and not dtype.is_complex and dtype != torch.bool:
        x = torch.real(x)
    return x.to(device=device, dtype=dtype, copy=copy)


def finfo(type: torch.dtype | Tensor, /) -> types.SimpleNamespace:
    """Limits of a floating-point type: `bits`, `eps`, `max`, `min`, `smallest_normal`, `dtype`."""
    dtype = type.dtype if isinstance(type, Tensor) else type
    real = dtype.to_real() if dtype.is_complex else dtype
    limits = torch.finfo(real)
    return types.SimpleNamespace(
        bits=limits.bits,
        eps=limits.eps,
        max=limits.max,
        min=limits.min,
        smallest_normal=limits.smallest_normal,
        dtype=real,
    )


def iinfo(type: torch.dtype | Tensor, /) -> types.SimpleNamespace:
    """Limits of an integer type: `bits`, `max`, `min`, `dtype`."""
    dtype = type.dtype if isinstance(type, Tensor) else type
    limits = torch.iinfo(dtype)
    return types.SimpleNamespace(bits=limits.bits, max=limits.max, min=limits.min, dtype=dtype)
